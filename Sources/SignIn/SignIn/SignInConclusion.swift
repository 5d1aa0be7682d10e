/// What a line of a service file decided: the verdict, and the reason for it.
package struct SignInConclusion: Sendable {
  /// The verdict.
  package let verdict: Verdict
  /// The result, or nil if none was reported: the sign-in begins again with an answer, the user
  /// abandoned a further try, or the line decides nothing.
  package let result: SignInResult?

  /// Creates a conclusion.
  package init(_ verdict: Verdict, because result: SignInResult?) {
    self.verdict = verdict
    self.result = result
  }
}
