import MultiFactor

/// The steps common to all commands that change one factor: choosing the factor, verifying that the
/// user owns the account, and making the change.
struct FactorChange: Sendable {
  /// The interface to the user who requested the change.
  let interface: UserInterface
  /// The conversation with the helper.
  let multiFactor: MultiFactor
  /// The chosen factor.
  let factor: MultiFactorInfo
  /// Whether it is the user's only factor.
  let isOnly: Bool

  /// Chooses the factor that `text` names or, if `text` is nil, the only factor.
  static func choose(
    _ text: String?, for command: some EnrollCommand
  ) async throws(Failure) -> FactorChange {
    let interface = try UserInterface(for: command)
    let multiFactor = MultiFactor(language: interface.language, tell: interface.tell(host:))
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
      interface: interface, multiFactor: multiFactor, factor: factor, isOnly: known.count == 1)
  }

  /// Verifies that the user owns the account, and makes the change.
  func make(
    _ change: (MultiFactorSession) async throws(MultiFactorError) -> Void
  ) async throws(Failure) {
    do throws(MultiFactorError) {
      try await change(try await Reauthentication(of: interface).session(with: multiFactor))
      await multiFactor.close()
    } catch {
      throw Failure(error)
    }
  }
}
