import System

/// What the kernel's audit trail is told.
final class AuditTrail {
  /// The records, as `management mfa:enrolled true`.
  private(set) var records: [String] = []

  func write(_ kind: Audit.Kind, _ operation: [UInt8], _ succeeded: Bool) {
    records.append("\(kind) \(String(decoding: operation, as: UTF8.self)) \(succeeded)")
  }
}
