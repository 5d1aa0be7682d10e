import ArgumentParser
import MFAEnrollMessages
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
      guard try await !multiFactor.enrolledFactors.isEmpty else {
        throw Failure(.noDevice)
      }
      guard let code = interface.ask(.codePrompt, echo: true) else {
        interface.endLine()
        throw Failure(.noCode)
      }
      interface.tell(Self.message(try await multiFactor.test(oneTimePassword: code)))
      await RecoveryCodeDisplay.warn(of: multiFactor, on: interface)
      await multiFactor.close()
    } catch let error as MultiFactorError {
      throw Failure(error)
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
