import FactorStore

/// An audit log that is damaged or gone. Sign-ins of enrolled users are denied then, because an earlier
/// copy of a user's files cannot be told from the present one.
enum DamagedAuditLog: Examination {
  static func findings(on chart: Chart) -> [Finding] {
    let path = "/var/lib/mfa/ledger"
    do throws(FactorStoreError) {
      guard let trouble = try chart.host.auditLogTrouble() else { return [] }
      return [
        Finding(
          severity: .error, code: "audit-log-damaged", place: path,
          message: "\(trouble.sentence); users can be locked out, and nothing can be entered",
          hint: trouble.hint)
      ]
    } catch {
      // Another examination reports a store that is not there.
      if case .system(.directory, let cause) = error, cause.isNotFound { return [] }
      let trouble = Trouble(error)
      guard error.concernsAuditLog else {
        return [.unchecked("the audit log", at: path, trouble.sentence)]
      }
      return [
        Finding(
          severity: .error, code: "audit-log-damaged", place: path,
          message: "\(trouble.sentence); users can be locked out, and nothing can be entered",
          hint: trouble.hint(for: nil))
      ]
    }
  }
}
