import MFAAdmin
import MFAStore
import MFAModel
import MFAWire
import MFASignIn
import MFAPAMStack
import MFABase

/// The predicted decision about a sign-in, before the user types anything.
package struct Decision: Equatable {
  /// The kind of decision. The raw values stay the same from version to version.
  package enum Kind: String {
    /// A code is asked for, and decides the sign-in.
    case asked
    /// No code is asked for, or none decides the sign-in.
    case allowed
    /// The `account` line makes the user enrol.
    case hasToEnroll = "enrollment-pending"
    /// The sign-in is denied, whatever the user types.
    case denied
    /// The user is throttled: no code is verified for `wait` seconds.
    case throttled
    /// What the service does is not known, because its stack cannot be read.
    case unknown
  }

  /// The kind of decision.
  package let kind: Kind
  /// The reason for the decision, in words.
  package let reason: String
  /// How long the user is throttled, in seconds; 0 if not at all.
  package let wait: Int64
  /// The settings that the decision depends on.
  package let rules: [Configuration.Key]

  /// The decision and the reason, in words.
  package var sentence: String {
    switch kind {
    case .asked: "asked for a code: \(reason)"
    case .allowed: "let through: \(reason)"
    case .hasToEnroll: "has to enrol: \(reason)"
    case .denied: "denied: \(reason)"
    case .throttled: "throttled for \(wait) s: \(reason)"
    case .unknown: "cannot be predicted: \(reason)"
    }
  }

  /// Whether a code decides the sign-in, or the module denies it in any case.
  func asksForCode(_ state: Configuration.State) -> Bool {
    switch kind {
    case .asked: state != .observe
    case .denied, .throttled, .unknown: true
    case .allowed, .hasToEnroll: false
    }
  }

  init(_ kind: Kind, _ reason: String, wait: Int64 = 0, by rules: [Configuration.Key] = []) {
    self.kind = kind
    self.reason = reason
    self.wait = wait
    self.rules = rules
  }

  /// Creates the decision for the result of a forecast, under `settings` if they are known.
  init(_ result: SignInResult, _ settings: Settings?) {
    switch result {
    case .allowed(.remembered(let age)):
      self.init(
        .allowed, "a code that was accepted \(age) s ago is remembered",
        by: [.remember, .rememberServices, .freshFor])
    // These results need something typed, so a forecast never has them.
    case .allowed, .denied(.code(.wrong)), .denied(.code(.ofAnotherTime)),
      .denied(.code(.replayed)), .denied(.code(.lockedNow)),
      .denied(.code(.notYet)), .denied(.code(.typeNotAllowed)), .denied(.code(.repeated)):
      self.init(.denied, "the result cannot be predicted")
    case .passed(.notEnrolled), .passed(.offered):
      self.init(.allowed, Self.unenrolled(settings), by: Self.enrolling(settings))
    case .passed(.switchedOff):
      self.init(.allowed, "the second factor is switched off", by: [.state])
    case .passed(.leftToNextLines):
      self.init(
        .allowed,
        "the line applies only after a key, and only if a code is required, or to program passwords"
      )
    case .passed(.enrollmentPending):
      self.init(
        .hasToEnroll, "a factor is required, and the account line is certain to be reached",
        by: Self.enrolling(settings))
    case .denied(.code(.notACode)), .denied(.code(.notEnrolled)):
      self.init(.asked, "the user has a factor or a bypass code", by: [.state])
    case .denied(.code(.throttled(let seconds))):
      self.init(
        .throttled, "too many wrong codes", wait: seconds,
        by: [.throttleAfter, .throttleFirstWait, .throttleLongestWait])
    case .denied(.code(.locked)):
      self.init(
        .denied, "too many wrong codes have locked the factors", by: [.disableAfter])
    case .denied(.unknownUser): self.init(.denied, "the user has no account")
    case .denied(.programPassword): self.init(.denied, "the result cannot be predicted")
    case .denied(.enrollmentRequired(let obstacle)):
      self.init(
        .denied, "a factor is required, but none is enrolled; \(Self.text(obstacle))",
        by: Self.enrolling(settings))
    case .denied(.codeRequired):
      self.init(.denied, "a code is required, and the program asks for none")
    case .denied(.failed(let failure)): self.init(.denied, Self.text(failure))
    }
  }

  /// Returns the decision about a user who is asked for a code: a denial if none of the user's factors
  /// can be used, and there is neither a recovery code nor a bypass code.
  func considering(
    _ stored: Explanation.Stored, _ settings: Settings?, _ request: SignInRequest
  ) -> Decision {
    guard kind == .asked, case .kept(let record, _) = stored, let settings, record.isEnrolled,
      let obstacle = Self.obstacle(
        hasApp: record.factors.contains { $0.parameters != nil }, hasPhone: record.hasPhone,
        settings, request)
    else { return self }
    let rules: [Configuration.Key] = [.factors, .gateway]
    guard !record.hasOtherCodes else {
      return Decision(
        .asked, "\(obstacle), so only a recovery code or a bypass code is accepted", by: rules)
    }
    return Decision(.denied, obstacle, by: rules)
  }

  /// Returns the decision about a user who is asked for a code: a denial if none of the user's factors accepts
  /// one before a later time, and there is neither a recovery code nor a bypass code.
  func considering(
    closed: [(name: DisplayName, end: Timestamp)], _ stored: Explanation.Stored,
    _ settings: Settings?
  ) -> Decision {
    guard kind == .asked, case .kept(let record, _) = stored, let settings,
      let end = closed.map(\.end.full).min()
    else { return self }
    let usable = record.factors.filter { settings.allows($0) }
    guard usable.allSatisfy({ factor in closed.contains { $0.name == factor.displayName } }) else {
      return self
    }
    let reason = "no factor accepts a code before \(end), because the clock was ahead"
    guard !record.hasOtherCodes else {
      return Decision(
        .asked, "\(reason), so only a recovery code or a bypass code is accepted")
    }
    return Decision(.denied, reason)
  }

  /// Returns the decision if the store is on a file system with this space: without space, no attempt
  /// can be counted, or no factor be enrolled.
  ///
  /// `hasBreakGlass` says whether the user may use a prepared break-glass code instead.
  func considering(
    _ space: FileSystemSpace?, _ state: Configuration.State, hasBreakGlass: Bool
  ) -> Decision {
    guard let space, state == .enabled else { return self }
    switch kind {
    case .asked where space.isReadOnly:
      let reason = "the store is mounted read-only, so no attempt can be counted"
      guard hasBreakGlass else { return Decision(.denied, reason) }
      return Decision(.asked, "\(reason); the break-glass code is accepted instead")
    case .hasToEnroll where space.isReadOnly:
      return Decision(.denied, "the store is mounted read-only, so no factor can be enrolled")
    case .hasToEnroll where space.isUsedUp:
      return Decision(.denied, "the file system of the store is full, so no factor can be enrolled")
    case .asked, .allowed, .hasToEnroll, .denied, .throttled, .unknown: return self
    }
  }

  /// Returns the decision if sudo asks for the code of another account, as one of these findings says.
  func considering(sudo: [Finding]) -> Decision {
    guard let other = sudo.first(where: { $0.code == Doctor.sudoOtherAccount }),
      kind == .asked || kind == .allowed
    else { return self }
    return Decision(.asked, "\(other.place): \(other.message)")
  }

  /// Returns the decision with what sshd does before and instead of PAM, if the user is asked for a code.
  func considering(_ service: ServiceWithModule?, _ secureShell: SSHDSettings?) -> Decision {
    guard kind == .asked, let service, let secureShell else { return self }
    let methods = secureShell.openLists().joined()
    guard service.takesPassword || methods.contains("keyboard-interactive") else {
      return Decision(
        .denied, "sshd lets the user type a password only, and takes it for the code", by: rules)
    }
    guard secureShell.isOn("usepam"), case let ways = secureShell.waysWithoutPAM, !ways.isEmpty
    else { return self }
    let words = VisibleText.escaping(ways.joined(separator: " or "))
    return Decision(.asked, "\(reason), but \(words) is enough without it", by: rules)
  }

  /// Returns why none of a user's factors, which are authenticator apps or phones or both, can be used, or nil if
  /// one can.
  static func obstacle(
    hasApp: Bool, hasPhone: Bool, _ settings: Settings, _ request: SignInRequest
  ) -> String? {
    guard !hasApp || !settings.allows(.totp) else { return nil }
    guard hasPhone else { return "\"factors\" does not allow authenticator apps" }
    guard settings.allows(.phone) else { return "\"factors\" does not allow the user's phones" }
    guard settings.canSendCodes else {
      return "the user has only phones, and no gateway sends codes to them"
    }
    guard !PAMCaller.isUnprivileged(request.service) else {
      return "the user has only phones, and programs that run as the user send no codes"
    }
    guard mayRequestCodes(request) else {
      return "the user has only phones, and this line sends no codes without \"after_password\""
    }
    return nil
  }

  /// Returns whether a line can be certain that the first factor was proven. sshd reports that a key
  /// was verified; in other services, `after_password` says so.
  private static func mayRequestCodes(_ request: SignInRequest) -> Bool {
    let options: ModuleOptions
    do throws(ModuleOptions.Refusal) { options = try ModuleOptions(request.arguments) } catch {
      return true
    }
    guard !options.expectsPassword else { return false }
    return switch String(decoding: request.service, as: UTF8.self) {
    case "sshd": true
    case "su", "su-l": options.followsPassword
    case _: options.followsPassword || !PAMCaller.isRoot(at: request.service)
    }
  }

  private static func enrolling(_ settings: Settings?) -> [Configuration.Key] {
    settings?.enrollment == .offered ? [.enrollment, .offerSignIns, .offerUntil] : [.enrollment]
  }

  private static func unenrolled(_ settings: Settings?) -> String {
    settings?.enrollment == .offered
      ? "no factor is enrolled, and enrolment can still be postponed"
      : "no factor is enrolled, and enrolment is voluntary"
  }

  private static func text(_ obstacle: EnrollmentObstacle) -> String {
    switch obstacle {
    case .accountLine(let line): line.sentence
    case .noGateway: "only phones are allowed, and no code can be sent: no gateway is set"
    case .noRegions: "only phones are allowed, and no code can be sent: no regions are set"
    case .notAuthenticatedHere, .noConversation, .abandoned, .wrongCodes, .wrongSentCodes, .tooLate,
      .tooLittleTime, .enrolledMeanwhile, .onlyObserved:
      "a factor cannot be enrolled in this sign-in"
    }
  }

  /// Why pam_mfa.so denies sign-ins by ssh in which nothing else proves who the user is.
  static let unproven =
    "sshd has verified nothing, and no auth line but that of pam_mfa.so could deny"

  private static func text(_ failure: SignInResult.Failure) -> String {
    switch failure {
    case .arguments(.unknown(let argument)):
      "pam_mfa.so has no argument \"\(VisibleText.escaping(argument))\""
    case .arguments(.repeated(let argument)):
      "the argument \"\(VisibleText.escaping(argument))\" of pam_mfa.so is given twice"
    case .arguments(.contradictory):
      "the arguments try_first_pass and use_first_pass cannot be combined"
    case .arguments(.keyWithPassword):
      "the argument after_key cannot be combined with an argument about the password"
    case .arguments(.programPasswordWithCode):
      "the argument program_password cannot be combined with an argument about the password or the code"
    case .configuration(let failure): AdminError.message(failure)
    case .account(let error): "the account cannot be looked up: \(error.text)"
    case .clock(let error): "the clock cannot be read: \(error.text)"
    case .store(let error): "the stored data cannot be used: \(RecordProblem(error).sentence)"
    case .othersAccount:
      "the program may ask about its own user's account alone: no section [daemon NAME] names the user for it"
    case .firstFactorMissing: Self.unproven
    }
  }
}
