import ArgumentParser
import MultiFactor

/// `mfa-enroll rename`.
struct Rename: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Gives a factor another name.")

  @Argument(help: "Its present name, or its identifier.")
  var factor: String

  @Argument(help: "The new name.")
  var name: String

  func validate() throws { try MFAEnroll.check(name: name) }

  func run() async throws {
    let change = try await FactorChange.choose(factor)
    try await checkName(of: change)
    try await change.make { _ throws(MultiFactorError) in
      try await change.multiFactor.rename(change.factor, to: name)
      change.interface.tell("\(quoted(change.factor.displayName)) is \(quoted(name)) now")
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
