import FactorStore
import Factors
import HelperProtocol
import Policy
import Secrets
import System

// Sign-ins in a process that may not open the store, such as a screen locker that runs as its user:
// policy is decided here as ever, and the helper judges the code, as one of the user's own.
//
// MUST 1: nobody's but the own account is asked about. (`HelperSignInTests.anothersAccount`)
// MUST 2: whatever goes wrong denies. (`HelperSignInTests.everythingFailsClosed`)
// MUST 3: no helper waits while a person is asked. (`HelperSignInTests.noHelperAtThePrompt`)
extension SignIn {
  func authenticationByHelper(
    _ options: ModuleOptions, _ settings: Settings, _ account: Account
  ) throws(Outcome.Failure) -> Outcome {
    let view = try helpersView(of: account)
    trace(options, "helper") { line in
      line.add("factors", Int64(view.factors.count))
    }
    guard !view.factors.isEmpty else {
      guard try mayPutOffByHelper(settings) else {
        try askInVain(options, settings, nil)
        return .enrollmentRequired(.notAuthenticatedHere)
      }
      return try passing(.notEnrolled, options, settings, nil)
    }
    if let refusal = view.refusal { return refusal }
    return try proveCode(options, settings, account, .helper(view))
  }

  func accountCheckByHelper(
    _ settings: Settings, _ account: Account
  ) throws(Outcome.Failure) -> Outcome {
    guard try helpersView(of: account).factors.isEmpty else { return .enrolled }
    guard try mayPutOffByHelper(settings) else { return .enrollmentRequired(.notAuthenticatedHere) }
    guard settings.enrollment == .offered else { return .notEnrolled }
    return .offered(Outcome.Offer(signInsLeft: nil, lastDay: settings.offer.lastDay))
  }

  /// What runs as the user runs in a session of the user's, which a counted sign-in has begun: an offer
  /// of so many sign-ins lasts as long as the session. A day ends it here too.
  private func mayPutOffByHelper(_ settings: Settings) throws(Outcome.Failure) -> Bool {
    switch settings.enrollment {
    case .selfService: return true
    case .required: return false
    case .offered: return settings.offer.allowsPuttingOff(afterSignIns: 0, now: try now())
    }
  }

  // MARK: What the helper is asked

  private func helpersView(of account: Account) throws(Outcome.Failure) -> HelpersView {
    do throws(HelperTrouble) {
      let helper = try openHelper(account)
      return HelpersView(factors: try factors(helper), status: try status(helper))
    } catch {
      throw .helper(error)
    }
  }

  /// Has the helper look at a code, in each way that the answer can be read until one is right: what
  /// came of it, and how many bytes at the end of the answer were the code.
  func attemptByHelper(
    _ codes: TypedCodes, _ named: FactorID?, _ view: HelpersView, _ account: Account
  ) throws(Outcome.Failure) -> (outcome: Outcome, length: Int?) {
    let readings = view.readings(codes, factor: named)
    var outcome = Outcome.notACode(.somethingElse)
    do throws(HelperTrouble) {
      let helper = try openHelper(account)
      for reading in readings {
        guard let failure = try refusal(of: reading, codes, named, helper) else {
          return (right(reading, named, view, helper), reading.typedLength)
        }
        outcome = try Self.outcome(failure)
        guard failure == .invalidVerificationCode || failure == .notACode else { break }
      }
    } catch {
      throw .helper(error)
    }
    return (outcome, readings.last?.typedLength)
  }

  private func openHelper(_ account: Account) throws(HelperTrouble) -> Machine.Helper {
    let identity = host.identity
    guard identity.user == account.uid else { throw .anothersAccount }
    guard !identity.isConfined else { throw .confined }
    let helper = try host.helper()
    guard case .welcome(let user, _) = try answer(helper, .hello) else { throw .malformed }
    // Several accounts may have one identity.
    guard user.bytes == account.name else { throw .anothersAccount }
    return helper
  }

  private func factors(_ helper: Machine.Helper) throws(HelperTrouble) -> [FactorSummary] {
    guard case .factors(let factors) = try answer(helper, .list) else { throw .malformed }
    return factors
  }

  private func status(_ helper: Machine.Helper) throws(HelperTrouble) -> AccountStatus {
    guard case .status(let status) = try answer(helper, .status) else { throw .malformed }
    return status
  }

  /// Why a code was not right, or nil where it was.
  private func refusal(
    of reading: HelpersView.Reading, _ codes: TypedCodes, _ named: FactorID?,
    _ helper: Machine.Helper
  ) throws(HelperTrouble) -> HelperFailure? {
    guard let code = reading.written(codes) else { return .notACode }
    let response = try helper.ask(.signIn(CodeRequest(factor: named, code: code)))
    if case .failed(let failure) = response.interruption { return failure }
    guard case .tested = response else { throw .malformed }
    return nil
  }

  /// A right code: a recovery code, when there is one fewer than before. What else there is to know
  /// stands in the helper's own line in the log.
  private func right(
    _ reading: HelpersView.Reading, _ named: FactorID?, _ view: HelpersView,
    _ helper: Machine.Helper
  ) -> Outcome {
    let before = view.status.recoveryCodesLeft
    let left: UInt8
    do throws(HelperTrouble) {
      left = try status(helper).recoveryCodesLeft
    } catch {
      // It is used up, whatever the helper says next.
      left = before
    }
    guard left >= before else {
      return .recovered(Attempt.Recovery(left: Int(left), replacement: nil))
    }
    switch reading {
    // A bypass code is no factor's.
    case .recoveryCode: return .accepted(nil)
    case .code: return .accepted(view.factor(chosen: named))
    }
  }

  private static func outcome(_ failure: HelperFailure) throws(HelperTrouble) -> Outcome {
    switch failure {
    case .invalidVerificationCode: .wrong(wait: 0)
    case .codeAlreadyUsed: .replayed(nil, wait: 0)
    case .tooManyAttempts(let seconds): .throttled(seconds: Int64(seconds))
    case .factorsDisabled: .disabled
    case .notACode: .notACode(.somethingElse)
    case .notPermitted, .requiresRecentLogin, .reauthenticationFailed, .sessionExpired,
      .secondFactorAlreadyEnrolled, .maximumSecondFactorCountExceeded, .unsupportedDisplayName,
      .factorNotFound, .invalidArgument, .storeUnavailable, .configurationInvalid,
      .multiFactorDisabled, .protocolError, .internalError, .lastFactorRequired, .ticketInvalid,
      .secretTooShort, .codesNotConsecutive, .secondFactorRequired, .alreadyImported,
      .unsuitableProcess, .tooManyChanges:
      throw .refused(failure)
    }
  }

  /// What the helper answers, a refusal being trouble.
  private func answer(
    _ helper: Machine.Helper, _ request: consuming HelperRequest
  ) throws(HelperTrouble) -> HelperResponse {
    let response = try helper.ask(request)
    if case .failed(let failure) = response.interruption { throw .refused(failure) }
    return response
  }
}
