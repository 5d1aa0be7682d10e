public import Policy

/// What the PAM stack is told. Deny comes first: it is what zeroed memory says.
public enum Verdict: Equatable, Sendable {
  case deny
  case allow
  case notConcerned
  case tooManyAttempts

  /// The verdict on an outcome: the one place where allow and not concerned are said.
  ///
  /// Not concerned has two causes: the second factor is switched off or only observes, and nobody
  /// enrolled where enrolling is everybody's own affair, may still be put off, or is what the
  /// `account` line, which is certain to be reached, will ask for.
  public init(_ outcome: Outcome, state: Configuration.State) {
    self =
      switch (state, outcome) {
      case (.disabled, _), (_, .switchedOff), (.observe, _): .notConcerned
      case (.enabled, .accepted), (.enabled, .remembered), (.enabled, .recovered),
        (.enabled, .bypassed),
        (.enabled, .enrolled), (.enabled, .enrolledNow):
        .allow
      case (.enabled, .notEnrolled), (.enabled, .offered), (.enabled, .enrollmentPending):
        .notConcerned
      case (.enabled, .throttled), (.enabled, .disabled): .tooManyAttempts
      case (.enabled, .wrong(let wait)), (.enabled, .replayed(_, let wait)):
        wait > 0 ? .tooManyAttempts : .deny
      case (.enabled, .notACode), (.enabled, .unknownUser), (.enabled, .enrollmentRequired),
        (.enabled, .failed):
        .deny
      }
  }
}
