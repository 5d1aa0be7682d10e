/// A parameter of a statement. All parameters and results have PostgreSQL's binary format.
enum SQLValue: Equatable, Sendable {
  /// NULL.
  case null
  /// A `bigint`.
  case number(Int64)
  /// A `bytea` or a `text`.
  case bytes([UInt8])

  /// Returns a number whose bits are those of an unsigned one. The functions of the schema only
  /// compare and add, so the sign has no meaning.
  static func bits(_ number: UInt64) -> SQLValue { .number(Int64(bitPattern: number)) }

  /// Returns a text.
  static func text(_ text: String) -> SQLValue { .bytes(Array(text.utf8)) }

  /// Returns the bytes, or NULL for nil.
  static func optional(_ bytes: [UInt8]?) -> SQLValue { bytes.map { .bytes($0) } ?? .null }

  /// The binary format, or nil for NULL.
  var binary: [UInt8]? {
    switch self {
    case .null: nil
    case .bytes(let bytes): bytes
    case .number(let number): (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }
  }
}
