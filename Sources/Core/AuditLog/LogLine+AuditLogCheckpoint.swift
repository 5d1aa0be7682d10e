public import MFASystem

extension LogLine {
  /// Appends the checkpoint of an audit log entry: `ledger=17:9f2c0a1b`. Appends nothing for nil.
  @inline(never)
  public mutating func add(_ mark: AuditLogCheckpoint?) {
    if let mark { add("ledger", escaping: mark.text) }
  }
}
