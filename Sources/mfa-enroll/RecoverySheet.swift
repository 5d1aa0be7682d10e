import MultiFactor
import Secrets

/// Recovery codes, as people get to see them.
enum RecoverySheet {
  /// As many codes, or fewer, are worth a word.
  static let few = 3

  /// Makes codes and shows them, this once.
  static func make(
    with session: MultiFactorSession, of multiFactor: MultiFactor, to person: Person
  ) async throws(MultiFactorError) {
    let codes = try await multiFactor.generateRecoveryCodes(with: session)
    person.tell("\nRecovery codes: each signs you in once, when the app is not at hand.\n")
    codes.forEach { person.show("  ", $0, "\n") }
    person.tell("\nThey are not shown again. Keep them where the phone is not.")
  }

  /// Makes codes for a person whose first factor has just been enrolled. The factor is enrolled
  /// whatever becomes of them.
  static func makeFirst(
    with session: MultiFactorSession, of multiFactor: MultiFactor, to person: Person
  ) async {
    do throws(MultiFactorError) {
      guard try await multiFactor.enrolledFactors.count == 1,
        try await multiFactor.recoveryCodesLeft == 0
      else { return }
      try await make(with: session, of: multiFactor, to: person)
    } catch {
      person.tell(
        "there are no recovery codes: \(error)\nhint: make some with mfa-enroll recovery-codes --new"
      )
    }
  }

  /// What is to be said when few are left. A host that does not tell how many there are has had its
  /// say about what was asked for: nothing is added to that.
  static func warning(of multiFactor: MultiFactor) async -> String? {
    do throws(MultiFactorError) {
      return warning(left: try await multiFactor.recoveryCodesLeft)
    } catch {
      return nil
    }
  }

  /// Likewise, with the number.
  static func warning(left: Int) -> String? {
    guard left <= few else { return nil }
    return "\(text(left: left))\nhint: make new ones with mfa-enroll recovery-codes --new"
  }

  /// How many are left.
  static func text(left: Int) -> String {
    switch left {
    case 0: "no recovery code is left"
    case 1: "1 recovery code is left"
    default: "\(left) recovery codes are left"
    }
  }
}
