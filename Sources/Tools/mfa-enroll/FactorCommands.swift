import ArgumentParser
import MFABase
import MFAEnrollMessages
import MFAMessages
import MFAModel
import MultiFactor

/// `mfa-enroll rename`.
struct Rename: EnrollCommand {
  static let configuration = CommandConfiguration(abstract: "Change the name of a device.")

  @Argument(
    help: "The current name of the device, or its ID.", completion: FactorChoice.completion)
  var device: String

  @Argument(help: "The new name.")
  var name: String

  @OptionGroup var options: CommonOptions

  func check() throws(Failure) { try check(name: name) }

  func carryOut(_ multiFactor: MultiFactor, _ interface: UserInterface) async throws {
    let factors = try await multiFactor.enrolledFactors
    let factor = try FactorChoice.factor(device, among: factors)
    // Refuses the name of another factor before the user is asked for a password.
    guard !factors.contains(where: { $0.displayName == name && $0.uid != factor.uid }) else {
      throw MultiFactorError.secondFactorAlreadyEnrolled
    }
    _ = try await Reauthentication(of: interface).session(with: multiFactor)
    try await multiFactor.rename(factor, to: name)
    interface.tell(.renamed(from: factor.name, to: name))
    interface.report(
      ProgramResult(.renamed, FactorEntry(uid: factor.uid, displayName: name, factor.factorID)))
  }
}

/// `mfa-enroll resync`.
struct Resync: EnrollCommand {
  static let configuration = CommandConfiguration(
    abstract: "Correct for a device whose clock is wrong.",
    discussion: """
      Asks for the code that the app shows, and for the next one as soon as the app shows it, at \
      most two minutes later. The clock may be off by five minutes. If you can set the device's \
      clock, do that instead.
      """)

  @Argument(
    help: "The name of the device, or its ID. Asked for if you have several.",
    completion: FactorChoice.completion)
  var device: String?

  @OptionGroup var options: CommonOptions

  func carryOut(_ multiFactor: MultiFactor, _ interface: UserInterface) async throws {
    let factor = try FactorChoice.factor(
      device, among: try await multiFactor.enrolledFactors, askedBy: interface)
    interface.tell(.resyncOpening)
    let session = try await Reauthentication(of: interface).session(with: multiFactor)
    let first = try code(
      .codePrompt, Need(.code, factors: [FactorEntry(factor)]), interface)
    try await multiFactor.resync(factor, code: first, with: session)
    let second = try code(.nextCodePrompt, Need(.nextCode), interface)
    try await multiFactor.completeResync(code: second, with: session)
    interface.tell(.resynced(name: factor.name))
    interface.report(ProgramResult(.resynchronized, FactorEntry(factor)))
  }

  private func code(
    _ prompt: EnrollMessage, _ need: Need, _ interface: UserInterface
  ) throws(MultiFactorError) -> SecretBytes {
    if let code = interface.ask(prompt, need, echo: true) { return code }
    interface.endLine()
    throw .notACode
  }
}

/// `mfa-enroll unenroll`.
struct Unenroll: EnrollCommand {
  static let configuration = CommandConfiguration(
    abstract: "Remove a device, so that its codes are rejected.",
    aliases: ["unenrol", "remove", "delete"])

  @Argument(
    help: "The name of the device, or its ID. Asked for if you have several.",
    completion: FactorChoice.completion)
  var device: String?

  @Flag(help: "Do not ask for confirmation.")
  var yes = false

  @OptionGroup var options: CommonOptions

  func carryOut(_ multiFactor: MultiFactor, _ interface: UserInterface) async throws {
    let factors = try await multiFactor.enrolledFactors
    let factor = try FactorChoice.factor(device, among: factors, askedBy: interface)
    let isOnly = factors.count == 1
    if !yes, !interface.isJSON {
      if isOnly { interface.tell(.removeOnly) }
      let status = try await multiFactor.status
      // Devices are listed oldest first.
      let endsSessions = status.endsSessions && factor.uid == factors.last?.uid
      if endsSessions, OtherSessions.canBeEnded { interface.tell(.removalEndsSessions) }
      if status.rememberedSignIns > 0 { interface.tell(.removalForgetsSignIns) }
      guard try isSure(factor, interface) else {
        return interface.tell(EnrollFailure.nothingRemoved.text(in: interface.language).description)
      }
    }
    _ = try await Reauthentication(of: interface).session(with: multiFactor)
    // Read before the removal, which also removes the recovery codes of the last device.
    let status = try await multiFactor.status
    let unenrollment = try await multiFactor.unenroll(with: factor)
    interface.tell(.removed(name: factor.name))
    if isOnly {
      interface.tell(.onlyRemoved(anotherIsExpected: status.expectsDevice))
      if status.recoveryCodesLeft > 0 { interface.tell(.recoveryCodesVoid) }
    } else if unenrollment.signedOut {
      interface.tell(.newestRemoved)
    }
    if unenrollment.endsSessions { OtherSessions.end(telling: interface) }
    var result = ProgramResult(.unenrolled, FactorEntry(factor))
    (result.signedOut, result.endsSessions) = (unenrollment.signedOut, unenrollment.endsSessions)
    interface.report(result)
  }

  /// Returns whether the user confirms the removal.
  ///
  /// - Throws: a failure at the end of the input.
  private func isSure(
    _ factor: MultiFactorInfo, _ interface: UserInterface
  ) throws(Failure) -> Bool {
    let question = EnrollMessage.removeQuestion(name: factor.name)
    guard let answer = interface.ask(question, echo: true) else {
      interface.endLine()
      throw Failure(.nothingRemoved)
    }
    return interface.language.isYes(interface.text(of: answer))
  }
}

/// `mfa-enroll replace`.
struct Replace: EnrollCommand {
  static let configuration = CommandConfiguration(
    abstract: "Add a device in place of another, for example a new phone.",
    discussion: """
      Adds the new device as enroll does, and then removes the old one. If you no longer have the \
      old one, answer with a recovery code where a code of it is asked for.
      """)

  @Argument(
    help: "The name of the old device, or its ID. Asked for if you have several.",
    completion: FactorChoice.completion)
  var device: String?

  @OptionGroup var enrollment: Enroll

  var options: CommonOptions { enrollment.options }

  func check() throws(Failure) { try enrollment.check() }

  func carryOut(_ multiFactor: MultiFactor, _ interface: UserInterface) async throws {
    let old = try FactorChoice.factor(
      device, among: try await multiFactor.enrolledFactors, askedBy: interface)
    interface.tell(.replacing(name: old.name))
    let (new, _) = try await enrollment.enroll(multiFactor, interface)
    _ = try await multiFactor.unenroll(with: old)
    interface.tell(.removed(name: old.name))
    var result = ProgramResult(.replaced, new)
    result.removed = FactorEntry(old)
    interface.report(result)
    try await NextStep.propose(of: multiFactor, on: interface)
  }
}

/// `mfa-enroll forget`.
struct Forget: EnrollCommand {
  static let configuration = CommandConfiguration(
    abstract: "Clear remembered sign-ins, so the next sign-in asks for a code.",
    discussion: """
      If the administrator allows it, a sign-in with a code is remembered for a while, and the next \
      one from the same place asks for none. This command ends that for all places.
      """)

  @OptionGroup var options: CommonOptions

  var asks: Bool { false }

  func carryOut(_ multiFactor: MultiFactor, _ interface: UserInterface) async throws {
    let places = try await multiFactor.clearRememberedSignIns()
    var result = ProgramResult(.forgotten)
    result.rememberedSignIns = places
    interface.report(result)
    if !interface.isJSON {
      Output.standardOutput.write(interface.text(.rememberedSignInsCleared(places)) + "\n")
    }
  }
}

/// `mfa-enroll test`.
struct Test: EnrollCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check a code without signing in.",
    discussion: """
      The check counts as an attempt: a correct code of a device can't be used again, and a wrong \
      code counts. A recovery code is recognised, and stays valid.
      """)

  @OptionGroup var options: CommonOptions

  func carryOut(_ multiFactor: MultiFactor, _ interface: UserInterface) async throws {
    // Starts the conversation first, so that the user types no code that cannot be verified.
    let factors = try await multiFactor.enrolledFactors
    guard !factors.isEmpty else { throw Failure(.noDevice) }
    let account = EnrollMessage.account(
      user: try await multiFactor.userName, host: CallingProcess.hostName)
    interface.tell(account)
    let code = try await askForCode(interface, multiFactor, factors)
    let tested = try await multiFactor.test(oneTimePassword: code)
    let factor = factors.first { .factorCode(uid: $0.uid) == tested }
    interface.tell(Self.message(tested, of: factor))
    await RecoveryCodeDisplay.warn(of: multiFactor, on: interface)
    var result = ProgramResult(.tested)
    result.code = tested.name
    result.factor = factor.map { FactorEntry($0) }
    interface.report(result)
  }

  /// Asks for a code. The user can have one sent to a phone.
  private func askForCode(
    _ interface: UserInterface, _ multiFactor: MultiFactor, _ factors: [MultiFactorInfo]
  ) async throws -> SecretBytes {
    let phones = factors.compactMap { $0 as? PhoneMultiFactorInfo }
    let prompt = Self.prompt(factors, phones, in: interface.language)
    let need = Need(.code, factors: factors.map { FactorEntry($0) })
    while true {
      guard let answer = interface.ask(prompt, need, echo: true) else {
        interface.endLine()
        throw Failure(.noCode)
      }
      guard let phone = SendRequest.phone(requestedBy: answer, among: phones) else {
        return answer
      }
      do throws(MultiFactorError) {
        let resolver = try await multiFactor.signInResolver()
        _ = try await PhoneAuthProvider.provider().verifyPhoneNumber(
          with: phone, multiFactorSession: resolver.session)
        interface.tell(.codeSentToPhone)
      } catch {
        guard interface.asksAgain else { throw error }
        interface.tell(Failure(error))
      }
    }
  }

  /// Returns the prompt. It has the name and number of the only phone, or below a list of all devices if there are
  /// several phones.
  private static func prompt(
    _ factors: [MultiFactorInfo], _ phones: [PhoneMultiFactorInfo], in language: Language
  ) -> MessageText {
    guard let phone = phones.first else { return EnrollMessage.codePrompt.text(in: language) }
    guard phones.count > 1 else {
      return SignInMessage.codeOrSendPrompt(
        name: Array(phone.name.utf8), number: Array(phone.phoneNumber.utf8)
      ).text(in: language)
    }
    let devices = factors.map { factor in
      let number = (factor as? PhoneMultiFactorInfo).map { Array($0.phoneNumber.utf8) }
      return DeviceList.Device(
        name: Array(factor.name.utf8), number: number, isOffered: number != nil)
    }
    return MessageText(
      DeviceList(devices).text(
        above: SignInMessage.codeOrSendChoicePrompt.text(in: language), in: language))
  }

  private static func message(_ code: TestedCode, of factor: MultiFactorInfo?) -> EnrollMessage {
    switch code {
    case .factorCode: factor.map { .testedFactor(name: $0.name) } ?? .testedCode
    case .recoveryCode: .testedRecoveryCode
    case .bypassCode: .testedBypassCode
    }
  }
}
