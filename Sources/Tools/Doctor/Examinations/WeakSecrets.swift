import MFAAdmin
import MFABase

/// Finds imported factors with a secret of fewer than 128 bits (RFC 4226, section 4, R6).
enum WeakSecrets: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    // `UnusableRecords` reports that the records cannot be read.
    guard case .success(let reports) = snapshot.stored else { return [] }
    let filter = UserFilter(weak: true)
    let weak = reports.filter { $0.isUsable && filter.includes($0, now: 0) }
    guard !weak.isEmpty else { return [] }
    return [
      Finding(
        severity: .warning, code: "weak-secrets", place: StoreFile.factors.path,
        message:
          "imported factors of \(NameList.text(weak.map(\.visibleName), most: 10)) have secrets of "
          + "fewer than 128 bits, which are easier to guess (RFC 4226, section 4)",
        hint:
          "ask these users to enrol a new factor (mfa-enroll) and remove the old factor "
          + "(mfa-enroll unenroll); mfa-admin list --weak lists all of them")
    ]
  }
}
