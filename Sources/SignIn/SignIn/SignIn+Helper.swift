import MFAMessages
import MFAPAMStack
import MFAAttempt
import MFABase
import MFAStore
import MFAModel
import MFAWire

// Sign-ins in a process that may not open the store, such as a screen locker that runs as the user.
// Policy is decided here as usual, and the helper verifies the code as one of the user's own
// checks.
//
// MUST 1: the helper is only asked about the user's own account.
// (`HelperSignInTests.accountMismatch`)
// MUST 2: every error denies. (`HelperSignInTests.everythingFailsClosed`)
// MUST 3: no helper is running while the user is asked. (`HelperSignInTests.noHelperAtThePrompt`)
extension SignIn {
  func authenticateByHelper(
    _ account: Account, _ resolved: Resolved
  ) throws(SignInResult.Failure) -> SignInResult {
    let view = try helpersView(of: account)
    trace(resolved, "helper") { line in
      line.add("factors", Int64(view.factors.count))
    }
    guard !view.factors.isEmpty else {
      guard try mayPutOffByHelper(resolved.settings) else {
        try askAndDeny(resolved)
        return .denied(.enrollmentRequired(.notAuthenticatedHere))
      }
      return try pass(.notEnrolled, resolved)
    }
    if let refusal = view.refusal { return .denied(.code(refusal)) }
    return try proveCode(CodeCheck(of: account, by: .helper(view), in: resolved))
  }

  func checkAccountByHelper(
    _ account: Account, _ resolved: Resolved
  ) throws(SignInResult.Failure) -> SignInResult {
    let settings = resolved.settings
    guard try helpersView(of: account).factors.isEmpty else { return .allowed(.enrolled) }
    guard try mayPutOffByHelper(settings) else {
      return .denied(.enrollmentRequired(.notAuthenticatedHere))
    }
    guard settings.enrollment == .offered else { return .passed(.notEnrolled) }
    return .passed(.offered(SignInResult.Offer(signInsLeft: nil, lastDay: settings.offer.lastDay)))
  }

  /// Returns whether the user may put enrolment off. A process that runs as the user belongs to a
  /// session of the user, and the sign-in that started the session was counted. An offer of a
  /// number of sign-ins therefore holds for the whole session. A last day applies here too.
  private func mayPutOffByHelper(_ settings: Settings) throws(SignInResult.Failure) -> Bool {
    switch settings.enrollment {
    case .selfService: return true
    case .required: return false
    case .offered: return settings.offer.allowsPostponing(afterSignIns: 0, now: try now())
    }
  }

  // MARK: Requests to the helper

  private func helpersView(of account: Account) throws(SignInResult.Failure) -> HelperAccountStatus
  {
    do throws(HelperError) {
      let helper = try openHelper(account)
      return HelperAccountStatus(factors: try factors(helper), status: try status(helper))
    } catch {
      throw .helper(error)
    }
  }

  /// Sends each interpretation of the input to the helper until one is accepted. Returns the
  /// result and how many bytes at the end of the answer are the code.
  func attemptByHelper(
    _ codes: TypedCodes, _ named: FactorID?, _ view: HelperAccountStatus, _ account: Account
  ) throws(SignInResult.Failure) -> (result: Attempt.Result, length: Int?) {
    let readings = view.readings(codes, factor: named)
    var rejected = Attempt.Rejected.notACode(.somethingElse)
    do throws(HelperError) {
      let helper = try openHelper(account)
      for reading in readings {
        let failure: HelperFailure
        switch try attempt(reading, codes, named, helper) {
        case .used(let code):
          return (.accepted(Self.accepted(code, view, named)), reading.typedLength)
        case .refused(let reason): failure = reason
        }
        rejected = try Self.rejected(failure)
        guard failure == .invalidVerificationCode || failure == .notACode else { break }
      }
    } catch {
      throw .helper(error)
    }
    return (.rejected(rejected), readings.last?.typedLength)
  }

  private func openHelper(_ account: Account) throws(HelperError) -> Machine.Helper {
    let identity = host.identity
    guard identity.user == account.uid else { throw .accountMismatch }
    guard !identity.isConfined else { throw .confined }
    let helper = try host.helper()
    guard case .welcome(let user, _) = try answer(helper, .hello(.english)) else {
      throw .malformed
    }
    // Several accounts may share a uid.
    guard user.bytes == account.name else { throw .accountMismatch }
    return helper
  }

  private func factors(_ helper: Machine.Helper) throws(HelperError) -> [FactorSummary] {
    guard case .factors(let factors) = try answer(helper, .list) else { throw .malformed }
    return factors
  }

  private func status(_ helper: Machine.Helper) throws(HelperError) -> AccountStatus {
    guard case .status(let status) = try answer(helper, .status) else { throw .malformed }
    return status
  }

  /// What the helper answers to one code.
  private enum HelperAnswer {
    case used(UsedCode)
    case refused(HelperFailure)
  }

  private func attempt(
    _ reading: HelperAccountStatus.Reading, _ codes: TypedCodes, _ named: FactorID?,
    _ helper: Machine.Helper
  ) throws(HelperError) -> HelperAnswer {
    guard let code = reading.written(codes) else { return .refused(.notACode) }
    let response = try helper.ask(.signIn(CodeRequest(factor: named, code: code)))
    if case .failed(let failure) = response.interruption { return .refused(failure) }
    guard case .signedIn(let used) = response else { throw .malformed }
    return .used(used)
  }

  /// Returns what was accepted. The helper's own log line has the details.
  private static func accepted(
    _ used: UsedCode, _ view: HelperAccountStatus, _ named: FactorID?
  ) -> Attempt.Accepted {
    switch used {
    case .factor(let factor): .factor(factor ?? view.factor(chosen: named))
    case .recoveryCode(let left): .recoveryCode(left: Int(left), nil)
    case .bypassCode(let usesLeft): .bypassCode(nil, usesLeft: usesLeft, nil)
    }
  }

  private static func rejected(_ failure: HelperFailure) throws(HelperError) -> Attempt.Rejected {
    switch failure {
    case .invalidVerificationCode: .wrong(wait: 0)
    case .codeAlreadyUsed: .replayed(nil, wait: 0)
    case .tooManyAttempts(let seconds): .throttled(seconds: Int64(seconds))
    case .factorsLocked: .locked
    case .notACode: .notACode(.somethingElse)
    case .notPermitted, .requiresRecentLogin, .reauthenticationFailed, .sessionExpired,
      .secondFactorAlreadyEnrolled, .maximumSecondFactorCountExceeded, .unsupportedDisplayName,
      .factorNotFound, .invalidArgument, .storeUnavailable, .configurationInvalid,
      .multiFactorDisabled, .protocolError, .internalError, .lastFactorRequired, .ticketInvalid,
      .secretTooShort, .codesNotConsecutive, .secondFactorRequired, .alreadyImported,
      .unsuitableProcess, .tooManyChanges, .phonesNotSupported, .invalidPhoneNumber,
      .phoneRegionNotAllowed, .tooManyMessages, .messageNotSent, .phoneAlreadyEnrolled,
      .phoneNotUsableYet, .totpNotSupported, .tooManyPasswords, .accountRefused:
      throw .refused(failure)
    }
  }

  /// Sends a request and returns the response. Throws if the helper refuses the request.
  private func answer(
    _ helper: Machine.Helper, _ request: consuming HelperRequest
  ) throws(HelperError) -> HelperResponse {
    let response = try helper.ask(request)
    if case .failed(let failure) = response.interruption { throw .refused(failure) }
    return response
  }
}
