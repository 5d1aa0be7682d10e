import ArgumentParser
import MFAEnrollMessages
import MultiFactor

/// `mfa-enroll test`.
struct Test: EnrollCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check a code without signing in.",
    discussion:
      "The check counts as an attempt: a correct code can't be used again, and a wrong one counts.")

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
      try await multiFactor.test(oneTimePassword: code)
      interface.tell(.testedCode)
      await RecoveryCodeDisplay.warn(of: multiFactor, on: interface)
      await multiFactor.close()
    } catch let error as MultiFactorError {
      throw Failure(error)
    }
  }
}
