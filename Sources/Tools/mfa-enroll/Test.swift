import ArgumentParser
import MultiFactor

/// `mfa-enroll test`.
struct Test: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Says whether a code is right, without a sign-in.",
    discussion: """
      It counts as an attempt: a right code of a device is used up, and a wrong code counts as \
      wrong. A recovery code is recognised, and stays valid.
      """)

  func run() async throws {
    let interface = UserInterface()
    let multiFactor = MultiFactor(tell: interface.tell)
    do {
      // Starts the conversation first, so that the user types no code that cannot be verified.
      guard try await !multiFactor.enrolledFactors.isEmpty else {
        throw Failure("you have no second factor yet", hint: "enrol one with mfa-enroll")
      }
      guard let code = interface.ask(TestWords.prompt, echo: true) else {
        interface.tell("")
        throw TestWords.nothingTyped
      }
      interface.tell(TestWords.result(try await multiFactor.test(oneTimePassword: code)))
      if let warning = await RecoveryCodeDisplay.warning(of: multiFactor) {
        interface.tell(warning)
      }
      await multiFactor.close()
    } catch let error as MultiFactorError {
      throw Failure(error)
    }
  }
}

/// What `mfa-enroll test` says.
enum TestWords {
  static let prompt = "Code from the app: "

  static let nothingTyped = Failure("no code was typed, and none was checked", hint: "start again")

  static func result(_ code: TestedCode) -> String {
    switch code {
    case .factorCode: "Correct. That code can't be used again."
    case .recoveryCode:
      "Correct. That is one of your recovery codes. It was not used, and stays valid."
    case .bypassCode: "Correct. That is a bypass code. It was not used, and stays valid."
    }
  }
}
