import Foundation
import MFACTestSupport

/// The user's side of a pseudo-terminal.
struct PseudoTerminal: ~Copyable {
  let master: Descriptor

  /// The path that a program opens.
  let path: String

  init(rows: Int32, columns: Int32) throws(HarnessFailure) {
    var path = [CChar](repeating: 0, count: 64)
    // SAFETY: the call writes at most `count` bytes to the array, the last of them a NUL.
    let number = unsafe ctest_terminal(rows, columns, &path, path.count)
    master = try Descriptor(takingOver: number, from: "posix_openpt")
    self.path = String(
      decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// A program at its controlling pseudo-terminal, as a user sees it.
///
/// Text that matched an expectation is consumed: the next expectation starts after it. Every
/// failure shows the whole transcript.
package final class TerminalSession {
  /// The program at the terminal.
  package let process: ChildProcess

  /// Everything that has appeared on the screen so far.
  package private(set) var screen: [UInt8] = []

  /// The sizes of the window, and how much had appeared when it got each.
  package private(set) var sizes: [(place: Int, columns: Int, rows: Int)]

  /// The number of bytes of `screen` consumed by earlier expectations.
  private var seen = 0

  private let terminal: PseudoTerminal
  private var isAtEnd = false

  /// The typed text and its positions on the screen, for the transcript.
  private var typed: [(place: Int, text: String)] = []

  /// Starts a program at a new terminal. See `ChildProcess` for the parameters.
  package init(
    _ arguments: [String], as identity: Identity = .current, environment: [String: String] = [:],
    rows: Int32 = 50, columns: Int32 = 120, directory: String = "/"
  ) throws(HarnessFailure) {
    terminal = try PseudoTerminal(rows: rows, columns: columns)
    sizes = [(0, Int(columns), Int(rows))]
    switch identity {
    case .current: break
    case .user(let name): try Command.succeed(["/bin/chown", "\(name):tty", terminal.path])
    }
    process = try ChildProcess(
      arguments, as: identity, environment: ["TERM": "xterm"].merging(environment) { $1 },
      terminal: terminal.path, directory: directory)
  }

  /// Everything that has appeared on the screen so far, as text.
  package var text: String { String(decoding: screen, as: UTF8.self) }

  /// The text that has appeared since the last expectation.
  package var unseenText: String { String(decoding: screen[seen...], as: UTF8.self) }

  /// The screen output and the typed text, in order.
  package var transcript: String {
    var all = "$ \(process.commandLine.joined(separator: " "))\n"
    var place = 0
    for (end, text) in typed {
      all += String(decoding: screen[place..<end], as: UTF8.self) + "«\(text)»"
      place = end
    }
    all += String(decoding: screen[place...], as: UTF8.self)
    return all.map { character in
      character == "\u{1b}" ? "␛" : String(character)
    }.joined()
  }

  /// Waits until `text` appears; returns what appeared before it.
  @discardableResult
  package func expect(
    _ text: String, until deadline: Deadline = .usual
  ) throws(HarnessFailure) -> String {
    try expectOne(of: [text], until: deadline).before
  }

  /// Waits until one of several texts appears; returns which appeared first, and the text before
  /// it.
  @discardableResult
  package func expectOne(
    of texts: [String], until deadline: Deadline = .usual
  ) throws(HarnessFailure) -> (index: Int, before: String) {
    while true {
      let waiting = Data(screen[seen...])
      let found = texts.enumerated().compactMap { index, text in
        waiting.range(of: Data(text.utf8)).map { (index: index, range: $0) }
      }.min { $0.range.lowerBound < $1.range.lowerBound }
      if let found {
        seen += found.range.upperBound
        return (found.index, String(decoding: waiting[..<found.range.lowerBound], as: UTF8.self))
      }
      try readMore(waitingFor: texts.map { "\"\($0)\"" }.joined(separator: " or "), until: deadline)
    }
  }

  /// Waits until a pattern matches; returns the match. The text up to its end is consumed.
  package func expect<Output>(
    matching pattern: Regex<Output>, until deadline: Deadline = .usual
  ) throws -> Regex<Output>.Match {
    while true {
      let waiting = unseenText
      if let match = try pattern.firstMatch(in: waiting) {
        seen += waiting[..<match.range.upperBound].utf8.count
        return match
      }
      try readMore(waitingFor: "a pattern", until: deadline)
    }
  }

  /// Waits for a prompt, and then types a line, which may depend on what has happened until then.
  package func answer(_ prompt: String, with line: @autoclosure () throws -> String) throws {
    try expect(prompt)
    try send(try line())
  }

  /// Types a line and the return key.
  package func send(_ line: String) throws(HarnessFailure) {
    try sendKeys(Array(line.utf8) + [0x0d])
  }

  /// Types raw keys: 3 is Ctrl-C, 4 is Ctrl-D.
  package func sendKeys(_ keys: [UInt8]) throws(HarnessFailure) {
    typed.append((screen.count, String(decoding: keys, as: UTF8.self).debugDescription))
    do {
      try terminal.master.write(keys)
    } catch {
      throw failure("typing failed: \(error.what)")
    }
  }

  /// Changes the size of the window.
  package func resize(columns: Int32, rows: Int32) throws(HarnessFailure) {
    guard ctest_resize(terminal.master.number, rows, columns) == 0 else {
      throw failure("the window's size cannot be changed")
    }
    sizes.append((screen.count, Int(columns), Int(rows)))
  }

  /// Waits until the program has ended. Presses Enter below the text with which a sign-in by ssh ends.
  package func waitForExit(until deadline: Deadline = .usual) throws(HarnessFailure) -> ExitStatus {
    while !isAtEnd {
      let prompt = Data("Press Enter: ".utf8)
      if let question = Data(screen[seen...]).range(of: prompt) {
        seen += question.upperBound
        try send("")
      }
      let ready = ctest_readable(
        terminal.master.number, process.reference.number, deadline.millisecondsLeft)
      guard ready > 0 else { throw failure("the program is still running at the deadline") }
      guard ready & 1 != 0 else { break }
      try readWhatIsThere()
    }
    guard let status = try process.wait(until: deadline) else {
      throw failure("the program is still running at the deadline")
    }
    return status
  }

  /// Presses Ctrl-C, once more each second, until the program has ended. ssh ignores a Ctrl-C that
  /// arrives after it has shown a question and before it waits for the answer.
  package func interrupt(until deadline: Deadline = .usual) throws(HarnessFailure) -> ExitStatus {
    while !deadline.isOver {
      try sendKeys([3])
      let pause = Deadline.after(seconds: 1)
      while !isAtEnd {
        let ready = ctest_readable(
          terminal.master.number, process.reference.number, pause.millisecondsLeft)
        guard ready > 0 else { break }
        guard ready & 1 != 0 else { return try waitForExit(until: deadline) }
        try readWhatIsThere()
      }
      if isAtEnd { return try waitForExit(until: deadline) }
    }
    throw failure("the program is still running after several times Ctrl-C")
  }

  /// Returns an error that shows the whole transcript.
  package func failure(_ what: String) -> HarnessFailure {
    HarnessFailure(what, evidence: [("transcript", transcript)])
  }

  private func readMore(
    waitingFor expected: String, until deadline: Deadline
  ) throws(HarnessFailure) {
    guard !isAtEnd else { throw failure("the program ended before \(expected) appeared") }
    let ready = ctest_readable(terminal.master.number, -1, deadline.millisecondsLeft)
    guard ready > 0 else { throw failure("\(expected) has not appeared by the deadline") }
    try readWhatIsThere()
  }

  private func readWhatIsThere() throws(HarnessFailure) {
    let bytes = try terminal.master.readSome()
    screen += bytes
    isAtEnd = bytes.isEmpty
  }
}

/// A new key as mfa-enroll shows it at a terminal.
package struct KeyOnScreen {
  /// The key in groups of four.
  package let key: String
  /// The otpauth URL.
  package let url: String
  /// The app that has scanned the URL.
  package let phone: Authenticator

  /// Reads what mfa-enroll printed.
  package init(text: String) throws {
    let lines = text.replacing("\r\n", with: "\n")
    guard let key = lines.firstMatch(of: /Key: ([A-Z2-7 ]+)\n/),
      let url = lines.firstMatch(of: /URL: (otpauth:[^\n]+)\n/)
    else { throw HarnessFailure("no key was shown", evidence: [("screen", text)]) }
    self.key = String(key.output.1)
    self.url = String(url.output.1)
    phone = try Authenticator(url: self.url)
  }
}

extension TerminalSession {
  /// Answers that new recovery codes, which mfa-enroll has shown, were written down.
  package func keepRecoveryCodes() throws {
    try answer("file): ", with: "")
  }

  /// Waits until mfa-enroll asks for a code, unless it `isAsked` already, and has the key shown as
  /// text. The next question for a code has appeared.
  package func keyOnScreen(isAsked: Bool = false) throws -> KeyOnScreen {
    if !isAsked { try expect("Code from the app: ") }
    try sendKeys(Array("k".utf8))
    return try KeyOnScreen(text: try expect("Code from the app: "))
  }
}
