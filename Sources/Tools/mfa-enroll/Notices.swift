import ArgumentParser
import MultiFactor

/// `mfa-enroll notices`.
struct Notices: EnrollCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show notices about your devices, and mark them as read.",
    discussion: "Notices of changes stay until you sign in with a device that you had before.")

  @OptionGroup var options: CommonOptions

  func run() async throws {
    let interface = UserInterface.withoutQuestions
    let multiFactor = MultiFactor(language: interface.language, tell: interface.print)
    do throws(MultiFactorError) {
      try await multiFactor.readNotices()
      await multiFactor.close()
    } catch {
      throw Failure(error)
    }
  }
}
