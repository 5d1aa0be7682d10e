import ArgumentParser
import FoundationEssentials
import MFAEnrollMessages
import MultiFactor

/// `mfa-enroll list`.
struct List: EnrollCommand {
  static let configuration = CommandConfiguration(
    abstract: "List your devices.", aliases: ["devices", "ls"])

  @Flag(help: "Print JSON. For programs.")
  var json = false

  @OptionGroup var options: CommonOptions

  func run() async throws {
    let interface = UserInterface.withoutQuestions
    let multiFactor = MultiFactor(language: interface.language, tell: interface.tell(host:))
    let factors: [MultiFactorInfo]
    let user: String
    var codesLeft: Int?
    do throws(MultiFactorError) {
      factors = try await multiFactor.enrolledFactors
      user = try await multiFactor.userName
      if !json, !factors.isEmpty { codesLeft = try await multiFactor.recoveryCodesLeft }
      await multiFactor.close()
    } catch {
      throw Failure(error)
    }
    if json {
      Output.standardOutput.write(try FactorTable.json(factors))
    } else if factors.isEmpty {
      Output.standardOutput.write(
        EnrollMessage.noDevices(user: user).text(in: interface.language).string + "\n")
      interface.tell(.hintLabel, .addDevice)
    } else {
      Output.standardOutput.write(
        FactorTable.text(factors, in: interface.language, date: LocaleSettings.text(of:)))
      if let codesLeft { RecoveryCodeDisplay.warn(left: codesLeft, on: interface) }
    }
  }
}
