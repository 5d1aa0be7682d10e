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
    let person = Person()
    let multiFactor = MultiFactor(tell: person.tell)
    let known: [MultiFactorInfo]
    do throws(MultiFactorError) {
      known = try await multiFactor.enrolledFactors
    } catch {
      throw Failure(error)
    }
    let chosen = try FactorChoice.factor(factor, among: known)
    do throws(MultiFactorError) {
      _ = try await Recognition(of: person).session(with: multiFactor)
      try await multiFactor.rename(chosen, to: name)
      person.tell("\(quoted(chosen.displayName)) is \(quoted(name)) now")
      await multiFactor.close()
    } catch {
      throw Failure(error)
    }
  }
}
