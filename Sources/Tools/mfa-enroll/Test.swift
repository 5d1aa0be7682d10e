import ArgumentParser
import MultiFactor

/// `mfa-enroll test`.
struct Test: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Says whether a code is right, without a sign-in.",
    discussion: "It counts as an attempt: a right code is used up, a wrong one counts as wrong.")

  func run() async throws {
    let interface = UserInterface()
    let multiFactor = MultiFactor(tell: interface.tell)
    do {
      // Starts the conversation first, so that the user types no code that cannot be verified.
      guard try await !multiFactor.enrolledFactors.isEmpty else {
        throw Failure("you have no second factor yet", hint: "enrol one with mfa-enroll")
      }
      guard let code = interface.ask("Code from the app: ", echo: true) else {
        interface.tell("")
        throw Failure("no code was typed, and none was checked", hint: "start again")
      }
      try await multiFactor.test(oneTimePassword: code)
      interface.tell("the code is right; it is used up, the next sign-in takes the next one")
      if let warning = await RecoveryCodeDisplay.warning(of: multiFactor) {
        interface.tell(warning)
      }
      await multiFactor.close()
    } catch let error as MultiFactorError {
      throw Failure(error)
    }
  }
}
