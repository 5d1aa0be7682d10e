import System

/// A host whose audit trail is kept, and a helper that may not write to it.
enum UnrecordedChanges: Examination {
  /// Where the daemon is that keeps the trail.
  private static let daemons = ["/usr/sbin/auditd", "/sbin/auditd"]

  static func findings(on chart: Chart) -> [Finding] {
    let helper = "/usr/lib/mfa/mfa-helper"
    do throws(SystemError) {
      // That the helper is not there is told elsewhere.
      guard try isAudited(chart), try chart.host.status(of: helper) != nil,
        try !chart.host.mayWriteAudit(helper)
      else { return [] }
    } catch {
      return [.unchecked("what the helper may do", at: helper, error.text)]
    }
    return [
      Finding(
        severity: .note, code: "helper-not-audited", place: helper,
        message:
          "lacks a capability: what people change with mfa-enroll is in the ledger and the system log, "
          + "and not in the kernel's audit trail",
        hint: "setcap cap_audit_write=p \(helper) (Debian: libcap2-bin)")
    ]
  }

  private static func isAudited(_ chart: Chart) throws(SystemError) -> Bool {
    for daemon in daemons where try chart.host.status(of: daemon) != nil { return true }
    return false
  }
}
