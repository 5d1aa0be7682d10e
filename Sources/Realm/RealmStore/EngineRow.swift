/// A row.
package struct EngineRow: Equatable, Sendable {
  /// How often the row was committed; 0 if there is no row.
  package var version: UInt64
  /// The first part: a user's sealed record. Empty if there is none.
  package var record: [UInt8]
  /// The second part: a user's sealed attempt state. Empty if there is none.
  package var attempts: [UInt8]

  /// Creates a row.
  package init(version: UInt64, record: [UInt8], attempts: [UInt8]) {
    self.version = version
    self.record = record
    self.attempts = attempts
  }

  /// The row that does not exist.
  package static var none: EngineRow { EngineRow(version: 0, record: [], attempts: []) }

  /// The maximum length of each part in bytes.
  package static let longestPart = 65_536
}
