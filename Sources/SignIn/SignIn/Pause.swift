import MFAAttempt
import MFABase
import MFACrypto
import MFAMessages
import MFAModel
import MFAPAMStack
import MFAStore
import MFAWire

/// Why a step of a sign-in ends before there is a result.
enum Pause: Error {
  /// The user has to be asked.
  case question(Question)
  /// Facts about the application's process are needed.
  case facts
  /// There will be no other result than this error.
  case failure(SignInResult.Failure)
  /// The required enrolment enrolled nothing.
  case obstacle(EnrollmentObstacle)

  /// Whether the stored data changed before it was written.
  var isConflict: Bool {
    guard case .failure(.store(.engine(.conflict))) = self else { return false }
    return true
  }

  static func account(_ error: SystemError) -> Pause { .failure(.account(error)) }
  static func clock(_ error: SystemError) -> Pause { .failure(.clock(error)) }
  static func store(_ error: FactorStoreError) -> Pause { .failure(.store(error)) }
  static func configuration(_ error: ConfigurationError) -> Pause {
    .failure(.configuration(error))
  }
  static func arguments(_ error: ModuleOptions.Refusal) -> Pause { .failure(.arguments(error)) }
}

/// A question, and what a step needs to know when the answer has come.
struct Question {
  let prompt: PrivateText
  let echo: Bool
  let continuation: Continuation
}

/// What a sign-in takes from one step to the next. It is sealed with the store's key and kept by the caller,
/// bound to the line, the user, the service and the caller.
///
/// A continuation grants nothing: each step decides anew from the present policy and record, and what may
/// happen once is decided by the store.
struct Continuation: WireMessage {
  static var kind: UInt8 { 0x01 }

  /// The question that the answer belongs to.
  enum Phase: UInt8 {
    /// No question has been asked yet.
    case beginning = 0
    /// A code, or the number of a factor in the list, or a request for a code.
    case code = 1
    /// A code of the factor `factor`.
    case codeOfFactor = 2
    /// The break-glass code.
    case breakGlass = 3
    /// Whether the user has read the notices.
    case notices = 4
    /// How a new key is shown.
    case enrollmentForm = 5
    /// A code of the new key.
    case enrollmentCode = 6
    /// The name of the new device.
    case enrollmentName = 7
    /// The number of the new phone.
    case enrollmentNumber = 8
    /// The code that was sent to the new phone.
    case enrollmentSentCode = 9
    /// Whether the user enrols now.
    case offer = 10

    /// Whether the question belongs to an enrolment that has begun.
    var isOfEnrollment: Bool {
      switch self {
      case .enrollmentForm, .enrollmentCode, .enrollmentName, .enrollmentNumber,
        .enrollmentSentCode:
        true
      case .beginning, .code, .codeOfFactor, .breakGlass, .notices, .offer: false
      }
    }
  }

  var phase = Phase.beginning
  /// The number of the try, 1 for the first.
  var tryNumber: UInt8 = 1
  /// How many tries were counted as failed attempts.
  var failedTries: UInt8 = 0
  /// Whether what was typed for an earlier module has been tried.
  var hasTriedEarlierAnswer = false
  /// How often a code was requested in this try.
  var requests: UInt8 = 0
  /// The version of the record that was stored when the question was asked.
  var record = RecordVersion()
  /// The factor that the user chose.
  var factor = FactorID.zero
  /// When the question was asked, in seconds since the epoch.
  var askedAt: Int64 = 0
  /// The notices that an answer confirms, and the failures that were told.
  var lastNotice: UInt32 = 0
  var failures: UInt32 = 0
  /// The enrolment under way.
  var enrollment = EnrollmentState()
  /// Whether the store has opened it. Not sealed.
  var isOfStore = false

  /// How long an answer may take, in seconds. A question may be open for long, such as on a locked screen.
  static var longestWait: Int64 { 3600 }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.choice(&phase)
    try coder.number(&tryNumber)
    try coder.number(&failedTries)
    try coder.flag(&hasTriedEarlierAnswer)
    try coder.number(&requests)
    try record.fields(&coder)
    try coder.identifier(&factor)
    try coder.number(&askedAt)
    try coder.number(&lastNotice)
    try coder.number(&failures)
    try enrollment.fields(&coder)
  }

  /// Whether the last question was asked because of a stored record.
  var isAboutRecord: Bool { record != RecordVersion() }

  /// Returns whether an answer still belongs to the question at this time.
  func isInTime(_ now: Int64) -> Bool {
    let (age, overflow) = now.subtractingReportingOverflow(askedAt)
    return !overflow && age >= 0 && age <= Self.longestWait
  }

  /// Returns this continuation for a question of another kind.
  func asking(_ phase: Phase, of factor: FactorID = .zero) -> Continuation {
    var next = self
    next.phase = phase
    next.factor = factor
    return next
  }

  /// Continues with the next try.
  mutating func nextTry(isCounted: Bool) {
    var next = Continuation()
    next.tryNumber = tryNumber &+ 1
    next.failedTries = failedTries &+ (isCounted ? 1 : 0)
    next.hasTriedEarlierAnswer = true
    self = next
  }
}

/// The version of a user's record, which every change of it changes.
struct RecordVersion: Equatable {
  private var id = FactorID.zero
  private var generation: UInt32 = 0

  /// The version of no record.
  init() {}

  /// The version of a stored record.
  init(_ record: FactorRecord?) {
    guard let record else { return }
    id = record.id
    generation = record.generation
  }

  /// The version as bytes.
  var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.write(id.bytes)
    writer.write(generation)
    return writer.bytes
  }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.identifier(&id)
    try coder.number(&generation)
  }
}

extension SignIn {
  /// Returns the answer to a question, if it has just been answered; else asks it.
  func ask(
    _ prompt: [UInt8], echo: Bool, _ continuation: Continuation, about record: FactorRecord?,
    _ resolved: Resolved
  ) throws(Pause) -> Reply {
    if let reply = try answer(to: continuation, about: record, resolved) { return reply }
    throw try question(
      SecretBytes(copying: prompt.span), echo: echo, continuation, about: record)
  }

  /// Returns the answer of this request, if it was given to a question of this kind about the same version
  /// of the record. Any other is discarded, and the user is asked again.
  func answer(
    to continuation: Continuation, about record: FactorRecord?, _ resolved: Resolved
  ) throws(Pause) -> Reply? {
    let asked = resolved.continuation
    guard application.isAnswered, asked.phase == continuation.phase,
      asked.factor == continuation.factor, asked.record == RecordVersion(record),
      asked.isInTime(try now())
    else {
      application.discardAnswer()
      return nil
    }
    return application.takeAnswer()
  }

  /// Returns the end of a step with a question.
  func question(
    _ prompt: consuming SecretBytes, echo: Bool, _ continuation: Continuation,
    about record: FactorRecord?
  ) throws(Pause) -> Pause {
    var next = continuation
    next.record = RecordVersion(record)
    next.askedAt = try now()
    return .question(Question(prompt: PrivateText(prompt), echo: echo, continuation: next))
  }

  // MARK: Sealing

  /// What a continuation is bound to.
  private var binding: [UInt8] {
    var writer = ByteWriter()
    writer.write(line.rawValue)
    writer.write(identity.user)
    writer.write(UInt8(identity.actsAsRoot ? 1 : 0))
    for text in [request.user, request.service, host.realmHost] {
      writer.write(UInt16(truncatingIfNeeded: text.count))
      writer.write(text)
    }
    return writer.bytes
  }

  /// Seals a continuation. Without a store, the break-glass code's credential has the key.
  func seal(_ continuation: Continuation, _ resolved: Resolved) throws(Pause) -> [UInt8] {
    guard let packet = continuation.packet() else { throw .store(.cryptography) }
    if let store = resolved.store {
      do throws(FactorStoreError) {
        return try store.seal(continuation: packet.span, binding: binding)
      } catch {
        // The store can fail between two requests; the break-glass code is asked for then.
        guard continuation.phase == .breakGlass else { throw .store(error) }
      }
    }
    guard let key = breakGlassKey else { throw .store(.cryptography) }
    do throws(SystemError) {
      let binding = binding
      return try AES256GCM.seal(packet.span, key: key.span, associated: binding.span)
    } catch {
      throw .store(.cryptography)
    }
  }

  /// Opens the continuation of the request. Returns the one of a beginning if the request has none, or one of
  /// another sign-in.
  func continuation(_ store: Machine.Store?) -> Continuation {
    let sealed = application.continuation
    guard !sealed.isEmpty else { return Continuation() }
    var opened: SecretBytes?
    if let store {
      do throws(FactorStoreError) {
        opened = try store.open(continuation: sealed, binding: binding)
      } catch {
        opened = nil
      }
    }
    let isOfStore = opened != nil
    if !isOfStore, let key = breakGlassKey {
      let binding = binding
      opened = AES256GCM.open(sealed.span, key: key.span, associated: binding.span)
    }
    guard let packet = opened.take() else { return Continuation() }
    do throws(PacketError) {
      var continuation = try Continuation(packet: packet)
      continuation.isOfStore = isOfStore
      guard isOfStore || continuation.phase == .breakGlass else { return Continuation() }
      return continuation
    } catch {
      return Continuation()
    }
  }

  private var breakGlassKey: SecretBytes? {
    guard let credential = host.breakGlass else { return nil }
    let label: StaticString = "mfa continuation key, version 1"
    do throws(SystemError) {
      var derivation = try HMAC(algorithm: .sha256, key: credential.hash.span)
      return try derivation.tag(of: label.bytes.span)
    } catch {
      return nil
    }
  }
}
