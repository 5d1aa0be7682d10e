import ArgumentParser
import MFAEnrollMessages
import MFAMessages
import MFABase
import MultiFactor

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
