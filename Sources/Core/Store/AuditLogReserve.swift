import MFABase

/// Space that is allocated after the end of the audit log, so that entries can be written on a full file
/// system. No other file can take it.
///
/// The last part is for changes that withdraw or restore access: what users can do by themselves must not
/// use up the space that an administrator needs.
enum AuditLogReserve {
  /// The number of bytes to allocate: about 160 entries.
  static var length: Int64 { 64 << 10 }
  /// The number of bytes below which more are allocated.
  static var refill: Int64 { 48 << 10 }
  /// The number of bytes that only some events may use.
  static var last: Int64 { 32 << 10 }

  /// Returns whether an entry may be written on a full file system with this many bytes allocated after
  /// the end of the log.
  static func permits(_ kind: AuditLogEvent.Kind, left: Int64) -> Bool {
    kind.usesReserve || left >= last
  }

  /// Allocates space after `end`, if there is little left.
  ///
  /// - Throws: an error without space for the event.
  static func secure(
    after end: Int64, in text: borrowing File, for kind: AuditLogEvent.Kind
  ) throws(FactorStoreError) {
    let left = try onPart(.ledger) { () throws(SystemError) in try text.status() }.allocated &- end
    guard left < refill else { return }
    do throws(SystemError) {
      try text.allocate(length, at: end)
    } catch {
      // A file system that does not support the call has no reserve.
      guard error.hasNoSpace, !permits(kind, left: left) else { return }
      throw .system(.ledger, error)
    }
  }
}
