import MFAAdmin
import MFABase

/// Finds records that cannot be used, so that their users cannot sign in, and notes the records of
/// deleted accounts.
enum UnusableRecords: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    let reports: [UserReport]
    switch snapshot.stored {
    case .success(let found): reports = found
    // Other examinations report a store that is not the host's own, and a key that is not trusted.
    case .failure(.store(.foreign)), .failure(.store(.untrusted(.key, _))): return []
    case .failure(let error):
      return [.unchecked("the users' records", at: "\(InstalledPath.store)", error.message)]
    }
    let renamed = RenamedUsers.earlierNames(on: snapshot)
    let orphaned = reports.filter { $0.isOrphaned && !renamed.contains($0.name) }
    let unusable = reports.filter { !$0.isUsable && !$0.isOrphaned }
    let housekeeping = orphaned.isEmpty ? [] : [finding(orphaned)]
    guard let first = unusable.first, case .unusable(let problem) = first.content else {
      return housekeeping
    }
    return housekeeping + [
      Finding(
        severity: .error, code: "unusable-records", place: "\(InstalledPath.store)",
        message:
          "the records of \(NameList.text(unusable.map(\.visibleName))) cannot be used, so these "
          + "users cannot sign in where a code is required: \(problem.sentence)",
        hint: "run mfa-admin list --unusable; mfa-admin show USER shows the remedy for each user")
    ]
  }

  private static func finding(_ orphaned: [UserReport]) -> Finding {
    Finding(
      severity: .note, code: "records-without-account", place: "\(InstalledPath.store)",
      message: "still has records of accounts that no longer exist: "
        + NameList.text(orphaned.map(\.visibleName)),
      hint: "remove them: mfa-admin prune")
  }
}
