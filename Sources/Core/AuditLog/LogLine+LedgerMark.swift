public import MFASystem

extension LogLine {
  /// Appends the number and the hash of an entry in the audit log: `ledger=17:9f2c...`. Nil appends nothing.
  @inline(never)
  public mutating func add(_ mark: AuditLogCheckpoint?) {
    if let mark { add("ledger", escaping: mark.text) }
  }
}
