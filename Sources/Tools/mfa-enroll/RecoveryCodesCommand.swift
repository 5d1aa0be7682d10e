import ArgumentParser
import MFAEnrollMessages
import MultiFactor

/// `mfa-enroll recovery-codes`.
struct RecoveryCodesCommand: EnrollCommand {
  static let configuration = CommandConfiguration(
    commandName: "recovery-codes",
    abstract: "Show how many recovery codes are left, or make new ones.",
    discussion: "A recovery code signs you in once if you don't have your device.")

  @Flag(help: "Make new codes and show them. The old ones become invalid.")
  var new = false

  @OptionGroup var options: CommonOptions

  func run() async throws {
    let interface = new ? try UserInterface(for: self) : UserInterface.withoutQuestions
    let multiFactor = MultiFactor(language: interface.language, tell: interface.tell(host:))
    do throws(MultiFactorError) {
      if new {
        let session = try await Reauthentication(of: interface).session(with: multiFactor)
        try await RecoveryCodeDisplay.make(with: session, of: multiFactor, to: interface)
      } else {
        let status = try await multiFactor.status
        let left = EnrollMessage.recoveryCodesLeft(status.recoveryCodesLeft)
        Output.standardOutput.write(left.text(in: interface.language).string + "\n")
        if status.importedRecoveryCodesLeft > 0 {
          interface.tell(.recoveryCodesImported(status.importedRecoveryCodesLeft))
        }
        if status.importedRecoveryCodesLeft > 0
          || status.recoveryCodesLeft <= RecoveryCodeDisplay.few
        {
          interface.tell(.hintLabel, .makeRecoveryCodes)
        }
      }
      await multiFactor.close()
    } catch {
      throw Failure(error)
    }
  }
}
