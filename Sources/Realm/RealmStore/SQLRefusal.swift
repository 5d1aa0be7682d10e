import MFAStore

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
