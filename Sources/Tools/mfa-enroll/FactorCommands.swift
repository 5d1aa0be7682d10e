import ArgumentParser
import MFABase
import MFAEnrollMessages
import MFAMessages
import MultiFactor

/// `mfa-enroll rename`.
struct Rename: EnrollCommand {
  static let configuration = CommandConfiguration(abstract: "Change the name of a device.")

  @Argument(help: "The current name of the device, or its ID.")
  var device: String

  @Argument(help: "The new name.")
  var name: String

  @OptionGroup var options: CommonOptions

  func validate() throws { try MFAEnroll.check(name: name) }

  func run() async throws {
    let change = try await FactorChange.choose(device, for: self)
    try await checkName(of: change)
    try await change.make { _ throws(MultiFactorError) in
      try await change.multiFactor.rename(change.factor, to: name)
      change.interface.tell(.renamed(from: change.factor.name, to: name))
    }
  }

  /// Refuses the name of another factor before the user is asked for a password.
  private func checkName(of change: FactorChange) async throws(Failure) {
    do throws(MultiFactorError) {
      let others = try await change.multiFactor.enrolledFactors
      guard !others.contains(where: { $0.displayName == name && $0.uid != change.factor.uid })
      else {
        throw .secondFactorAlreadyEnrolled
      }
    } catch {
      throw Failure(error)
    }
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

  @Argument(help: "The name of the device, or its ID. Not needed if you have only one.")
  var device: String?

  @OptionGroup var options: CommonOptions

  func run() async throws {
    let change = try await FactorChange.choose(device, for: self)
    let interface = change.interface
    interface.tell(.resyncOpening)
    try await change.make { session throws(MultiFactorError) in
      guard let first = interface.ask(.codePrompt, echo: true) else {
        interface.endLine()
        throw .notACode
      }
      try await change.multiFactor.resync(change.factor, code: first, with: session)
      guard let second = interface.ask(.nextCodePrompt, echo: true)
      else {
        interface.endLine()
        throw .notACode
      }
      try await change.multiFactor.completeResync(code: second, with: session)
      interface.tell(.resynced(name: change.factor.name))
    }
  }
}

/// `mfa-enroll unenroll`.
struct Unenroll: EnrollCommand {
  static let configuration = CommandConfiguration(
    abstract: "Remove a device, so that its codes are rejected.",
    aliases: ["unenrol", "remove", "delete"])

  @Argument(help: "The name of the device, or its ID. Not needed if you have only one.")
  var device: String?

  @Flag(help: "Do not ask for confirmation.")
  var yes = false

  @OptionGroup var options: CommonOptions

  func run() async throws {
    let change = try await FactorChange.choose(device, for: self)
    guard yes || isSure(change) else {
      throw Failure(.nothingRemoved)
    }
    try await change.make { _ throws(MultiFactorError) in
      // Read before the removal, which also removes the recovery codes of the last device.
      let status = try await change.multiFactor.status
      let unenrollment = try await change.multiFactor.unenroll(with: change.factor)
      change.interface.tell(.removed(name: change.factor.name))
      if change.isOnly {
        change.interface.tell(.onlyRemoved(anotherIsExpected: status.expectsDevice))
        if status.recoveryCodesLeft > 0 { change.interface.tell(.recoveryCodesVoid) }
      } else if unenrollment.signedOut {
        change.interface.tell(.newestRemoved)
      }
      if unenrollment.endsSessions { OtherSessions.end(telling: change.interface) }
    }
  }

  private func isSure(_ change: FactorChange) -> Bool {
    let interface = change.interface
    if change.isOnly {
      interface.tell(.removeOnly)
    }
    let question = EnrollMessage.removeQuestion(name: change.factor.name)
    guard let answer = interface.ask(question, echo: true) else {
      interface.endLine()
      return false
    }
    return interface.language.isYes(interface.text(of: answer))
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

  func run() async throws {
    let interface = UserInterface.withoutQuestions
    let multiFactor = MultiFactor(language: interface.language, tell: interface.tell(host:))
    do throws(MultiFactorError) {
      let places = try await multiFactor.clearRememberedSignIns()
      await multiFactor.close()
      Output.standardOutput.write(
        EnrollMessage.rememberedSignInsCleared(places).text(in: interface.language).string + "\n")
    } catch {
      throw Failure(error)
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

  func run() async throws {
    let interface = try UserInterface(for: self)
    let multiFactor = MultiFactor(language: interface.language, tell: interface.tell(host:))
    do {
      // Starts the conversation first, so that the user types no code that cannot be verified.
      let factors = try await multiFactor.enrolledFactors
      guard !factors.isEmpty else { throw Failure(.noDevice) }
      let code = try await askForCode(
        interface, multiFactor, phones: factors.compactMap { $0 as? PhoneMultiFactorInfo })
      interface.tell(Self.message(try await multiFactor.test(oneTimePassword: code)))
      await RecoveryCodeDisplay.warn(of: multiFactor, on: interface)
      await multiFactor.close()
    } catch let error as MultiFactorError {
      throw Failure(error)
    }
  }

  /// Asks for a code. With a phone, the user can have one sent: to the only phone, or to the one that
  /// was added last.
  private func askForCode(
    _ interface: UserInterface, _ multiFactor: MultiFactor, phones: [PhoneMultiFactorInfo]
  ) async throws -> SecretBytes {
    let prompt: MessageText =
      if let phone = phones.last {
        SignInMessage.codeOrSendPrompt(number: Array(phone.phoneNumber.utf8))
          .text(in: interface.language)
      } else {
        EnrollMessage.codePrompt.text(in: interface.language)
      }
    while true {
      guard let answer = interface.ask(prompt, echo: true) else {
        interface.endLine()
        throw Failure(.noCode)
      }
      guard let phone = phones.last, SendRequest.isOne(answer) else { return answer }
      do throws(MultiFactorError) {
        let resolver = try await multiFactor.signInResolver()
        _ = try await PhoneAuthProvider.provider().verifyPhoneNumber(
          with: phone, multiFactorSession: resolver.session)
        interface.tell(.codeSentToPhone)
      } catch {
        guard interface.isAtTerminal else { throw error }
        interface.tell(Failure(error))
      }
    }
  }

  private static func message(_ code: TestedCode) -> EnrollMessage {
    switch code {
    case .factorCode: .testedCode
    case .recoveryCode: .testedRecoveryCode
    case .bypassCode: .testedBypassCode
    }
  }
}
