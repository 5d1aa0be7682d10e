import MFABase

extension LogLine {
  /// Appends the checkpoint of an audit log entry: `checkpoint=17:9f2c0a1b`. Appends nothing if
  /// the checkpoint is nil.
  @inline(never)
  package mutating func add(_ checkpoint: AuditLogCheckpoint?) {
    if let checkpoint { add("checkpoint", escaping: checkpoint.text) }
  }
}
