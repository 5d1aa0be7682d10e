import MFAAdminCore
import MFAAdminOutput
import MFABytes

/// Finds records that cannot be used, so that their users cannot sign in.
enum UnusableRecords: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    let reports: [UserReport]
    switch snapshot.stored {
    case .success(let found): reports = found
    case .failure(let error):
      return [.unchecked("the users' records", at: "\(InstalledPath.store)", error.message)]
    }
    let unusable = reports.filter { !$0.isUsable }
    guard let first = unusable.first, case .unusable(let problem) = first.content else { return [] }
    return [
      Finding(
        severity: .error, code: "unusable-records", place: "\(InstalledPath.store)",
        message:
          "the records of \(NameList.text(unusable.map(\.visibleName))) cannot be used, so these "
          + "users cannot sign in where a code is required: \(problem.sentence)",
        hint: "run mfa-admin list --unusable; mfa-admin show USER shows the remedy for each user")
    ]
  }
}
