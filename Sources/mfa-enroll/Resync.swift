import ArgumentParser
import MultiFactor
import Secrets

/// `mfa-enroll resync`.
struct Resync: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Has the host learn how far a device's clock is off.",
    discussion: """
      Asks for the code that the app shows, and for the one after it. Better than this is to put \
      the device's clock right, where that can be done.
      """)

  @Argument(help: "Its name, or its identifier. The only one needs none.")
  var factor: String?

  func run() async throws {
    let change = try await FactorChange.choose(factor)
    let person = change.person
    person.tell("Where a code of a present factor is asked for, press return if you have no other.")
    try await change.make { session throws(MultiFactorError) in
      guard let first = person.ask("Code from the app: ", echo: true),
        let second = person.ask("The code after it, when the app shows it: ", echo: true)
      else {
        person.tell("")
        throw .notACode
      }
      try await change.multiFactor.resync(
        change.factor, first: first, second: second, with: session)
      person.tell(
        "\(quoted(change.factor.displayName)) is in step; the two codes are used up")
    }
  }
}
