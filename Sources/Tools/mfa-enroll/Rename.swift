import ArgumentParser
import MFAEnrollMessages
import MultiFactor

/// `mfa-enroll rename`.
struct Rename: EnrollCommand {
  static let configuration = CommandConfiguration(abstract: "Change the name of a device.")

  @Argument(help: "The current name of the device, or its ID.")
  var factor: String

  @Argument(help: "The new name.")
  var name: String

  @OptionGroup var options: CommonOptions

  func validate() throws { try MFAEnroll.check(name: name) }

  func run() async throws {
    let change = try await FactorChange.choose(factor, for: self)
    try await change.make { _ throws(MultiFactorError) in
      try await change.multiFactor.rename(change.factor, to: name)
      change.interface.tell(.renamed(from: change.factor.displayName, to: name))
    }
  }
}
