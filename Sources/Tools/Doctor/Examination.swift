/// One check of `mfa-admin doctor`.
///
/// MUST 1: a check that cannot be made results in a finding and is never skipped silently.
/// (`Finding.unchecked`, and `ExaminationTests.unreadable`)
package protocol Examination {
  /// Returns the findings, or an empty array if there is no problem.
  static func findings(on snapshot: HostSnapshot) -> [Finding]
}
