import MFABase

extension MultiFactor {
  /// Verifies a code, as the other function does. See `SecretBytes.init(_:)` for what a string leaves
  /// in memory.
  @discardableResult
  public func test(oneTimePassword: String) throws(MultiFactorError) -> TestedCode {
    try test(oneTimePassword: SecretBytes(oneTimePassword))
  }

  /// Sends the helper a code of a factor whose clock is off, as the other function does. See
  /// `SecretBytes.init(_:)` for what a string leaves in memory.
  public func resync(
    _ factor: MultiFactorInfo, code: String, with session: MultiFactorSession
  ) throws(MultiFactorError) {
    try resync(factor, code: SecretBytes(code), with: session)
  }

  /// Sends the helper the second code, as the other function does. See `SecretBytes.init(_:)` for
  /// what a string leaves in memory.
  public func completeResync(
    code: String, with session: MultiFactorSession
  ) throws(MultiFactorError) {
    try completeResync(code: SecretBytes(code), with: session)
  }
}
