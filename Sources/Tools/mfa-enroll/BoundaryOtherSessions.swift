import FoundationEssentials
import Glibc
import MFAEnrollMessages
import MFABase

/// The user's other sessions on this host, as systemd-logind reports them.
enum OtherSessions {
  private static let program = "/usr/bin/loginctl"

  /// Tells whether loginctl is there, and this session can be distinguished from the others.
  static var canBeEnded: Bool {
    // SAFETY: the string is valid for the call.
    unsafe access(program, X_OK) == 0 && LocaleSettings.variable("XDG_SESSION_ID") != nil
  }

  /// Ends the other sessions and reports the result to the user. A failure here is not an error,
  /// because the factor has already been removed.
  static func end(telling interface: UserInterface) {
    // SAFETY: the string is valid for the call.
    guard unsafe access(program, X_OK) == 0,
      let list = run(["--no-legend", "--no-pager", "list-sessions"])
    else {
      return interface.tell(.otherSessionsContinue)
    }
    // Without this variable, this session cannot be distinguished from the others.
    guard let present = LocaleSettings.variable("XDG_SESSION_ID") else {
      return interface.tell(.otherSessionsContinue)
    }
    var ended = 0
    var left = 0
    for session in sessions(in: list, of: getuid(), except: present) {
      if run(["terminate-session", session]) == nil { left += 1 } else { ended += 1 }
    }
    if ended > 0 { interface.tell(.otherSessionsEnded(ended)) }
    if left > 0 { interface.tell(.otherSessionsNotEnded(left)) }
  }

  /// Returns the sessions of `user` in the output of loginctl, whose first columns are the
  /// identifier and the user id. Skips a line whose first word is not an identifier, because
  /// loginctl could take the word for an option.
  static func sessions(in list: String, of user: UInt32, except present: String) -> [String] {
    list.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
      guard words.count >= 2, words[1] == String(user), words[0] != present,
        words[0].utf8.allSatisfy({ isLetterOrDigit($0) })
      else { return nil }
      return words[0]
    }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"):
      true
    default: false
    }
  }

  /// Returns the output of loginctl, or nil if it fails.
  private static func run(_ arguments: [String]) -> String? {
    do throws(SystemError) {
      let pipe = try PipeEnds()
      var start = ProgramStart(
        Array(program.utf8), arguments: ([program] + arguments).map { Array($0.utf8) })
      start.environment = ProcessInfo.processInfo.environment.map { Array("\($0)=\($1)".utf8) }
      start.output = pipe.writeEnd
      let process = try start.start()
      // While this process holds the writing end, reading never reaches the end of the pipe.
      let output = try read(toTheEndOf: pipe.takeReadEnd())
      return try ProgramEnd.wait(for: process) == .exited(0)
        ? String(decoding: output, as: UTF8.self) : nil
    } catch {
      return nil
    }
  }

  /// Reads a descriptor to its end, and closes it.
  private static func read(toTheEndOf descriptor: Int32) throws(SystemError) -> [UInt8] {
    defer { close(descriptor) }
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      // SAFETY: the call writes at most as many bytes as the buffer has.
      let count = try retrying(.read) { unsafe Glibc.read(descriptor, &buffer, buffer.count) }
      guard count > 0 else { return output }
      output += buffer[..<count]
    }
  }
}
