import MFABase

/// Finds a helper that may not write to the kernel's audit trail on a host where auditd is
/// installed.
enum UnrecordedChanges: Examination {
  /// The possible paths of the audit daemon.
  private static let daemons = ["/usr/sbin/auditd", "/sbin/auditd"]

  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    let helper = "\(InstalledPath.helper)"
    do throws(SystemError) {
      // `Ownership` reports a missing helper.
      guard try isAudited(snapshot), try snapshot.host.status(of: helper) != nil,
        try !snapshot.host.mayWriteAudit(helper)
      else { return [] }
    } catch {
      return [.unchecked("the helper's capabilities", at: helper, error.text)]
    }
    return [
      Finding(
        severity: .note, code: "helper-not-audited", place: helper,
        message:
          "lacks a capability: changes made with mfa-enroll are recorded in mfa's audit log and "
          + "the system log, but not in the kernel's audit trail",
        hint: "run setcap cap_audit_write=p \(helper) (Debian: libcap2-bin)")
    ]
  }

  private static func isAudited(_ snapshot: HostSnapshot) throws(SystemError) -> Bool {
    for daemon in daemons where try snapshot.host.status(of: daemon) != nil { return true }
    return false
  }
}
