import MFASecrets
import ArgumentParser
import MultiFactor

/// `mfa-enroll resync`.
struct Resync: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Has the host learn how far a device's clock is off.",
    discussion: """
      Asks for the code that the app shows, and for the code after it as soon as the app shows \
      that one, at most two minutes later. The clock may be off by five minutes. It is better to \
      set the device's clock, where that can be done.
      """)

  @Argument(help: "Its name, or its identifier. The only one needs none.")
  var factor: String?

  func run() async throws {
    let change = try await FactorChange.choose(factor)
    let interface = change.interface
    interface.tell(
      "Where a code of a present factor is asked for, press return if you have no other.")
    try await change.make { session throws(MultiFactorError) in
      guard let first = interface.ask("Code from the app: ", echo: true) else {
        interface.tell("")
        throw .notACode
      }
      try await change.multiFactor.resync(change.factor, code: first, with: session)
      guard let second = interface.ask("The code after it, when the app shows it: ", echo: true)
      else {
        interface.tell("")
        throw .notACode
      }
      try await change.multiFactor.completeResync(code: second, with: session)
      interface.tell(
        "\(quoted(change.factor.displayName)) is in step; the two codes are used up")
    }
  }
}
