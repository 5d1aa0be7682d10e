import MFABase

/// The kernel audit records of a test.
final class AuditTrail {
  /// The records, for example `management mfa:enrolled true`.
  private(set) var records: [String] = []

  func write(_ kind: Audit.Kind, _ operation: [UInt8], _ succeeded: Bool) {
    records.append("\(kind) \(String(decoding: operation, as: UTF8.self)) \(succeeded)")
  }
}
