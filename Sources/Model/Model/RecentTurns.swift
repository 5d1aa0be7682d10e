import MFABase

/// The sources of the last attempts after a wait.
///
/// An attacker who asks without a pause would take each turn after a wait, and the owner none. A source
/// that took turns waits longer than others, by its share of the last turns, so that other sources
/// can try a code in the meantime.
///
/// MUST 1: no source waits less than the account, nor more than twice as long.
/// (`RecentTurnsTests.waits`, `ThrottleModelTests.bounded`)
package struct RecentTurns: Equatable, Sendable {
  /// Keyed digests of the sources, oldest first.
  package private(set) var sources: [UInt32] = []

  /// The maximum number of turns that are kept. More sources than that can take every turn.
  package static var maximumCount: Int { 8 }

  /// Creates an empty list.
  package init() {}

  /// Returns the wait of a source in seconds, if the account has to wait for `seconds`.
  func wait(of source: UInt32, _ seconds: Int64) -> Int64 {
    guard !sources.isEmpty else { return seconds }
    let own = Int64(sources.count { $0 == source })
    return seconds &+ seconds &* own / Int64(sources.count)
  }

  /// Adds a turn.
  mutating func add(_ source: UInt32) {
    sources = sources.count < Self.maximumCount ? sources : Array(sources.dropFirst())
    sources.append(source)
  }

  // MARK: Binary form

  func encode(to writer: inout ByteWriter) {
    writer.write(UInt8(truncatingIfNeeded: sources.count))
    for source in sources { writer.write(source) }
  }

  /// Parses the binary form. Returns nil if it is invalid.
  init?(_ reader: inout ByteReader) {
    guard let count = reader.read(UInt8.self), count <= Self.maximumCount else { return nil }
    for _ in 0..<count {
      guard let source = reader.read(UInt32.self) else { return nil }
      sources.append(source)
    }
  }
}
