import Factors
import FactorStore
import PAMStack
import Policy
import SignIn
import System

/// What would be decided about a sign-in, before anything is typed.
struct Decision: Equatable {
  /// The kinds of decisions, by words that stay the same from version to version.
  enum Kind: String {
    /// A code is asked for, and decides.
    case asked
    /// Nothing is asked for here.
    case letThrough = "let-through"
    /// The `account` line has the person enrol.
    case hasToEnroll = "has-to-enroll"
    /// Whatever is typed.
    case turnedAway = "turned-away"
    /// For so many seconds nothing is looked at.
    case waits
  }

  /// What is decided.
  let kind: Kind
  /// Why.
  let reason: String
  /// How long nothing is looked at, in seconds; 0 for not at all.
  let wait: Int64
  /// The settings that it goes by.
  let rules: [Configuration.Key]

  /// In words.
  var sentence: String {
    switch kind {
    case .asked: "asked for a code: \(reason)"
    case .letThrough: "let through: \(reason)"
    case .hasToEnroll: "has to enrol: \(reason)"
    case .turnedAway: "turned away: \(reason)"
    case .waits: "waits \(wait) s: \(reason)"
    }
  }

  init(_ kind: Kind, _ reason: String, wait: Int64 = 0, by rules: [Configuration.Key] = []) {
    self.kind = kind
    self.reason = reason
    self.wait = wait
    self.rules = rules
  }

  /// What a forecast says, under these settings where they are known.
  init(_ outcome: Outcome, _ settings: Settings?) {
    switch outcome {
    case .notACode:
      self.init(.asked, "there is a factor, or a bypass code", by: [.state])
    case .notEnrolled, .offered:
      self.init(.letThrough, Self.unenrolled(settings), by: Self.enrolling(settings))
    case .switchedOff:
      self.init(.letThrough, "the second factor is switched off", by: [.state])
    case .enrollmentPending:
      self.init(
        .hasToEnroll, "a factor is required, and the account line is certain to be reached",
        by: Self.enrolling(settings))
    case .enrollmentRequired(let obstacle):
      self.init(
        .turnedAway, "a factor is required, and none enrolled; \(Self.text(obstacle))",
        by: Self.enrolling(settings))
    case .throttled(let seconds):
      self.init(
        .waits, "too many wrong codes", wait: seconds,
        by: [.throttleAfter, .throttleFirstWait, .throttleLongestWait])
    case .disabled:
      self.init(
        .turnedAway, "too many wrong codes have disabled the factors", by: [.disableAfter])
    case .unknownUser: self.init(.turnedAway, "the system knows no such user")
    case .failed(let failure): self.init(.turnedAway, Self.text(failure))
    case .remembered(let age):
      self.init(
        .letThrough, "a code that was given \(age) s ago is remembered",
        by: [.remember, .rememberServices, .freshFor])
    // Nothing was typed that these could come of.
    case .accepted, .recovered, .bypassed, .enrolled, .enrolledNow, .wrong, .replayed:
      self.init(.turnedAway, "this cannot be told")
    }
  }

  private static func enrolling(_ settings: Settings?) -> [Configuration.Key] {
    settings?.enrollment == .offered ? [.enrollment, .offerSignIns, .offerUntil] : [.enrollment]
  }

  private static func unenrolled(_ settings: Settings?) -> String {
    settings?.enrollment == .offered
      ? "no factor is enrolled, and enrolling may still be put off"
      : "no factor is enrolled, and enrolling is up to the person"
  }

  private static func text(_ obstacle: EnrollmentObstacle) -> String {
    switch obstacle {
    case .accountLine(let line): StackFinding.reason(line)
    case .notAuthenticatedHere, .noConversation, .abandoned, .wrongCodes, .tooLate,
      .enrolledMeanwhile, .onlyObserved:
      "it cannot be enrolled here"
    }
  }

  private static func text(_ failure: Outcome.Failure) -> String {
    switch failure {
    case .arguments(.unknown(let argument)):
      "pam_mfa.so has no argument \"\(VisibleText.escaping(argument))\""
    case .arguments(.repeated(let argument)):
      "the argument \"\(VisibleText.escaping(argument))\" of pam_mfa.so stands there twice"
    case .arguments(.contradictory):
      "the arguments try_first_pass and use_first_pass contradict one another"
    case .configuration(let failure): AdminError.message(failure)
    case .account(let error): "the system could not tell about the account: \(error.text)"
    case .clock(let error): "the clock cannot be read: \(error.text)"
    case .store(let error): "what is stored cannot be used: \(Trouble(error).sentence)"
    case .helper: "the helper cannot be asked"
    case .forwarding: "the password cannot be handed on"
    }
  }
}
