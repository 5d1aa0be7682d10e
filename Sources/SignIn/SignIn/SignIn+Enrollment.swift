import MFAWire
import MFAStore
import MFAAttempt
import MFABase
import MFACrypto
import MFAModel
import MFAQRCode
import MFAMessages

/// Enrolment during a sign-in, of an authenticator app or a phone. All text is part of a question, because
/// some applications do not show other messages.
///
/// MUST 1: enrolment begins only after the first factor has been proven in the same sign-in.
/// (`EnrollmentDialogTests.onlyAfterTheFirstFactor`)
/// MUST 2: nothing but the number of sent codes, and when a key was shown, is written before a code of the new device is
/// accepted. Then factor, watermark and recovery codes are written together. (`EnrollmentDialogTests.nothingEnrolled`,
/// `PhoneDialogTests.nothingEnrolled`)
/// MUST 3: no lock is held while the user is asked. (`EnrollmentDialogTests.noLockAtThePrompt`)
/// MUST 4: a factor that was enrolled in the meantime stays unchanged, and this sign-in is denied.
/// (`EnrollmentDialogTests.enrolledMeanwhile`)
/// MUST 5: a key is shown again for ten minutes at most, to the same user and source alone, and never after the record has
/// changed. (`ShownKeyDialogTests`)
struct SignInEnrollment<Machine: Host> {
  let signIn: SignIn<Machine>
  let resolved: ResolvedSignIn<Machine.Store>
  let account: Account
  let store: Machine.Store
  /// Whether the user may put the enrolment off.
  var isOffered = false

  /// The longest time limit, in seconds. NIST SP 800-63B-4, section 4.1, allows ten minutes for a binding
  /// code.
  static var longest: Int64 { 600 }

  /// The shortest time in which a user can enrol, in seconds.
  static var shortest: Int64 { 45 }

  /// How many seconds before sshd ends the sign-in the enrolment ends, so that the user can read why.
  static var reserve: Int64 { 10 }

  /// The number of wrong answers that ends the enrolment.
  static var maximumWrongAnswers: UInt8 { 3 }

  /// How often the user may have the key shown in another form.
  static var maximumChanges: UInt8 { 5 }

  /// How often the user is asked for a name before the usual one is taken.
  static var maximumNames: UInt8 { 3 }

  var settings: Settings { resolved.settings }
  var text: EnrollmentText { EnrollmentText(language: resolved.language) }
  var state: EnrollmentState { resolved.continuation.enrollment }

  // MARK: Flow

  /// Begins the enrolment, or continues it with the answer to its last question.
  func run() throws(Pause) -> SignInResult {
    do throws(Pause) {
      if signIn.application.isAnswered, state.deadline > 0 { try checkTime() }
      guard let answer = try answer(), settings.canEnroll(state.type) else { return try begin() }
      switch resolved.continuation.phase {
      case .enrollmentForm: return try showKey(answer)
      case .enrollmentCode: return try confirm(answer)
      case .enrollmentName: return try enroll(answer)
      case .enrollmentNumber: return try takeNumber(answer)
      case .enrollmentSentCode: return try takeSentCode(answer)
      case .beginning, .code, .codeOfFactor, .breakGlass, .notices, .offer: return try begin()
      }
    } catch {
      guard case .obstacle(let obstacle) = error else { throw error }
      return .denied(.enrollmentRequired(obstacle))
    }
  }

  /// Explains the requirement, and asks how the key is to be shown, or for a phone number.
  private func begin() throws(Pause) -> SignInResult {
    let left = try secondsLeft().map { max($0 &- Self.reserve, 0) }
    let limit = min(left ?? Self.longest, Self.longest)
    guard limit >= Self.shortest else { throw .obstacle(.tooLittleTime(seconds: limit)) }
    let now = try now()
    let (deadline, overflow) = now.addingReportingOverflow(limit)
    guard !overflow else { throw .obstacle(.tooLate) }
    var state = EnrollmentState()
    state.deadline = deadline
    state.changesLeft = Self.maximumChanges
    guard settings.canEnroll(.totp) else {
      throw try askingForNumber(
        state, after: text.phoneIntroduction(seconds: limit, isOffered: isOffered))
    }
    let shown = try keyShown(at: now)
    state.keyTime = shown?.time ?? now
    let question = text.firstQuestion(
      seconds: limit, isOffered: isOffered, offersPhone: settings.canEnroll(.phone),
      keyAge: shown?.age(at: now))
    throw try asking(SecretBytes(copying: question.span), .enrollmentForm, state)
  }

  /// Shows a new key. If there is no answer at all, the application cannot ask questions.
  private func showKey(_ reply: consuming Reply) throws(Pause) -> SignInResult {
    let form: EnrollmentForm
    switch consume reply {
    case .absent: throw .obstacle(.noConversation)
    case .tooLong: form = .text
    case .text(let answer):
      // sshd itself answers for a user whom it will deny.
      guard answer.isTypedByUser else { throw .obstacle(.noConversation) }
      guard answer.count > 0 else { throw .obstacle(.abandoned) }
      if settings.canEnroll(.phone), EnrollmentForm.isPhone(answer) {
        throw try askingForNumber(state, after: text.phoneIsRestricted(hasAlternative: true))
      }
      form = EnrollmentForm(number: answer) ?? .text
    }
    var next = state
    next.secret = try secret(from: next.keyTime)
    try noteShown(next.secret, from: next.keyTime)
    next.triesLeft = Self.maximumWrongAnswers
    throw try asking(shown(next, form), .enrollmentCode, next)
  }

  /// Compares a code of the new key, shows the key in another form, or asks again.
  private func confirm(_ reply: consuming Reply) throws(Pause) -> SignInResult {
    guard case .text(let answer) = consume reply, answer.count > 0 else {
      throw .obstacle(.abandoned)
    }
    try checkTime()
    var next = state
    let form = EnrollmentForm(number: answer)
    if let form, next.changesLeft > 0 {
      next.changesLeft &-= 1
      throw try asking(shown(next, form), .enrollmentCode, next)
    }
    var secondsAhead: Int64?
    if form == nil {
      switch try typedCode(answer) {
      case .right(let step):
        next.step = step
        next.namesLeft = Self.maximumNames
        throw try askingForName(next, isRepeated: false)
      case .wrong(let ahead): secondsAhead = ahead
      case .notACode: break
      }
    }
    guard next.triesLeft > 1 else { throw .obstacle(.wrongCodes) }
    next.triesLeft &-= 1
    throw try asking(text.questionAfterWrongCode(secondsAhead), .enrollmentCode, next)
  }

  /// Takes the name of the device, and enrols it. The usual name has the day.
  private func enroll(_ reply: consuming Reply) throws(Pause) -> SignInResult {
    var name: DisplayName?
    var isUnsupported = false
    switch consume reply {
    case .absent: throw .obstacle(.abandoned)
    case .tooLong: isUnsupported = true
    case .text(let answer):
      let typed = answer.span.copied()
      name = DisplayName(typed)
      isUnsupported = name == nil && !DisplayName.isBlank(typed)
    }
    if isUnsupported, state.namesLeft > 1 {
      var next = state
      next.namesLeft &-= 1
      throw try askingForName(next, isRepeated: true)
    }
    try checkTime()
    let day = try today()
    let usual = try usualName()
    let device: ConfirmedDraft.Device =
      if let phone = state.phone { .phone(phone) } else { .app(try draft(), step: state.step) }
    let enrolled = try commit(ConfirmedDraft(device: device, name: name ?? usual))
    if !signIn.host.deliverNotices(to: account) {
      signIn.application.log(.warning, Delivery.failure(for: account))
    }
    showRecoveryCodes(enrolled, on: day)
    return .allowed(.enrolledNow(enrolled.factor, enrolled.checkpoint))
  }

  // MARK: Questions

  /// Returns the answer of this request, if it belongs to the enrolment.
  private func answer() throws(Pause) -> Reply? {
    try signIn.answer(to: resolved.continuation, about: try stored(), resolved)
  }

  func asking(
    _ prompt: consuming SecretBytes, _ phase: Continuation.Phase, _ state: EnrollmentState
  ) throws(Pause) -> Pause {
    var next = resolved.continuation.asking(phase)
    next.enrollment = state
    return try signIn.question(prompt, echo: true, next, about: try stored())
  }

  func askingForName(
    _ state: EnrollmentState, isRepeated: Bool
  ) throws(Pause) -> Pause {
    let usual = try usualName()
    let question = text.nameQuestion(usual: usual.utf8, isRepeated: isRepeated)
    return try asking(SecretBytes(copying: question.span), .enrollmentName, state)
  }

  private func secondsLeft() throws(Pause) -> Int64? {
    try signIn.secondsLeft()
  }

  func stored() throws(Pause) -> FactorRecord? {
    try storing { () throws(FactorStoreError) in try store.kept(for: account) }
  }

  /// Ends the enrolment if its time is over. If the clock was set back, the elapsed time is unknown.
  func checkTime() throws(Pause) {
    let (left, overflow) = state.deadline.subtractingReportingOverflow(try now())
    guard !overflow, left >= 0, left <= Self.longest else { throw .obstacle(.tooLate) }
  }

  /// Returns the day in the host's time zone, such as 2027-01-31.
  private func today() throws(Pause) -> [UInt8] {
    guard let time = HostTime(try now()) else { throw .store(.damaged(.clock)) }
    return time.date
  }

  private func usualName() throws(Pause) -> DisplayName {
    guard let name = DisplayName(("phone " as StaticString).bytes + (try today())) else {
      throw .store(.damaged(.record))
    }
    return name
  }

  private func draft() throws(Pause) -> EnrollmentDraft {
    guard state.secret.bytes.count > 0 else { throw .obstacle(.abandoned) }
    return EnrollmentDraft(.standard, state.secret)
  }

  private func typedCode(
    _ answer: borrowing SecretBytes
  ) throws(Pause) -> EnrollmentDraft.TypedCode {
    var draft = try draft()
    let now = try now()
    do throws(FactorStoreError) {
      return try draft.confirm(answer, adjacentIntervals: settings.adjacentIntervals, now: now)
    } catch {
      throw .store(error)
    }
  }

  // MARK: Text

  /// Returns the key in a form, and the prompt for a code.
  private func shown(_ state: EnrollmentState, _ form: EnrollmentForm) -> SecretBytes {
    let issuer = settings.issuer ?? signIn.host.name()
    let secret = state.secret.copy()
    let url = OTPAuthURI.make(
      secret: secret.span, account: account.name.span, issuer: issuer.span, parameters: .standard)
    return text.key(Base32.encode(secret.span), url: url, as: form)
  }

  /// Shows the recovery codes. The answer does not matter, because the factor is already enrolled.
  private func showRecoveryCodes(_ enrolled: EnrolledInSignIn, on day: [UInt8]) {
    let heading = SignInEnrollmentMessage.recoveryCodes(
      user: account.name, host: signIn.host.name(), day: day)
    let done = text.done(enrolled.factor)
    let question = enrolled.codes.withSpan { text.recoveryCodes($0, under: heading, after: done) }
    signIn.application.add(.confirm(question, continuation: []))
  }
}

/// An enrolment under way.
struct EnrollmentState {
  /// The end of the time for it, in seconds since the epoch.
  var deadline: Int64 = 0
  /// When the key was first shown that is shown now.
  var keyTime: Int64 = 0
  /// The new secret; empty before there is one.
  var secret = PrivateText(SecretBytes(count: 0))
  /// How many wrong codes are left.
  var triesLeft: UInt8 = 0
  /// How often the key may be shown in another form, or a number be typed or a code be requested.
  var changesLeft: UInt8 = 0
  /// The time step of the code that was typed.
  var step: Int64 = 0
  /// How often the user may still be asked for a name.
  var namesLeft: UInt8 = 0
  /// Whether the user enrols a phone.
  var isOfPhone = false
  /// The number that a code was sent to, with the code; nil before that.
  var phone: PhoneDraft?

  /// The type of the new factor.
  var type: Configuration.FactorType { isOfPhone ? .phone : .totp }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.number(&deadline)
    try coder.number(&keyTime)
    try coder.text(&secret, longest: 64)
    try coder.number(&triesLeft)
    try coder.number(&changesLeft)
    try coder.number(&step)
    try coder.number(&namesLeft)
    try coder.flag(&isOfPhone)
    try coder.optional(&phone, placeholder: PhoneDraft()) {
      draft, coder throws(PacketError) in try draft.fields(&coder)
    }
  }
}

/// The form in which a new key is shown during a sign-in, where neither the window's size nor its
/// colours are known.
enum EnrollmentForm: Equatable {
  /// A QR code in the terminal's own colours.
  case picture(TerminalColours)
  /// The key and the URL as text.
  case text

  /// Returns whether the answer is the number for a phone in place of an app.
  static func isPhone(_ answer: borrowing SecretBytes) -> Bool {
    answer.count == 1 && answer.span[0] == UInt8(ascii: "4")
  }

  /// Returns the form with this number, or nil if the answer is not the number of a form. No code
  /// has one digit.
  init?(number answer: borrowing SecretBytes) {
    guard answer.count == 1 else { return nil }
    switch answer.span[0] {
    case UInt8(ascii: "1"): self = .picture(.terminalLightOnDark)
    case UInt8(ascii: "2"): self = .picture(.terminalDarkOnLight)
    case UInt8(ascii: "3"): self = .text
    default: return nil
    }
  }
}
