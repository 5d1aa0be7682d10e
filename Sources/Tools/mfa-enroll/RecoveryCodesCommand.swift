import ArgumentParser
import MFAFactors
import MultiFactor

/// `mfa-enroll recovery-codes`.
struct RecoveryCodesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recovery-codes",
    abstract: "Says how many recovery codes are left, or makes new ones.",
    discussion: """
      A recovery code signs you in once, in place of a code from your device. Used codes are not \
      replaced one by one: make a new sheet when few are left. Only digests of the codes are \
      stored, so codes that were made before cannot be shown again.
      """)

  @Flag(help: "Makes new codes and shows them. The old ones no longer work.")
  var new = false

  @Option(
    help: ArgumentHelp(
      "Saves the new codes in a new file that only you can read, in place of showing them.",
      valueName: "file"))
  var save: String?

  @Flag(name: .customLong("print"), help: "Prints the new codes, in place of showing them.")
  var prints = false

  func validate() throws {
    guard new || (save == nil && !prints) else { throw ValidationError(RecoveryWords.onlyNewCodes) }
    guard save.map({ !$0.isEmpty && !$0.utf8.contains(0) }) ?? true else {
      throw ValidationError(RecoveryWords.noPath)
    }
  }

  func run() async throws {
    let interface = UserInterface()
    let multiFactor = MultiFactor(tell: interface.tell)
    if new {
      try await makeNew(multiFactor, interface)
    } else {
      try await report(multiFactor, interface)
    }
    await multiFactor.close()
  }

  /// Makes new codes. The file and the printer are found before any question, so that an error
  /// there voids no code.
  private func makeNew(
    _ multiFactor: MultiFactor, _ interface: UserInterface
  ) async throws(Failure) {
    let printer = prints ? Printer() : nil
    guard !prints || printer != nil else { throw RecoveryWords.noPrinter }
    var file: PictureFile?
    if let save { file = try PictureFile(creating: save) }
    let failure: Failure?
    do throws(MultiFactorError) {
      let session = try await Reauthentication(of: interface).session(with: multiFactor)
      failure = try await RecoveryCodeDisplay.make(
        with: session, of: multiFactor, to: interface,
        RecoveryCodeDisplay.Destination(file: file, printer: printer))
    } catch {
      file?.remove()
      throw Failure(error)
    }
    if let failure { throw failure }
  }

  private func report(
    _ multiFactor: MultiFactor, _ interface: UserInterface
  ) async throws(Failure) {
    let status: MultiFactorStatus
    do throws(MultiFactorError) {
      status = try await multiFactor.status
    } catch {
      throw Failure(error)
    }
    Output.standardOutput.write(RecoveryWords.left(status.recoveryCodesLeft) + "\n")
    if status.importedRecoveryCodesLeft > 0 {
      interface.tell(RecoveryWords.imported(status.importedRecoveryCodesLeft))
    }
    if status.importedRecoveryCodesLeft > 0 || status.recoveryCodesLeft <= RecoveryCodeSupply.few {
      interface.tell(RecoveryWords.makeNew)
    }
  }
}
