import ArgumentParser
import MFAEnrollMessages
import MultiFactor

/// `mfa-enroll forget`.
struct Forget: EnrollCommand {
  static let configuration = CommandConfiguration(
    abstract: "Clear remembered sign-ins, so the next sign-in asks for a code.",
    discussion: """
      If the administrator allows it, a sign-in with a code is remembered for a while, and the next \
      one from the same place asks for none. This command ends that for all places.
      """)

  @OptionGroup var options: CommonOptions

  func run() async throws {
    let interface = UserInterface.withoutQuestions
    let multiFactor = MultiFactor(language: interface.language, tell: interface.tell(host:))
    do throws(MultiFactorError) {
      let places = try await multiFactor.clearRememberedSignIns()
      await multiFactor.close()
      Output.standardOutput.write(
        EnrollMessage.rememberedSignInsCleared(places).text(in: interface.language).string + "\n")
    } catch {
      throw Failure(error)
    }
  }
}
