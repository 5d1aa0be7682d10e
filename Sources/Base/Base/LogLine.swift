import MFACPOSIX

/// One line for the system log: `key=value` pairs with escaped values, so that no input, such as a
/// user name, can forge a line or a pair.
package struct LogLine: Sendable {
  /// The line, in ASCII.
  package private(set) var text: [UInt8] = []

  /// The longest value in bytes. A longer value is cut and ends in `...`.
  package static let longestValue = 128

  /// Creates an empty line.
  package init() { text.reserveCapacity(256) }

  /// Creates a line about a part of the product that does not work.
  package init(errorIn part: StaticString, reason: StaticString) {
    self.init()
    add("result", "error")
    add("part", part)
    add("reason", reason)
  }

  /// Appends a pair whose value is known at compile time.
  package mutating func add(_ key: StaticString, _ value: StaticString) {
    start(key)
    text += value.bytes
  }

  /// Appends a pair whose value is a number.
  package mutating func add(_ key: StaticString, _ value: Int64) {
    start(key)
    text += joined([decimal(value)])
  }

  /// Appends a pair whose value is untrusted input. A missing value is written as `-`.
  ///
  /// Letters, digits and `_-.:/@+%,` are written unchanged; every other byte is written as `\xHH`.
  package mutating func add(_ key: StaticString, escaping value: [UInt8]?) {
    start(key)
    guard let value, !value.isEmpty else {
      text.append(UInt8(ascii: "-"))
      return
    }
    text += LogLine.escaped(value)
  }

  /// Appends a pair whose value is a sentence in quotation marks, cut to 512 bytes. Printable
  /// ASCII is written unchanged. Quotation marks, backslashes and all other bytes are escaped.
  package mutating func addQuoted(_ key: StaticString, _ sentence: [UInt8]) {
    start(key)
    text.append(UInt8(ascii: "\""))
    for byte in sentence.prefix(512) {
      if byte >= 0x20, byte < 0x7F, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
        text.append(byte)
      } else {
        text += Self.escape(byte)
      }
    }
    text.append(UInt8(ascii: "\""))
  }

  /// Appends all pairs of another line.
  package mutating func append(_ other: LogLine) {
    guard !other.text.isEmpty else { return }
    if !text.isEmpty { text.append(UInt8(ascii: " ")) }
    text += other.text
  }

  /// Appends a pair as the function above does, without cutting the value.
  package mutating func add(_ key: StaticString, escapingAllOf value: [UInt8]) {
    start(key)
    text += value.isEmpty ? [UInt8(ascii: "-")] : LogLine.escapedInFull(value)
  }

  /// Returns a value as `add(_:escaping:)` writes it; empty if the value is empty.
  package static func escaped(_ value: [UInt8]) -> [UInt8] {
    guard value.count > longestValue else { return escapedInFull(value) }
    return escapedInFull(value.span.part(from: 0, count: longestValue).copied())
      + [0x2E, 0x2E, 0x2E]
  }

  /// Returns a value as `add(_:escapingAllOf:)` writes it; empty if the value is empty.
  package static func escapedInFull(_ value: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(value.count)
    for byte in value {
      if isPlain(byte) {
        text.append(byte)
      } else {
        text += escape(byte)
      }
    }
    return text
  }

  private static func escape(_ byte: UInt8) -> [UInt8] {
    [UInt8(ascii: "\\"), UInt8(ascii: "x")] + Hexadecimal.digits(of: byte)
  }

  private mutating func start(_ key: StaticString) {
    if !text.isEmpty { text.append(UInt8(ascii: " ")) }
    text += key.bytes
    text.append(UInt8(ascii: "="))
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
      UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: "@"),
      UInt8(ascii: "+"), UInt8(ascii: "%"), UInt8(ascii: ","):
      true
    default: false
    }
  }
}

/// The system log of this project's own programs. The PAM module logs through libpam instead.
package enum Log {
  /// Writes a line to the facility `authpriv` under the program's name.
  package static func write(_ priority: LogPriority, _ line: LogLine) {
    // SAFETY: the line ends with a NUL and outlives the call, which copies it.
    unsafe cposix_syslog(LOG_AUTHPRIV | priority.number, cString(line.text))
  }

  /// Writes why a part of the product does not work.
  package static func writeError(
    in part: StaticString, reason: StaticString, _ error: SystemError? = nil
  ) {
    var line = LogLine(errorIn: part, reason: reason)
    if let error { line.add(error) }
    write(.error, line)
  }
}

/// The priority of a log line, as defined by syslog.
package enum LogPriority: Sendable {
  case alert, error, warning, notice, information, debug

  /// syslog's number for the priority.
  package var number: Int32 {
    switch self {
    case .alert: LOG_ALERT
    case .error: LOG_ERR
    case .warning: LOG_WARNING
    case .notice: LOG_NOTICE
    case .information: LOG_INFO
    case .debug: LOG_DEBUG
    }
  }
}

extension LogLine {
  /// Appends the error number of a failed system call by its name: `errno=EACCES`.
  @inline(never)
  package mutating func add(_ error: SystemError) {
    guard error.obstacle == nil else { return }
    add("errno", escaping: bytes(of: error.numberName))
  }
}
