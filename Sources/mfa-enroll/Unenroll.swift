import ArgumentParser
import MultiFactor
import Secrets

/// `mfa-enroll unenroll`.
struct Unenroll: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Removes a factor, so that its codes are accepted no more.")

  @Argument(help: "Its name, or its identifier.")
  var factor: String

  @Flag(help: "Does not ask whether you are sure.")
  var yes = false

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
    guard yes || isSure(chosen, isLast: known.count == 1, person) else {
      throw Failure("nothing was removed", hint: "answer y, or use --yes, to remove it")
    }
    do throws(MultiFactorError) {
      _ = try await Recognition(of: person).session(with: multiFactor)
      let unenrollment = try await multiFactor.unenroll(with: chosen)
      person.tell("\(quoted(chosen.displayName)) is removed")
      if unenrollment.signedOut {
        person.tell("it was the last that you had enrolled: you are signed out, sign in again")
      }
      await multiFactor.close()
    } catch {
      throw Failure(error)
    }
  }

  private func isSure(_ chosen: MultiFactorInfo, isLast: Bool, _ person: Person) -> Bool {
    if isLast { person.tell("It is the only one: without it there is no code to sign in with.") }
    guard let answer = person.ask("Remove \(quoted(chosen.displayName))? [y/N] ", echo: true) else {
      person.tell("")
      return false
    }
    let first = answer.span.isEmpty ? 0 : answer.span[0]
    return first == UInt8(ascii: "y") || first == UInt8(ascii: "Y")
  }
}
