import MFASecrets
import MultiFactor

/// The display of recovery codes to the user.
enum RecoveryCodeDisplay {
  /// The user is warned when this many codes, or fewer, are left.
  static let few = 3

  /// Creates codes and shows them. They cannot be shown again.
  static func make(
    with session: MultiFactorSession, of multiFactor: MultiFactor, to interface: UserInterface
  ) async throws(MultiFactorError) {
    let codes = try await multiFactor.generateRecoveryCodes(with: session)
    interface.tell("\nRecovery codes: each signs you in once, when the app is not at hand.\n")
    codes.forEach { interface.show("  ", $0, "\n") }
    interface.tell("\nThey are not shown again. Keep them where the phone is not.")
  }

  /// Creates codes after the user's first enrolment. A failure does not undo the enrolment.
  static func makeFirst(
    with session: MultiFactorSession, of multiFactor: MultiFactor, to interface: UserInterface
  ) async {
    do throws(MultiFactorError) {
      guard try await multiFactor.enrolledFactors.count == 1,
        try await multiFactor.recoveryCodesLeft == 0
      else { return }
      try await make(with: session, of: multiFactor, to: interface)
    } catch {
      interface.tell(
        "there are no recovery codes: \(error)\nhint: make some with mfa-enroll recovery-codes --new"
      )
    }
  }

  /// Returns a warning if few codes are left. Returns nil if the helper does not report the number:
  /// the command itself has succeeded, so this failure is not reported.
  static func warning(of multiFactor: MultiFactor) async -> String? {
    do throws(MultiFactorError) {
      return warning(left: try await multiFactor.recoveryCodesLeft)
    } catch {
      return nil
    }
  }

  /// Returns a warning if `left` is at most `few`, or nil otherwise.
  static func warning(left: Int) -> String? {
    guard left <= few else { return nil }
    return "\(text(left: left))\nhint: make new ones with mfa-enroll recovery-codes --new"
  }

  /// Returns how many codes are left, as text.
  static func text(left: Int) -> String {
    switch left {
    case 0: "no recovery code is left"
    case 1: "1 recovery code is left"
    default: "\(left) recovery codes are left"
    }
  }
}
