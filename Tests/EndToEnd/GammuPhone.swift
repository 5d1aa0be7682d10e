import Foundation
import MFATestSupport

/// gammu-smsd from Debian with its dummy phone, which writes what it sends to a log.
final class GammuPhone {
  static let gateway = "/usr/lib/mfa/gateways/gammu-smsd"
  static let spool = "/var/spool/gammu"

  private let machine: Machine
  private let path: String
  private let process: ChildProcess

  /// Starts gammu-smsd, which ends with the test.
  init(on machine: Machine) throws {
    self.machine = machine
    let folder = machine.folder + "/phone"
    path = folder + "/log"
    try Command.succeed(
      ["/usr/bin/install", "-d", "-o", "gammu", "-g", "gammu", "-m", "0700", folder])
    try machine.write(
      """
      [gammu]
      model = dummy
      connection = none
      port = \(folder)
      [smsd]
      service = files
      logfile = \(path)
      debuglevel = 255
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
    process = try ChildProcess(
      ["/usr/bin/gammu-smsd", "-c", "/etc/gammu-smsdrc"], as: .user("gammu"))
    machine.atTheEnd("stop gammu-smsd") { try self.stop() }
  }

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
