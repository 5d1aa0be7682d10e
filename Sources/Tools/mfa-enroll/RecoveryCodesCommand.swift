import ArgumentParser
import MultiFactor

/// `mfa-enroll recovery-codes`.
struct RecoveryCodesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recovery-codes",
    abstract: "Says how many recovery codes are left, or makes new ones.",
    discussion: "A recovery code signs you in once, in place of a code from the app.")

  @Flag(help: "Makes new ones and shows them. The old ones are void then.")
  var new = false

  func run() async throws {
    let interface = UserInterface()
    let multiFactor = MultiFactor(tell: interface.tell)
    do throws(MultiFactorError) {
      if new {
        let session = try await Reauthentication(of: interface).session(with: multiFactor)
        try await RecoveryCodeDisplay.make(with: session, of: multiFactor, to: interface)
      } else {
        let status = try await multiFactor.status
        Output.standardOutput.write(
          RecoveryCodeDisplay.text(left: status.recoveryCodesLeft) + "\n")
        if status.importedRecoveryCodesLeft > 0 {
          interface.tell(
            "\(status.importedRecoveryCodesLeft) of them came from another program and are short")
        }
        if status.importedRecoveryCodesLeft > 0
          || status.recoveryCodesLeft <= RecoveryCodeDisplay.few
        {
          interface.tell("hint: make new ones with mfa-enroll recovery-codes --new")
        }
      }
      await multiFactor.close()
    } catch {
      throw Failure(error)
    }
  }
}
