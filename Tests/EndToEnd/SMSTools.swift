import Foundation
import MFATestSupport

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
    process = try ChildProcess(
      ["/usr/sbin/smsd", "-c", "/etc/smsd.conf", "-t"], as: .user("smsd"))
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
