/// Where and when something happened. An empty part is unknown.
package struct NoticeOrigin: Equatable, Sendable {
  /// The address or terminal.
  package let source: [UInt8]
  /// The time, such as `2027-01-31 09:05 CET`.
  package let time: [UInt8]

  /// Creates an origin.
  package init(source: [UInt8], time: [UInt8]) {
    self.source = source
    self.time = time
  }

  /// Whether neither part is known.
  var isUnknown: Bool { source.isEmpty && time.isEmpty }
}
