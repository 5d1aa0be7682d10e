import FactorStore

/// An audit log that is damaged or gone. Sign-ins of enrolled users are denied then, because an earlier
/// copy of a user's files cannot be told from the present one.
enum DamagedAuditLog: Examination {
  private static let path = "/var/lib/mfa/ledger"

  static func findings(on chart: Chart) -> [Finding] {
    do throws(FactorStoreError) {
      guard let trouble = try chart.host.auditLogTrouble() else { return [] }
      return [damaged(trouble.sentence, hint: trouble.hint)]
    } catch {
      guard !isReportedElsewhere(error) else { return [] }
      let trouble = Trouble(error)
      guard error.concernsAuditLog else {
        return [.unchecked("the audit log", at: path, trouble.sentence)]
      }
      return [damaged(trouble.sentence, hint: trouble.hint(for: nil))]
    }
  }

  private static func damaged(_ sentence: String, hint: String) -> Finding {
    Finding(
      severity: .error, code: "audit-log-damaged", place: path,
      message: "\(sentence); users can be locked out, and nothing can be entered", hint: hint)
  }

  /// Whether another examination reports it: a store that is not there or that is mounted read-only, a
  /// key that cannot be used, and files of another owner or mode.
  private static func isReportedElsewhere(_ error: FactorStoreError) -> Bool {
    switch error {
    case .system(.directory, let cause) where cause.isNotFound: true
    case .system(_, let cause) where cause.name == "EROFS": true
    case .system(.key, _), .untrusted(.key, _): true
    case .untrusted(_, .wrongOwner), .untrusted(_, .wrongPermissions): true
    case .untrusted(_, .severalNames): true
    case .system, .untrusted, .damaged, .otherVersion, .otherKey, .belongsToAnother, .rolledBack,
      .busy, .cryptography, .nameTooLong:
      false
    }
  }
}
