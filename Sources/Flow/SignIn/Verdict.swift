public import MFAPolicy

/// The module's verdict for the PAM stack. Deny comes first, so that zeroed memory denies.
public enum Verdict: Equatable, Sendable {
  case deny
  case allow
  case notConcerned
  case tooManyAttempts

  /// Returns the verdict on an outcome. This is the only place that returns `allow` or
  /// `notConcerned`.
  ///
  /// There are two reasons for `notConcerned`. Multi-factor authentication is switched off or only
  /// observed; or the user has no factor, and enrolment is self-service, may still be put off, or
  /// will be required by the `account` line, which the stack is certain to reach.
  public init(_ outcome: Outcome, state: Configuration.State) {
    self =
      switch (state, outcome) {
      case (.disabled, _), (_, .switchedOff), (.observe, _): .notConcerned
      case (.enabled, .attempted(.accepted)), (.enabled, .attempted(.recovered)),
        (.enabled, .attempted(.bypassed)), (.enabled, .remembered), (.enabled, .enrolled),
        (.enabled, .enrolledNow):
        .allow
      case (.enabled, .notEnrolled), (.enabled, .offered), (.enabled, .enrollmentPending):
        .notConcerned
      case (.enabled, .attempted(.throttled)), (.enabled, .attempted(.disabled)): .tooManyAttempts
      case (.enabled, .attempted(.wrong(let wait))),
        (.enabled, .attempted(.replayed(_, let wait))):
        wait > 0 ? .tooManyAttempts : .deny
      case (.enabled, .notACode), (.enabled, .unknownUser), (.enabled, .enrollmentRequired),
        (.enabled, .failed):
        .deny
      }
  }
}
