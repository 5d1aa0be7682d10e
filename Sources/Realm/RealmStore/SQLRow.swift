import MFAStore

/// A row of a result, whose fields are read in their order.
struct SQLRow: Equatable, Sendable {
  private let fields: [[UInt8]?]
  private var next = 0

  init(_ fields: [[UInt8]?]) { self.fields = fields }

  /// Returns the next field, or nil if it is NULL.
  mutating func optionalBytes() throws(EngineError) -> [UInt8]? {
    guard next < fields.count else { throw .refused }
    defer { next += 1 }
    return fields[next]
  }

  /// Returns the next field, which must not be NULL.
  mutating func bytes() throws(EngineError) -> [UInt8] {
    guard let bytes = try optionalBytes() else { throw .refused }
    return bytes
  }

  /// Returns the next field, which must be a `bigint`.
  mutating func number() throws(EngineError) -> Int64 {
    let bytes = try bytes()
    guard bytes.count == 8 else { throw .refused }
    return bytes.reduce(0) { $0 << 8 | Int64($1) }
  }

  /// Returns the next field, which must be a `bigint` or NULL.
  mutating func optionalNumber() throws(EngineError) -> Int64? {
    guard let bytes = try optionalBytes() else { return nil }
    guard bytes.count == 8 else { throw .refused }
    return bytes.reduce(0) { $0 << 8 | Int64($1) }
  }

  /// Returns the next field, which must be a `bigint` within the range of the type.
  mutating func number<Number: FixedWidthInteger>(
    as _: Number.Type
  ) throws(EngineError) -> Number {
    guard let number = Number(exactly: try number()) else { throw .refused }
    return number
  }

  /// Returns the bits of the next field as an unsigned number; see `SQLValue.bits`.
  mutating func bits() throws(EngineError) -> UInt64 { UInt64(bitPattern: try number()) }

  /// Returns the next field as text.
  mutating func text() throws(EngineError) -> String {
    String(decoding: try bytes(), as: UTF8.self)
  }
}
