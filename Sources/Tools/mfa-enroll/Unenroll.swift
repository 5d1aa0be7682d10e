import MFASecrets
import ArgumentParser
import MultiFactor

/// `mfa-enroll unenroll`.
struct Unenroll: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Removes a factor, so that its codes are accepted no more.",
    aliases: ["unenrol", "remove"])

  @Argument(help: "Its name, or its identifier.")
  var factor: String

  @Flag(help: "Does not ask whether you are sure.")
  var yes = false

  func run() async throws {
    let change = try await FactorChange.choose(factor)
    guard yes || isSure(change) else {
      throw Failure("nothing was removed", hint: "answer y, or use --yes, to remove it")
    }
    try await change.make { _ throws(MultiFactorError) in
      let unenrollment = try await change.multiFactor.unenroll(with: change.factor)
      change.interface.tell("\(quoted(change.factor.displayName)) is removed")
      if unenrollment.signedOut {
        change.interface.tell(
          "it was the last that you had enrolled: you are signed out, sign in again;"
            + " sign-ins that were remembered are forgotten")
      }
      if unenrollment.endsSessions { OtherSessions.end(telling: change.interface) }
    }
  }

  private func isSure(_ change: FactorChange) -> Bool {
    let interface = change.interface
    if change.isOnly {
      interface.tell("It is the only one: without it there is no code to sign in with.")
    }
    let question = "Remove \(quoted(change.factor.displayName))? [y/N] "
    guard let answer = interface.ask(question, echo: true) else {
      interface.tell("")
      return false
    }
    let first = answer.span.isEmpty ? 0 : answer.span[0]
    return first == UInt8(ascii: "y") || first == UInt8(ascii: "Y")
  }
}
