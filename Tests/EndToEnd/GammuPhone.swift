import Foundation
import MFATestSupport

/// gammu-smsd from Debian with its dummy phone, which writes what it sends to a log, or with a modem.
final class GammuPhone {
  static let gateway = "/usr/lib/mfa/gateways/gammu-smsd"
  static let spool = "/var/spool/gammu"

  private let machine: Machine
  private let path: String
  private var process: ChildProcess

  /// Starts gammu-smsd, which ends with the test.
  init(on machine: Machine, modem: SerialModem? = nil, debugLevel: Int = 255) throws {
    self.machine = machine
    let folder = machine.folder + "/phone"
    path = folder + "/log"
    try Command.succeed(
      ["/usr/bin/install", "-d", "-o", "gammu", "-g", "gammu", "-m", "0700", folder])
    let phone =
      modem.map { "model = at\nconnection = at\ndevice = \($0.device)" }
      ?? "model = dummy\nconnection = none\nport = \(folder)"
    try machine.write(
      """
      [gammu]
      \(phone)
      [smsd]
      service = files
      logfile = \(path)
      debuglevel = \(debugLevel)
      commtimeout = 1
      outboxpath = \(Self.spool)/outbox/
      inboxpath = \(Self.spool)/inbox/
      sentsmspath = \(Self.spool)/sent/
      errorsmspath = \(Self.spool)/error/

      """, to: "/etc/gammu-smsdrc")
    try Command.succeed(["/usr/sbin/usermod", "-aG", "gammu", "mfa-gateway"])
    machine.atTheEnd("leave the group gammu") {
      try Command.succeed(["/usr/sbin/usermod", "-G", "", "mfa-gateway"])
    }
    process = try Self.started()
    machine.atTheEnd("stop gammu-smsd") { try self.stop() }
  }

  private static func started() throws -> ChildProcess {
    try ChildProcess(["/usr/bin/gammu-smsd", "-c", "/etc/gammu-smsdrc"], as: .user("gammu"))
  }

  /// Starts gammu-smsd again after `stop`.
  func start() throws { process = try Self.started() }

  /// What gammu-smsd has done, with the text of each message.
  var log: String { String(decoding: machine.contents(of: path) ?? [], as: UTF8.self) }

  /// Waits until the phone has sent `count` messages that begin with a code. Returns the last code.
  func code(ofMessage count: Int) throws -> String {
    var codes: [String] = []
    let wasSent = Deadline.usual.waits {
      codes = log.matches(of: /sms to "\+[0-9]+" with text "([0-9]{6})[ ]/).map {
        String($0.output.1)
      }
      return codes.count >= count
    }
    guard wasSent, codes.count == count, let last = codes.last else {
      throw HarnessFailure("\(codes.count) messages, expected \(count)", evidence: [("log", log)])
    }
    return last
  }

  /// The files in the folders of gammu-smsd.
  static func spooled() throws -> [String] {
    try Command.succeed(["/usr/bin/find", spool, "-type", "f"])
      .split(separator: "\n").map(String.init)
  }

  func stop() throws {
    process.send(signal: SIGKILL)
    _ = try process.wait()
  }
}
