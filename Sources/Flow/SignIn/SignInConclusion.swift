/// What a line of a service file decided: the verdict, and the reason for it.
public struct SignInConclusion: Sendable {
  /// The verdict.
  public let verdict: Verdict
  /// The result, or nil if none was reported: the sign-in begins again with an answer, the user
  /// abandoned a further try, or the line decides nothing.
  public let result: SignInResult?

  /// Creates a conclusion.
  public init(_ verdict: Verdict, because result: SignInResult?) {
    self.verdict = verdict
    self.result = result
  }
}
