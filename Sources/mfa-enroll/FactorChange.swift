import MultiFactor

/// What the commands that change one factor have in common: the choice, the question whether it is
/// meant, the proof of the account, the change.
struct FactorChange: Sendable {
  /// Whoever asked for it.
  let person: Person
  /// The conversation with the helper.
  let multiFactor: MultiFactor
  /// The factor that was chosen.
  let factor: MultiFactorInfo
  /// Whether it is the only one.
  let isOnly: Bool

  /// Chooses the factor that `text` names; without one, the only one.
  static func choose(_ text: String?) async throws(Failure) -> FactorChange {
    let person = Person()
    let multiFactor = MultiFactor(tell: person.tell)
    let known: [MultiFactorInfo]
    do throws(MultiFactorError) {
      known = try await multiFactor.enrolledFactors
    } catch {
      throw Failure(error)
    }
    let factor =
      if let text {
        try FactorChoice.factor(text, among: known)
      } else {
        try FactorChoice.onlyFactor(among: known)
      }
    return FactorChange(
      person: person, multiFactor: multiFactor, factor: factor, isOnly: known.count == 1)
  }

  /// Has the account proven, and makes the change.
  func make(
    _ change: (MultiFactorSession) async throws(MultiFactorError) -> Void
  ) async throws(Failure) {
    do throws(MultiFactorError) {
      try await change(try await Recognition(of: person).session(with: multiFactor))
      await multiFactor.close()
    } catch {
      throw Failure(error)
    }
  }
}
