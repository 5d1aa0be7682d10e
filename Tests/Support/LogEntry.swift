import Foundation

/// One line of the system log, as a program sent it.
package struct LogEntry: Sendable, CustomStringConvertible {
  /// The bytes as received, without a final newline or NUL.
  package let bytes: [UInt8]

  /// The line as text, starting with the priority: `<86>Jan  2 03:04:05 sshd[7]: text`.
  package let line: String

  /// The facility number: 10 is authpriv.
  package let facility: Int

  /// The severity number: 3 is an error, 5 a notice, 6 information.
  package let severity: Int

  /// The text after the name and number of the program.
  package let message: String

  /// The message without its checkpoint (` checkpoint=` at the end), or nil if it has none.
  package var messageBeforeMark: String? {
    let parts = message.components(separatedBy: " checkpoint=")
    guard parts.count == 2, parts[1].contains(":") else { return nil }
    return parts[0]
  }

  init(_ datagram: [UInt8]) {
    var bytes = datagram
    while let last = bytes.last, last == 0 || last == 0x0a { bytes.removeLast() }
    let line = String(decoding: bytes, as: UTF8.self)
    self.bytes = bytes
    self.line = line
    var priority = -1
    var rest = line[...]
    if line.first == "<", let end = line.firstIndex(of: ">") {
      priority = Int(line[line.index(after: line.startIndex)..<end]) ?? -1
      rest = line[line.index(after: end)...]
    }
    facility = priority < 0 ? -1 : priority >> 3
    severity = priority < 0 ? -1 : priority & 7
    // The date is 16 characters long and contains colons.
    let text = String(rest.dropFirst(16))
    message = text.split(separator: ": ", maxSplits: 1).dropFirst().first.map(String.init) ?? text
  }

  /// The values of the `key=value` pairs of the line.
  package var fields: [String: String] {
    var fields: [String: String] = [:]
    for word in message.split(separator: " ") {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { fields[String(parts[0])] = String(parts[1]) }
    }
    return fields
  }

  /// The line.
  package var description: String { line }
}
