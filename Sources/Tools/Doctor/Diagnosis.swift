import MFAAdmin

/// The findings on a host, divided into those to act on and those that an administrator accepted.
package struct Diagnosis {
  /// The findings to act on, most severe first.
  package private(set) var findings: [Finding] = []
  /// The accepted findings, most severe first.
  package private(set) var accepted: [(finding: Finding, acceptance: Acceptance)] = []

  /// Examines a host. If the list of accepted findings cannot be read, nothing is accepted, and that
  /// is a finding too.
  package init(_ snapshot: HostSnapshot, at time: Int64) {
    let list: AcceptedFindings
    switch snapshot.host.acceptedFindings() {
    case .success(let known): list = known
    case .failure(let failure):
      list = AcceptedFindings()
      findings.append(
        .unchecked(
          "which findings are accepted", at: VisibleText.escaping(failure.path), failure.reason))
    }
    for finding in Doctor.findings(on: snapshot) {
      if let acceptance = Self.acceptance(of: finding, in: list, snapshot, at: time) {
        accepted.append((finding, acceptance))
      } else {
        findings.append(finding)
      }
    }
    findings = Finding.Severity.allCases.flatMap { severity in
      findings.filter { $0.severity == severity }
    }
  }

  private static func acceptance(
    of finding: Finding, in list: AcceptedFindings, _ snapshot: HostSnapshot, at time: Int64
  ) -> Acceptance? {
    guard !list.all.isEmpty, let subject = Acceptance.Subject(finding, on: snapshot.host),
      let acceptance = list.acceptance(of: subject), acceptance.holds(at: time)
    else { return nil }
    return acceptance
  }

  /// The number of errors to act on.
  package var errors: Int { findings.count { $0.severity == .error } }
  /// The number of warnings to act on.
  package var warnings: Int { findings.count { $0.severity == .warning } }
}
