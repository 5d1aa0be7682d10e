import MFAStore

/// A statement with its parameters.
struct SQLStatement: Sendable {
  /// How the server gets the statement.
  enum Form: Sendable {
    /// As text.
    case text(String)
    /// As text, to be executed later under a name.
    case preparation(name: String, text: String)
    /// By the name of a prepared statement.
    case prepared(name: String)
  }

  let form: Form
  let values: [SQLValue]

  /// Creates a statement that is parsed and executed once.
  init(_ text: String, _ values: [SQLValue] = []) {
    form = .text(text)
    self.values = values
  }

  /// Creates a statement in any form.
  init(_ form: Form, _ values: [SQLValue] = []) {
    self.form = form
    self.values = values
  }
}

/// An error that the server reported (SQLSTATE; appendix A of PostgreSQL's manual).
struct SQLRefusal: Equatable, Sendable {
  /// The five characters of the error's code.
  let state: String
  /// The primary message, which has no values of rows.
  let message: String

  /// The code with which `mfa.commit_change` reports a host budget that another commit has used up
  /// since the function checked it.
  static let budgetUsedUp = "MFA02"

  /// The error for the caller of the engine. The server rolls back a statement that it refuses.
  var error: EngineError {
    switch state {
    case Self.budgetUsedUp: .budgetUsedUp
    // unique_violation: another commit inserted the same row or nonce.
    case "23505": .conflict
    // serialization_failure, deadlock_detected
    case "40001", "40P01": .conflict
    // query_canceled (statement_timeout), lock_not_available (lock_timeout)
    case "57014", "55P03": .deadline
    // read_only_sql_transaction
    case "25006": .notPrimary
    // idle_in_transaction_session_timeout, admin_shutdown, crash_shutdown, cannot_connect_now
    case "25P03", "57P01", "57P02", "57P03": .unreachable
    // connection exceptions
    case let state where state.hasPrefix("08"): .unreachable
    default: .refused
    }
  }

  /// Whether another transaction has had a lock for too long: lock_not_available.
  var isLockTimeout: Bool { state == "55P03" }

  /// Whether the database has no schema, another version of it, or gives this role no access to it:
  /// invalid_schema_name, undefined_function, undefined_table, insufficient_privilege.
  var isOfSchema: Bool { ["3F000", "42883", "42P01", "42501"].contains(state) }
}

/// What the server answered to statements that were sent together.
struct SQLReply: Sendable {
  /// The rows and the command tag (such as `COMMIT`) of each statement that succeeded.
  var results: [(rows: [SQLRow], tag: String)] = []
  /// The server's first error. The statements after it were not executed.
  var refusal: SQLRefusal?
  /// The notices and warnings that arrived meanwhile.
  var notices: [String] = []

  /// Returns the only row of a statement.
  func row(ofStatement index: Int = 0) throws(EngineError) -> SQLRow {
    guard results.indices.contains(index), results[index].rows.count == 1 else { throw .refused }
    return results[index].rows[0]
  }
}

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
