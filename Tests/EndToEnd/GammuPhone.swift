import Foundation
import MFAAttempt
import MFABase
import MFAModel
import MFAStore
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
  var log: String { machine.text(of: path) }

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

/// smsd of the SMS Server Tools 3 from Debian, with the folders of the package.
final class SMSTools {
  static let spool = "/var/spool/sms"

  private let process: ChildProcess

  /// Which of its folders differ from those of the package.
  enum Folders {
    /// As mfa-gateway(7) describes: no copies, and `checked` is closed to others.
    case closed
    /// Debian's folders, without copies.
    case withoutCopies
    /// The folder `checked` is closed, and there are copies.
    case withCopies
  }

  /// Starts smsd, which ends with the test. Without a modem, messages wait.
  init(on machine: Machine, modem: SerialModem?, _ folders: Folders = .closed) throws {
    let folder = machine.folder + "/smsd"
    try Command.succeed(
      ["/usr/bin/install", "-d", "-o", "smsd", "-g", "smsd", "-m", "0700", folder])
    let copies = "sent = \(Self.spool)/sent\nfailed = \(Self.spool)/failed\n"
    try machine.write(
      """
      devices = GSM1
      outgoing = \(Self.spool)/outgoing
      checked = \(Self.spool)/checked
      incoming = \(Self.spool)/incoming
      \(folders == .withCopies ? copies : "")logfile = \(folder)/log
      infofile = \(folder)/working
      pidfile = \(folder)/pid
      delaytime = 1
      receive_before_send = no
      autosplit = 3
      [GSM1]
      device = \(modem?.device ?? "/dev/null")
      incoming = no

      """, to: "/etc/smsd.conf")
    if folders != .withoutCopies {
      try machine.keep(Self.spool)
      try Command.succeed(["/bin/chmod", "u=rwx,g=rwxs,o=,-t", Self.spool + "/checked"])
    }
    try Command.succeed(["/usr/sbin/usermod", "-aG", "smsd", "mfa-gateway"])
    machine.atTheEnd("leave the group smsd") {
      try Command.succeed(["/usr/sbin/usermod", "-G", "", "mfa-gateway"])
    }
    process = try ChildProcess(["/usr/sbin/smsd", "-c", "/etc/smsd.conf", "-t"], as: .user("smsd"))
    machine.atTheEnd("stop smsd") { [process] in
      // Its other process ends with it.
      process.send(signal: SIGTERM)
      guard try process.wait() == nil else { return }
      process.send(signal: SIGKILL)
      _ = try process.wait()
    }
  }

  /// The files in the folders of smsd.
  static func spooled() throws -> [String] {
    try Command.succeed(["/usr/bin/find", spool, "-type", "f"])
      .split(separator: "\n").map(String.init)
  }
}

/// A modem at a serial port, and the phone that receives what it sends: at-modem.py.
final class SerialModem {
  /// The path of the serial port.
  let device: String

  private let machine: Machine
  private let path: String
  private let process: ChildProcess

  /// A complete message that the phone has received.
  struct Message: Decodable, Equatable {
    let to: String
    let text: String
    /// The number of messages of the network.
    let parts: Int
    /// `7 bits` or `UCS-2`.
    let alphabet: String
  }

  /// Starts the modem for a user. It ends with the test.
  init(on machine: Machine, for user: String) throws {
    self.machine = machine
    device = machine.folder + "/modem"
    path = machine.folder + "/received"
    process = try ChildProcess([
      "/usr/bin/python3", Checkout.folder + "/Tests/EndToEnd/at-modem.py", device, path, user,
    ])
    machine.atTheEnd("stop the modem") { [process] in
      process.send(signal: SIGKILL)
      _ = try process.wait()
    }
    let device = device
    guard Deadline.usual.waits(until: { FileManager.default.fileExists(atPath: device) }) else {
      throw HarnessFailure("the modem does not start")
    }
  }

  /// Waits for messages, and returns all that the phone has received. The daemons first ask a modem
  /// what it can, which takes seconds.
  func messages(count: Int) throws -> [Message] {
    var messages: [Message] = []
    _ = try Deadline.long.waits {
      let lines = machine.text(of: path)
        .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      messages = try lines.map { try JSONDecoder().decode(Message.self, from: Data($0.utf8)) }
      return messages.count >= count
    }
    return messages
  }
}

/// The codes that were sent to users of the tests.
enum SentCodesOfTests {
  /// The list of the messages that the host sent.
  static let list = "/var/lib/mfa/phone/sends"

  /// Makes the codes that were sent to a user `seconds` older, as if that time had passed.
  static func age(_ user: MachineUser, _ seconds: UInt32) throws {
    guard let account = try Account.named(Array(user.name.utf8)),
      let location = StoreLocation.standard
    else { throw HarnessFailure("no account or no store") }
    let entry = try LocalFactorStore(location).entry(of: account, creating: false)
    let state = entry.attempts
    var codes = SentCodes()
    for time in state.sentCodes.times {
      codes.add(state.sentCodes.last, at: Int64(time &- seconds))
    }
    try entry.write(
      AttemptState(
        record: state.record, failures: state.failures, lastFailure: state.lastFailure,
        watermarks: state.watermarks, remembered: state.remembered, binding: state.binding,
        recentAnswers: state.recentAnswers, sentCodes: codes))
    try entry.sync()
  }
}
