import ArgumentParser
import FoundationEssentials
import MultiFactor

/// `mfa-enroll list`.
struct List: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Lists what you have enrolled.")

  @Flag(help: "Prints JSON, for programs.")
  var json = false

  func run() async throws {
    let multiFactor = MultiFactor(tell: { Output.standardError.write("\($0)\n") })
    let factors: [MultiFactorInfo]
    let user: String
    let warning: String?
    do throws(MultiFactorError) {
      factors = try await multiFactor.enrolledFactors
      user = try await multiFactor.userName
      warning = json || factors.isEmpty ? nil : await RecoveryCodeDisplay.warning(of: multiFactor)
      await multiFactor.close()
    } catch {
      throw Failure(error)
    }
    if json {
      Output.standardOutput.write(try FactorTable.json(factors))
    } else if factors.isEmpty {
      Output.standardOutput.write("nothing is enrolled for \(user)\n")
      Output.standardError.write("hint: enrol an authenticator app with mfa-enroll\n")
    } else {
      Output.standardOutput.write(FactorTable.text(factors, date: LocaleSettings.text(of:)))
      if let warning { Output.standardError.write("\(warning)\n") }
    }
  }
}
