/// A line of a realm's audit log.
package struct EngineLogLine: Equatable, Sendable {
  /// The number of the line, counted from 1.
  package var number: UInt32
  /// The line, with its line feed.
  package var text: [UInt8]
  /// The sealed end of the log after this line.
  package var end: [UInt8]

  /// Creates a line.
  package init(number: UInt32, text: [UInt8], end: [UInt8]) {
    self.number = number
    self.text = text
    self.end = end
  }
}
