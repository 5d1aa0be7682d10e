import MFAAttempt
import MFAModel
import MFASignIn
import MFASignInTestSupport
import MFABase
import Testing

@Suite("Verdicts")
struct VerdictTests {
  /// The names of the reasons.
  private enum Reason: CaseIterable {
    case codeOfAFactor, recoveryCode, bypassCode, breakGlass, remembered, enrolled, enrolledNow,
      programPassword, wrongProgramPassword,
      switchedOff,
      notEnrolled, offered, enrolmentPending, leftToNextLines, wrong, wrongThenWait, replayed,
      typeNotAllowed, ofAnotherTime, ofAnotherTimeThenWait,
      replayedThenWait, repeatedUsed, repeatedRejected,
      throttled, locked, lockedNow, noLongerEnrolled, unknownUser, notACode, noSuchFactor, tooLong,
      noAnswer,
      withheldBySSHD, noAccountLine, notAuthenticatedHere, noConversation, abandoned, wrongCodes,
      wrongSentCodes, tooLate, tooLittleTime, enrolledMeanwhile, noGateway, noRegions, onlyObserved,
      arguments, configuration,
      account,
      clock, store,
      othersAccount, firstFactorMissing, codeRequired
  }

  /// Returns the name of a result's reason, and the verdict on it while the policy is enabled.
  ///
  /// The switches have no default, so a new reason does not compile until it has a name here;
  /// `everyReason` then fails until `results` has it.
  private static func expected(_ result: SignInResult) -> (reason: Reason, verdict: Verdict) {
    switch result {
    case .allowed(let reason): (name(reason), .allow)
    case .passed(let reason): (name(reason), .pass)
    case .denied(let reason): expected(reason)
    }
  }

  private static func name(_ reason: SignInResult.AllowedReason) -> Reason {
    switch reason {
    case .code(.factor): .codeOfAFactor
    case .code(.recoveryCode): .recoveryCode
    case .code(.bypassCode): .bypassCode
    case .remembered: .remembered
    case .enrolled: .enrolled
    case .breakGlass: .breakGlass
    case .enrolledNow: .enrolledNow
    case .programPassword: .programPassword
    }
  }

  private static func name(_ reason: SignInResult.PassedReason) -> Reason {
    switch reason {
    case .switchedOff: .switchedOff
    case .notEnrolled: .notEnrolled
    case .offered: .offered
    case .enrollmentPending: .enrolmentPending
    case .leftToNextLines: .leftToNextLines
    }
  }

  private static func expected(
    _ reason: SignInResult.DeniedReason
  ) -> (reason: Reason, verdict: Verdict) {
    switch reason {
    case .code(.wrong(0)): (.wrong, .deny)
    case .code(.wrong): (.wrongThenWait, .tooManyAttempts)
    case .code(.ofAnotherTime(_, 0)): (.ofAnotherTime, .deny)
    case .code(.ofAnotherTime): (.ofAnotherTimeThenWait, .tooManyAttempts)
    case .code(.replayed(_, 0)): (.replayed, .deny)
    case .code(.replayed): (.replayedThenWait, .tooManyAttempts)
    case .code(.notYet): (.replayed, .deny)
    case .code(.typeNotAllowed): (.typeNotAllowed, .deny)
    case .code(.repeated(.used)): (.repeatedUsed, .deny)
    case .code(.repeated(.rejected)): (.repeatedRejected, .deny)
    case .code(.throttled): (.throttled, .tooManyAttempts)
    case .code(.locked): (.locked, .tooManyAttempts)
    case .code(.lockedNow): (.lockedNow, .tooManyAttempts)
    case .code(.notACode(let reason)): (name(reason), .deny)
    case .code(.notEnrolled): (.noLongerEnrolled, .deny)
    case .programPassword: (.wrongProgramPassword, .deny)
    case .unknownUser: (.unknownUser, .deny)
    case .enrollmentRequired(let obstacle): (name(obstacle), .deny)
    case .codeRequired: (.codeRequired, .notPermitted)
    case .failed(let failure): (name(failure), .deny)
    }
  }

  private static func name(_ reason: Attempt.NotACode) -> Reason {
    switch reason {
    case .somethingElse, .noBypassCode: .notACode
    case .noSuchFactor: .noSuchFactor
    case .tooLong: .tooLong
    case .noAnswer: .noAnswer
    case .withheldBySSHD: .withheldBySSHD
    }
  }

  private static func name(_ obstacle: EnrollmentObstacle) -> Reason {
    switch obstacle {
    case .accountLine: .noAccountLine
    case .notAuthenticatedHere: .notAuthenticatedHere
    case .noConversation: .noConversation
    case .abandoned: .abandoned
    case .wrongCodes: .wrongCodes
    case .tooLate: .tooLate
    case .tooLittleTime: .tooLittleTime
    case .enrolledMeanwhile: .enrolledMeanwhile
    case .wrongSentCodes: .wrongSentCodes
    case .noGateway: .noGateway
    case .noRegions: .noRegions
    case .onlyObserved: .onlyObserved
    }
  }

  private static func name(_ failure: SignInResult.Failure) -> Reason {
    switch failure {
    case .arguments: .arguments
    case .configuration: .configuration
    case .account: .account
    case .clock: .clock
    case .store: .store
    case .othersAccount: .othersAccount
    case .firstFactorMissing: .firstFactorMissing
    }
  }

  /// Returns a result for each reason.
  private static func results() throws -> [SignInResult] {
    let store = MemoryStore()
    let factor = try store.enroll(
      "Phone", secret: KnownFactor.secret, for: Account(name: [0x61], uid: 1))
    let id = try #require(GrantID(bytes: [1, 2, 3, 4]))
    let digest = [UInt8](repeating: 0, count: RecoveryCodeDigest.length)
    let grant = try #require(
      Grant(
        kind: .bypass, id: id, madeAt: 0, expiresAt: 1, usesLeft: 1, reason: nil, digest: digest))
    let error = SystemError(.identity, number: 1)
    let allowed: [SignInResult.AllowedReason] = [
      .code(.factor(factor.id)), .code(.recoveryCode(left: 9, nil)),
      .code(.bypassCode(grant, usesLeft: 0, nil)), .remembered(age: 1), .enrolled,
      .breakGlass(.damaged(.key)),
      .enrolledNow(factor, nil), .programPassword(grant),
    ]
    let passed: [SignInResult.PassedReason] = [
      .switchedOff, .notEnrolled, .offered(SignInResult.Offer(signInsLeft: 1, lastDay: nil)),
      .enrollmentPending, .leftToNextLines,
    ]
    let rejected: [Attempt.Rejected] = [
      .wrong(wait: 0), .wrong(wait: 30), .ofAnotherTime(secondsAhead: -240, wait: 0),
      .ofAnotherTime(secondsAhead: 240, wait: 30), .replayed(factor.id, wait: 0),
      .replayed(factor.id, wait: 30), .notYet(factor.id, seconds: 60), .repeated(.used),
      .typeNotAllowed(factor.id, .totp),
      .repeated(.rejected),
      .throttled(seconds: 1), .locked,
      .lockedNow(replayed: nil), .notEnrolled,
      .notACode(.somethingElse), .notACode(.noSuchFactor), .notACode(.tooLong),
      .notACode(.noAnswer),
      .notACode(.withheldBySSHD),
    ]
    let obstacles: [EnrollmentObstacle] = [
      .accountLine(.missing), .notAuthenticatedHere, .noConversation, .abandoned, .wrongCodes,
      .wrongSentCodes, .tooLate, .tooLittleTime(seconds: 20), .enrolledMeanwhile, .noGateway,
      .noRegions, .onlyObserved,
    ]
    let failures: [SignInResult.Failure] = [
      .arguments(.contradictory), .configuration(ConfigurationError(in: [], .notAPath)),
      .account(error),
      .clock(error), .store(.busy), .othersAccount,
      .firstFactorMissing,
    ]
    let denied =
      rejected.map { SignInResult.DeniedReason.code($0) }
      + [
        .unknownUser, .programPassword(.unknown), .codeRequired(isEnrolled: true),
        .codeRequired(isEnrolled: false),
      ]
      + obstacles.map { .enrollmentRequired($0) } + failures.map { .failed($0) }
    return allowed.map { .allowed($0) } + passed.map { .passed($0) } + denied.map { .denied($0) }
  }

  @Test("there is a result for every reason")
  func everyReason() throws {
    let reasons = try Self.results().map { Self.expected($0).reason }
    #expect(Set(reasons) == Set(Reason.allCases))
  }

  @Test(
    "if enabled, only accepted codes, remembered sign-ins and account lines of enrolled users are allowed"
  )
  func enabled() throws {
    for result in try Self.results() {
      let (reason, verdict) = Self.expected(result)
      #expect(Verdict(result, state: .enabled) == verdict, "\(reason)")
    }
  }

  @Test(
    "in the observe and disabled states, the verdict is `pass`, unless it is about the first factor",
    arguments: [Configuration.State.observe, .disabled])
  func pass(state: Configuration.State) throws {
    for result in try Self.results() {
      let reason = Self.expected(result).reason
      let verdict: Verdict =
        switch reason {
        case .firstFactorMissing: .deny
        case .programPassword where state == .observe: .allow
        default: .pass
        }
      #expect(Verdict(result, state: state) == verdict, "\(reason)")
    }
  }
}
