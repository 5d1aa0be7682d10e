/// Why the database of a shared store cannot answer. Every case denies a sign-in.
package enum EngineError: UInt8, Error, Equatable, Sendable, CaseIterable {
  /// The row or the realm has changed since it was loaded. Nothing was committed.
  case conflict
  /// The host has used up its failures. Nothing was committed.
  case budgetUsedUp
  /// The caller gave up before the commit. Nothing was committed.
  case abandoned
  /// There is no connection to the database, or the connection was lost.
  case unreachable
  /// No answer arrived in time.
  case deadline
  /// The database is a standby, or has no realm.
  case notPrimary
  /// The database sent a warning or a notice, so that the commit is not certain.
  case notice
  /// The database refused the request, or answered something unexpected.
  case refused
  /// The clock of this machine is too far ahead of the database's. Nothing was committed.
  case clock

  /// The reason in one word, for log lines.
  package var name: StaticString {
    switch self {
    case .conflict: "conflict"
    case .budgetUsedUp: "host-budget"
    case .abandoned: "abandoned"
    case .unreachable: "unreachable"
    case .deadline: "deadline"
    case .notPrimary: "not-primary"
    case .notice: "notice"
    case .refused: "refused"
    case .clock: "clock"
    }
  }
}
