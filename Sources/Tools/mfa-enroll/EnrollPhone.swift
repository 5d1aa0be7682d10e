import ArgumentParser
import MFAEnrollMessages
import MFABase
import MFAModel
import MultiFactor

/// `mfa-enroll phone`: begins a session, has a code sent to a phone number, and asks for the code.
struct EnrollPhone: EnrollCommand {
  static let configuration = CommandConfiguration(
    commandName: "phone",
    abstract: "Add a phone, to which codes are sent by text message.",
    discussion: """
      Sends a code to the phone and asks for it. Nothing changes until that code is correct. Codes \
      by text message are less safe than codes from an authenticator app.
      """)

  @Argument(
    help: """
      The phone number with its country code, such as +15105551234. Other users can see the \
      arguments of a command; without the number, the command asks for it.
      """)
  var number: String?

  @Option(help: "The name of the phone, such as work.")
  var name: String?

  @Flag(help: "Ask for an administrator's ticket instead of your password.")
  var ticket = false

  @OptionGroup var options: CommonOptions

  func check() throws(Failure) { try check(name: name) }

  func carryOut(_ multiFactor: MultiFactor, _ interface: UserInterface) async throws {
    interface.tellWhenEnded(.nothingAdded)
    let taken = try await multiFactor.enrolledFactors.map(\.name)
    try await multiFactor.checkEnrollment(
      displayName: name ?? DeviceName.usual(among: taken), of: .phone)
    let opening = EnrollMessage.phoneOpening(minutes: MultiFactor.sessionMinutes)
    let session = try await Reauthentication(
      of: interface, withTicket: ticket, opening: opening, ending: .nothingAdded
    ).session(with: multiFactor)
    let name = if let name { name } else { try DeviceName.ask(by: interface, among: taken) }
    let request = PhoneRequest(session: session, multiFactor: multiFactor, interface: interface)
    let uid = try await request.enroll(named: name, number)
    interface.tell(.enrolled(name: name))
    try await NextStep.tell(
      after: FactorEntry(uid: uid, displayName: name, .phone), with: session, of: multiFactor,
      on: interface)
  }
}

/// The enrolment of a phone number in a session.
struct PhoneRequest {
  let session: MultiFactorSession
  let multiFactor: MultiFactor
  let interface: UserInterface

  private var provider: PhoneAuthProvider { .provider() }

  /// Has a code sent to the number of the command line, or asks for a number until a code can be sent to it.
  /// Returns the number, and the ID of the request if a code was sent.
  private func begin(_ given: String?) async throws -> (number: String, verificationID: String?) {
    while true {
      let number = if let given { given } else { try typedNumber() }
      do throws(MultiFactorError) {
        return (number, try await send(to: number))
      } catch {
        guard interface.asksAgain else { throw error }
        switch error {
        case .quotaExceeded(let seconds):
          // The code that proved another phone in this session counts for the limit. The user can request one
          // later, without a new session.
          interface.tell(Failure(error), as: .nextCodeLater(seconds: seconds))
          return (number, nil)
        case .invalidPhoneNumber, .phoneRegionNotAllowed, .phoneNumberAlreadyEnrolled:
          guard given == nil else { throw error }
          interface.tell(Failure(error))
        default: throw error
        }
      }
    }
  }

  private func typedNumber() throws(Failure) -> String {
    guard let answer = interface.ask(.phoneNumberPrompt, Need(.phoneNumber), echo: true) else {
      interface.endLine()
      throw Failure(.nothingAdded)
    }
    return interface.text(of: answer)
  }

  /// Has a code sent, and asks for it until it is correct, or until the session ends. Returns the
  /// factor's `uid`.
  ///
  /// While the helper has a code, it is unknown whether the phone is added, so a signal says nothing
  /// then.
  func enroll(named name: String, _ given: String?) async throws -> String {
    let begun = try await begin(given)
    var verificationID = begun.verificationID
    var lastError: MultiFactorError?
    while true {
      interface.tellWhenEnded(.nothingAdded)
      guard let answer = interface.ask(.sentCodePrompt, Need(.newFactorCode), echo: true) else {
        interface.endLine()
        guard !interface.asksAgain else {
          throw Failure(.nothingAdded, status: lastError.map { ExitStatus($0) } ?? .failed)
        }
        throw lastError.map { Failure($0) } ?? Failure(.noCode)
      }
      do throws(MultiFactorError) {
        guard !SendRequest.isOne(answer) else {
          verificationID = try await send(to: begun.number)
          continue
        }
        guard let verificationID else { throw .invalidVerificationID }
        TerminalGuard.withdrawLastMessage()
        let credential = provider.credential(
          withVerificationID: verificationID, verificationCode: answer)
        return try await multiFactor.enroll(
          with: PhoneMultiFactorGenerator.assertion(with: credential), displayName: name)
      } catch {
        guard let message = Self.message(after: error, lastError) else { throw error }
        lastError = error
        interface.tell(Failure(error), as: message)
      }
    }
  }

  private func send(to number: String) async throws(MultiFactorError) -> String {
    let id = try await provider.verifyPhoneNumber(number, multiFactorSession: session)
    interface.tell(.codeSentToPhone)
    return id
  }

  /// Returns what the user is told before the next answer, or nil if there is no use in another one.
  private static func message(
    after error: MultiFactorError, _ lastError: MultiFactorError?
  ) -> EnrollMessage? {
    switch error {
    case .invalidVerificationCode, .notACode: .wrongSentCode
    case .quotaExceeded(let seconds): .nextCodeLater(seconds: seconds)
    // The first time, the code may be void while the session continues. The second time, the session
    // has ended.
    case .invalidVerificationID: .sentCodeExpired
    case .sessionExpired where lastError != .sessionExpired: .sentCodeExpired
    default: nil
    }
  }
}

/// The answer `s` to a prompt for a code, which requests a code.
enum SendRequest {
  /// Returns the phone that an answer requests a code for: as in the list (`DeviceList`), or `s` and an
  /// identifier.
  static func phone(
    requestedBy answer: borrowing SecretBytes, among phones: [PhoneMultiFactorInfo]
  ) -> PhoneMultiFactorInfo? {
    let span = answer.span
    if let position = DeviceList.position(requestedBy: span) {
      return phones.indices.contains(position) ? phones[position] : nil
    }
    return phones.first { phone in
      let request = Array("s \(phone.uid)".utf8)
      return span.count == request.count && span.indices.allSatisfy { span[$0] == request[$0] }
    }
  }

  static func isOne(_ answer: borrowing SecretBytes) -> Bool {
    let span = answer.span
    var letters = 0
    for index in span.indices where span[index] != UInt8(ascii: " ") {
      guard span[index] | 0x20 == UInt8(ascii: "s") else { return false }
      letters += 1
    }
    return letters == 1
  }
}
