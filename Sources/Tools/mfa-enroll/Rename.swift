import ArgumentParser
import MFAEnrollMessages
import MultiFactor

/// `mfa-enroll rename`.
struct Rename: EnrollCommand {
  static let configuration = CommandConfiguration(abstract: "Change the name of a device.")

  @Argument(help: "The current name of the device, or its ID.")
  var device: String

  @Argument(help: "The new name.")
  var name: String

  @OptionGroup var options: CommonOptions

  func validate() throws { try MFAEnroll.check(name: name) }

  func run() async throws {
    let change = try await FactorChange.choose(device, for: self)
    try await checkName(of: change)
    try await change.make { _ throws(MultiFactorError) in
      try await change.multiFactor.rename(change.factor, to: name)
      change.interface.tell(.renamed(from: change.factor.name, to: name))
    }
  }

  /// Refuses the name of another factor before the user is asked for a password.
  private func checkName(of change: FactorChange) async throws(Failure) {
    do throws(MultiFactorError) {
      let others = try await change.multiFactor.enrolledFactors
      guard !others.contains(where: { $0.displayName == name && $0.uid != change.factor.uid })
      else {
        throw .secondFactorAlreadyEnrolled
      }
    } catch {
      throw Failure(error)
    }
  }
}
