import MFABase
import ArgumentParser
import MFAEnrollMessages
import MultiFactor

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
