import MFAAuthentication
import MFAFactors
import MFAPolicy
import MFASignIn
import MFASignInTestSupport
import MFASystem
import Testing

@Suite("Verdicts")
struct VerdictTests {
  /// Returns every outcome, by name.
  static func outcomes() throws -> [(String, Outcome)] {
    let store = MemoryStore()
    let factor = try store.enroll(
      "Phone", secret: KnownFactor.secret, for: Account(name: [0x61], uid: 1))
    return [
      ("accepted", .attempted(.accepted(factor.id))), ("enrolled", .enrolled),
      ("notEnrolled", .notEnrolled),
      ("remembered", .remembered(age: 1)),
      ("recovered", .attempted(.recovered(Attempt.Recovery(left: 9, replacement: nil)))),
      ("offered", .offered(Outcome.Offer(signInsLeft: 1, lastDay: nil))),
      ("enrollmentPending", .enrollmentPending), ("enrolledNow", .enrolledNow(factor, nil)),
      ("noAccountLine", .enrollmentRequired(.accountLine(.missing))),
      ("noConversation", .enrollmentRequired(.noConversation)),
      ("abandoned", .enrollmentRequired(.abandoned)), ("switchedOff", .switchedOff),
      ("wrong", .attempted(.wrong(wait: 0))),
      ("wrongThenWait", .attempted(.wrong(wait: 30))),
      ("replayed", .attempted(.replayed(factor.id, wait: 0))),
      ("replayedThenWait", .attempted(.replayed(factor.id, wait: 30))),
      ("throttled", .attempted(.throttled(seconds: 1))), ("disabled", .attempted(.disabled)),
      ("notACode", .notACode(.somethingElse)), ("noAnswer", .notACode(.none)),
      ("tooLong", .notACode(.tooLong)), ("withheld", .notACode(.withheldBySSHD)),
      ("unknownUser", .unknownUser), ("failed", .failed(.forwarding)),
      ("helper", .failed(.helper(.ended))),
    ]
  }

  @Test(
    "if enabled, only accepted codes, remembered sign-ins and account lines of enrolled users are allowed"
  )
  func enabled() throws {
    for (name, outcome) in try Self.outcomes() {
      let expected: Verdict =
        switch name {
        case "accepted", "remembered", "recovered", "enrolled", "enrolledNow": .allow
        case "notEnrolled", "offered", "switchedOff", "enrollmentPending": .notConcerned
        case "throttled", "disabled", "wrongThenWait", "replayedThenWait": .tooManyAttempts
        default: .deny
        }
      #expect(Verdict(outcome, state: .enabled) == expected, "\(name)")
    }
  }

  @Test(
    "in the observe and disabled states, the verdict is always `notConcerned`",
    arguments: [Configuration.State.observe, .disabled])
  func notConcerned(state: Configuration.State) throws {
    for (name, outcome) in try Self.outcomes() {
      #expect(Verdict(outcome, state: state) == .notConcerned, "\(name)")
    }
  }
}
