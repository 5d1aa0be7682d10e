/// A line of a realm's audit log.
public struct EngineLogLine: Equatable, Sendable {
  /// The number of the line, counted from 1.
  public var number: UInt32
  /// The line, with its line feed.
  public var text: [UInt8]
  /// The sealed end of the log after this line.
  public var end: [UInt8]

  /// Creates a line.
  public init(number: UInt32, text: [UInt8], end: [UInt8]) {
    self.number = number
    self.text = text
    self.end = end
  }
}
