import MFAAdmin
import MFABase
import MFAPAMStack

/// The PAM service with which the helper verifies the password of a user who changes factors.
///
/// It needs no pam_mfa.so line because the helper asks for the code itself.
enum EnrollmentService {
  /// The name of the service.
  static let name = Array("mfa-enroll".utf8)

  /// Why the service's stack may accept a user without a correct password: the file, with the line if it is
  /// known, escaped for display, and the reason.
  typealias Gap = (place: String, reason: String)

  /// Returns why the service's stack may accept a user without a correct password, or nil.
  static func gap(in source: some StackSource) -> Gap? {
    do throws(StackRefusal) {
      return gap(try ServiceStack(.auth, of: name, from: source))
    } catch {
      return (VisibleText.escaping(error.place), error.sentence)
    }
  }

  private static func gap(_ stack: ServiceStack) -> Gap? {
    guard stack.entries.contains(where: \.asksForPassword) else {
      return ("\(InstalledPath.helperService)", "the stack does not ask for a password")
    }
    let effect = StackEffect(ofAuthStack: stack, of: name, for: Claimant([.code, .other]))
    guard effect.canSucceed else { return nil }
    let line = decisiveLine(effect) ?? 0
    return (
      VisibleText.escaping(stack.entries[line].position.text),
      "through this line, the stack of mfa-enroll can succeed without the password"
    )
  }

  /// Returns the first line that denies every user, because its module needs root's rights to read the
  /// keys of users and the helper has the rights of the system user mfa. Nil if there is none, or if the
  /// stack cannot be read.
  static func blockingLine(in source: some StackSource) -> StackEntry? {
    do throws(StackRefusal) {
      return try ServiceStack(.auth, of: name, from: source).entries.first { entry in
        guard case .module(_, _, let control) = entry.kind,
          entry.asks(module: "pam_oath.so") || entry.asks(module: "pam_google_authenticator.so")
            || entry.asks(module: "pam_duo.so")
        else { return false }
        return control.onFailure == .bad || control.onFailure == .die
      }
    } catch {
      return nil
    }
  }

  /// Returns the index of the line on the way to success that matters most: one that discards a
  /// result, skips lines or ends the stack, or else the first one that counts.
  private static func decisiveLine(_ effect: StackEffect) -> Int? {
    let actions = effect.way.flatMap { step -> [(index: Int, action: StackControl.Action)] in
      guard case .module(_, _, let control) = effect.entries[step.index].kind else { return [] }
      return step.codes.map { (step.index, control.action(for: $0)) }
    }
    let found =
      actions.first { $0.action == .reset }
      ?? actions.first { $0.action.skipsLines && $0.action != .done }
      ?? actions.first { $0.action == .done } ?? actions.first { $0.action == .ok }
    return found?.index
  }
}
