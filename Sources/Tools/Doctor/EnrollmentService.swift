import MFAAdminOutput
import MFABytes
import MFAPAMStack

/// The PAM service with which the helper verifies the password of a user who changes factors.
///
/// It needs no pam_mfa.so line because the helper asks for the code itself.
enum EnrollmentService {
  /// The name of the service.
  static let name = Array("mfa-enroll".utf8)

  /// Returns the reasons why the service's stack may accept a user without a correct password.
  static func gaps(in source: some StackSource) -> [String] {
    do throws(StackRefusal) {
      return gap(try ServiceStack(.auth, of: name, from: source)).map { [$0] } ?? []
    } catch {
      let place = VisibleText.escaping(error.place)
      return ["\(place): \(StackFinding.reason(error))"]
    }
  }

  private static func gap(_ stack: ServiceStack) -> String? {
    let entries = stack.entries
    guard let password = entries.firstIndex(where: { $0.asksForPassword }) else {
      return "\(InstalledPath.helperService): the stack does not ask for a password"
    }
    for (index, entry) in entries[..<password].enumerated()
    where stack.maySkip(password, at: index) && !PAMModule.isHarmless(entry, at: name) {
      return text(
        entry,
        "this line can end the stack of mfa-enroll before the password, or jump "
          + "over it")
    }
    if let entry = entries.first(where: { $0.mayReset }) {
      return text(entry, "this line can reset the result of a wrong password in mfa-enroll")
    }
    let isDenied = entries.indices.contains { index in
      index >= password && PAMModule.failsOnWrongPassword(entries[index])
        && deniesEveryFailure(entries[index])
        && stack.isReached(index, from: password, whereFailing: PAMModule.failsOnWrongPassword)
    }
    guard isDenied else {
      return text(entries[password], "the stack of mfa-enroll may succeed after a wrong password")
    }
    return nil
  }

  private static func deniesEveryFailure(_ entry: StackEntry) -> Bool {
    guard case .module(_, _, let control) = entry.kind else { return false }
    return control.deniesEveryFailure
  }

  private static func text(_ entry: StackEntry, _ message: String) -> String {
    "\(VisibleText.escaping(entry.position.text)): \(message)"
  }
}
