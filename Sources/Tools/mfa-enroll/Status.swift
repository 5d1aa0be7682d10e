import ArgumentParser
import FoundationEssentials
import MFAEnrollMessages
import MultiFactor

/// `mfa-enroll status`.
struct Status: EnrollCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show your devices, recovery codes, failed attempts and notices.",
    discussion: "It needs no password, and changes nothing.")

  @Flag(help: "Print JSON. For programs.")
  var json = false

  @OptionGroup var options: CommonOptions

  func run() async throws {
    let interface = UserInterface.withoutQuestions
    let multiFactor = MultiFactor(language: interface.language, tell: interface.tell(host:))
    let report: StatusReport
    do throws(MultiFactorError) {
      report = StatusReport(
        account: try await multiFactor.userName,
        host: FactorChoice.shown(CallingProcess.hostName),
        factors: try await multiFactor.enrolledFactors, status: try await multiFactor.status,
        now: .now)
      await multiFactor.close()
    } catch {
      throw Failure(error)
    }
    let text =
      json
      ? try report.json() : report.text(in: interface.language, date: LocaleSettings.text(of:))
    Output.standardOutput.write(text)
  }
}
