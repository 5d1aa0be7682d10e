import MFAEnrollMessages
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
    interface.endLine()
    interface.tell(.recoveryCodesOpening)
    interface.endLine()
    codes.forEach { interface.show("  ", $0, "\n") }
    interface.endLine()
    interface.tell(.recoveryCodesShownOnce)
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
      interface.tell(.recoveryCodesNotMade)
      interface.tell(Failure(error))
      interface.tell(.hintLabel, .makeRecoveryCodes)
    }
  }

  /// Warns the user if few codes are left. Says nothing if the helper does not report the number: the
  /// command itself has succeeded.
  static func warn(of multiFactor: MultiFactor, on interface: UserInterface) async {
    do throws(MultiFactorError) {
      warn(left: try await multiFactor.recoveryCodesLeft, on: interface)
    } catch {
      return
    }
  }

  /// Warns the user if `left` is at most `few`.
  static func warn(left: Int, on interface: UserInterface) {
    guard left <= few else { return }
    interface.tell(.recoveryCodesLeft(left))
    interface.tell(.hintLabel, .makeRecoveryCodes)
  }
}
