import ArgumentParser
import MFAEnrollMessages
import MultiFactor

/// `mfa-enroll recovery-codes`.
struct RecoveryCodesCommand: EnrollCommand {
  static let configuration = CommandConfiguration(
    commandName: "recovery-codes",
    abstract: "Show how many recovery codes are left, or make new ones.",
    discussion: """
      A recovery code signs you in once if you don't have your device. Used codes are not \
      replaced: make a new sheet when few are left. Only digests of the codes are stored, so \
      codes that were made before cannot be shown again.
      """)

  @Flag(help: "Make new codes and show them. The old ones no longer work.")
  var new = false

  @Option(
    help: ArgumentHelp(
      "Save the new codes in a new file that only you can read, instead of showing them.",
      valueName: "file"))
  var save: String?

  @Flag(name: .customLong("print"), help: "Print the new codes, instead of showing them.")
  var prints = false

  @OptionGroup var options: CommonOptions

  func validate() throws {
    guard new || (save == nil && !prints) else {
      throw ValidationError(
        "--save and --print need --new, because only new codes can be shown")
    }
    guard save.map({ !$0.isEmpty && !$0.utf8.contains(0) }) ?? true else {
      throw ValidationError("--save requires the name of a new file")
    }
  }

  func run() async throws {
    let interface = new ? try UserInterface(for: self) : UserInterface.withoutQuestions
    let multiFactor = MultiFactor(language: interface.language, tell: interface.tell(host:))
    if new {
      try await makeNew(multiFactor, interface)
    } else {
      try await report(multiFactor, interface)
    }
    await multiFactor.close()
  }

  /// Makes new codes. A missing device, an error of the file and a missing printer are reported
  /// before any question, so that they void no code.
  private func makeNew(
    _ multiFactor: MultiFactor, _ interface: UserInterface
  ) async throws(Failure) {
    guard try await hasDevice(multiFactor) else { throw Failure(.noDevice) }
    let printer = prints ? Printer() : nil
    guard !prints || printer != nil else { throw Failure(.noPrinter) }
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

  private func hasDevice(_ multiFactor: MultiFactor) async throws(Failure) -> Bool {
    do throws(MultiFactorError) {
      return try await !multiFactor.enrolledFactors.isEmpty
    } catch {
      throw Failure(error)
    }
  }

  /// Prints how many codes are left. A user without a device cannot make new ones yet.
  private func report(
    _ multiFactor: MultiFactor, _ interface: UserInterface
  ) async throws(Failure) {
    let status: MultiFactorStatus
    do throws(MultiFactorError) {
      status = try await multiFactor.status
    } catch {
      throw Failure(error)
    }
    Output.standardOutput.write(
      interface.text(.recoveryCodesLeft(status.recoveryCodesLeft)) + "\n")
    if status.importedRecoveryCodesLeft > 0 {
      interface.tell(.recoveryCodesImported(status.importedRecoveryCodesLeft))
    }
    if try await hasDevice(multiFactor) {
      interface.tell(.hintLabel, .makeRecoveryCodes)
    } else {
      interface.tell(Failure(.noDevice))
    }
  }
}
