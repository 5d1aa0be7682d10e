import MFAAdminOutput
import MFAPAMStack

/// Classifies stack entries by the PAM modules that `mfa-admin doctor` knows by name.
enum PAMModule {
  /// The modules that check a condition set by an administrator and do not authenticate the user.
  private static let conditions: [StaticString] = [
    "pam_succeed_if.so", "pam_access.so", "pam_listfile.so", "pam_localuser.so", "pam_time.so",
    "pam_wheel.so", "pam_exec.so", "pam_permit.so", "pam_group.so", "pam_rhosts.so",
    "pam_securetty.so", "pam_shells.so", "pam_usertype.so",
  ]

  /// Returns whether an entry checks a condition and does not authenticate the user.
  static func isCondition(_ entry: StackEntry) -> Bool {
    conditions.contains { entry.asks(module: $0) }
  }

  /// Returns whether an entry fails after a wrong password.
  static func failsOnWrongPassword(_ entry: StackEntry) -> Bool {
    if entry.asksForPassword || entry.asks(module: "pam_deny.so") { return true }
    guard case .module(_, let arguments, _) = entry.kind else { return false }
    return entry.asks(module: "pam_faillock.so") && arguments.contains(Array("authfail".utf8))
  }

  /// Returns whether an entry never succeeds at a service, or succeeds for root only.
  static func isHarmless(_ entry: StackEntry, at service: [UInt8]) -> Bool {
    guard case .module(_, let arguments, let control) = entry.kind else { return true }
    if entry.asks(module: "pam_deny.so") { return true }
    // A failure of the entry must not skip other lines.
    guard !leavesOut(control.onFailure) else { return false }
    if entry.asks(module: "pam_rootok.so") { return true }
    // A `service = NAME` condition that names a different service.
    guard entry.asks(module: "pam_succeed_if.so") else { return false }
    let words = arguments.map { String(decoding: $0, as: UTF8.self) }
      .filter { !["quiet", "quiet_success", "quiet_fail", "use_uid", "debug"].contains($0) }
    guard words.count == 3, words[0] == "service", words[1] == "=" else { return false }
    return Array(words[2].utf8) != service
  }

  /// Returns whether a sign-in that fails at the entry `start` reaches a pam_deny.so line after
  /// `index`.
  static func isDenied(from start: Int, behind index: Int, in stack: ServiceStack) -> Bool {
    let failing = stack.entries[start].position
    return stack.entries.indices.contains { other in
      guard other > index, case .module(_, _, let control) = stack.entries[other].kind else {
        return false
      }
      return stack.entries[other].asks(module: "pam_deny.so") && control.deniesEveryFailure
        && stack.isReached(other, from: start) { $0.position == failing }
    }
  }

  private static func leavesOut(_ action: StackControl.Action) -> Bool {
    switch action {
    case .ends, .jumps: true
    case .denies, .deniesAtOnce, .goesOn, .forgets: false
    }
  }

  /// Returns the file name of the entry's module, without the folder.
  static func name(_ entry: StackEntry) -> String {
    guard case .module(let name, _, _) = entry.kind else { return "this line" }
    return VisibleText.escaping(Array(name.split(separator: UInt8(ascii: "/")).last ?? []))
  }
}
