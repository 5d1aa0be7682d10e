import ArgumentParser
import FoundationEssentials
import MFABase
import MFAEnrollMessages
import MFAMessages
import MFAModel
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

  func check() throws(Failure) {
    if let save, save.isEmpty || save.utf8.contains(0) {
      throw failure(.valueMissing(option: "--save"))
    }
    guard let option = save != nil ? "--save" : prints ? "--print" : nil else { return }
    guard new else { throw failure(.optionRequires(option, "--new")) }
    guard !options.json else { throw failure(.optionsExclude("--json", option)) }
  }

  var asks: Bool { new }

  func carryOut(_ multiFactor: MultiFactor, _ interface: UserInterface) async throws {
    if new {
      try await makeNew(multiFactor, interface)
    } else {
      try await report(multiFactor, interface)
    }
  }

  /// Makes new codes. A missing device, an error of the file and a missing printer are reported
  /// before any question, so that they void no code.
  private func makeNew(
    _ multiFactor: MultiFactor, _ interface: UserInterface
  ) async throws {
    guard try await !multiFactor.enrolledFactors.isEmpty else { throw Failure(.noDevice) }
    let printer = prints ? Printer() : nil
    guard !prints || printer != nil else { throw Failure(.noPrinter) }
    var file: PictureFile?
    if let save { file = try PictureFile(creating: save) }
    let failure: Failure?
    do throws(MultiFactorError) {
      let session = try await Reauthentication(of: interface).session(with: multiFactor)
      guard !interface.isJSON else {
        let codes = try await multiFactor.generateRecoveryCodes(with: session)
        return interface.report(ProgramResult(.recoveryCodes), codes)
      }
      failure = try await RecoveryCodeDisplay.make(
        with: session, of: multiFactor, to: interface,
        RecoveryCodeDisplay.Destination(file: file, printer: printer))
    } catch {
      file?.remove()
      throw error
    }
    if let failure { throw failure }
  }

  /// Prints how many codes are left. A user without a device cannot make new ones yet.
  private func report(
    _ multiFactor: MultiFactor, _ interface: UserInterface
  ) async throws(MultiFactorError) {
    let status = try await multiFactor.status
    guard !interface.isJSON else {
      var result = ProgramResult(.recoveryCodes)
      result.recoveryCodesLeft = status.recoveryCodesLeft
      result.importedRecoveryCodesLeft = status.importedRecoveryCodesLeft
      return interface.report(result)
    }
    Output.standardOutput.write(
      interface.text(.recoveryCodesLeft(status.recoveryCodesLeft)) + "\n")
    if status.importedRecoveryCodesLeft > 0 {
      interface.tell(.recoveryCodesImported(status.importedRecoveryCodesLeft))
    }
    if try await multiFactor.enrolledFactors.isEmpty {
      interface.tell(Failure(.noDevice))
    } else {
      interface.tell(.hintLabel, .makeRecoveryCodes)
    }
  }
}

/// The display of recovery codes to the user.
enum RecoveryCodeDisplay {
  /// Where new codes go. Without a file and a printer, or if one of them fails, they are shown.
  struct Destination: Sendable {
    /// The new file, or nil.
    let file: PictureFile?
    /// The printer, or nil.
    let printer: Printer?

    /// The screen alone.
    static let screen = Destination(file: nil, printer: nil)

    /// Whether the codes go to the screen alone.
    fileprivate var isScreen: Bool { file == nil && printer == nil }
  }

  /// Creates codes and shows, saves or prints them. They cannot be shown again.
  ///
  /// - Returns: what could not be done with the codes. They have then been shown on the screen.
  static func make(
    with session: MultiFactorSession, of multiFactor: MultiFactor, to interface: UserInterface,
    _ destination: Destination = .screen
  ) async throws(MultiFactorError) -> Failure? {
    let account = try await multiFactor.userName
    let hadCodes = try await multiFactor.recoveryCodesLeft > 0
    let codes = try await multiFactor.generateRecoveryCodes(with: session)
    let heading = RecoverySheet.Heading(
      account: account, host: FactorChoice.shown(CallingProcess.hostName),
      date: String(LocaleSettings.text(of: .now).prefix(10)), replacesOlder: hadCodes)
    let sheet = RecoverySheet(codes, heading, in: interface.language)
    let failure = deliver(sheet, to: destination, telling: interface)
    if failure != nil || destination.isScreen {
      interface.show("\n", sheet.text, "\n")
      interface.tell(.recoveryCodesShownOnce)
    }
    if interface.isAtTerminal, destination.isScreen { keep(sheet, of: heading, askedBy: interface) }
    return failure
  }

  /// Waits until the user has written the codes down, and prints or saves them on request.
  private static func keep(
    _ sheet: borrowing RecoverySheet, of heading: RecoverySheet.Heading,
    askedBy interface: UserInterface
  ) {
    let printer = Printer()
    let question = EnrollMessage.keepRecoveryCodes(canPrint: printer != nil)
    while let answer = interface.ask(question, echo: true) {
      do throws(Failure) {
        let destination: Destination
        switch interface.text(of: answer).lowercased() {
        case "": return
        case "s":
          let folder = LocaleSettings.variable("HOME") ?? "."
          let file = try newFile("\(folder)/recovery-codes-\(heading.host)-\(heading.date)")
          destination = Destination(file: file, printer: nil)
        case "p" where printer != nil: destination = Destination(file: nil, printer: printer)
        default: continue
        }
        if let failure = deliver(sheet, to: destination, telling: interface) { throw failure }
      } catch {
        interface.tell(error)
      }
    }
    interface.endLine()
  }

  /// Creates a file. If one with that name exists, a number makes the name unique.
  private static func newFile(_ path: String, number: Int = 1) throws(Failure) -> PictureFile {
    let numbered = number == 1 ? path : "\(path)-\(number)"
    do throws(Failure) {
      return try PictureFile(creating: numbered)
    } catch {
      guard error == Failure(.fileExists(path: numbered)), number < 99 else { throw error }
    }
    return try newFile(path, number: number + 1)
  }

  /// Saves and prints a sheet. Returns what failed last.
  private static func deliver(
    _ sheet: borrowing RecoverySheet, to destination: Destination, telling interface: UserInterface
  ) -> Failure? {
    var failure: Failure?
    if let file = destination.file {
      do throws(Failure) {
        try file.write(sheet.text)
        file.keep()
        interface.tell(.recoveryCodesSaved(path: file.path))
      } catch {
        file.remove()
        failure = Failure(.recoveryCodesNotSaved(path: file.path))
      }
    }
    if let printer = destination.printer {
      if printer.print(sheet.text) {
        interface.tell(.recoveryCodesPrinted)
      } else {
        failure = Failure(.recoveryCodesNotPrinted)
      }
    }
    return failure
  }

  /// Creates codes after the user's first enrolment, and shows them, or returns them for a program. A failure does
  /// not undo the enrolment.
  static func makeFirst(
    with session: MultiFactorSession, of multiFactor: MultiFactor, to interface: UserInterface
  ) async -> RecoveryCodes? {
    do throws(MultiFactorError) {
      guard try await multiFactor.enrolledFactors.count == 1,
        try await multiFactor.recoveryCodesLeft == 0
      else { return nil }
      guard !interface.isJSON else {
        return try await multiFactor.generateRecoveryCodes(with: session)
      }
      _ = try await make(with: session, of: multiFactor, to: interface)
    } catch {
      interface.tell(.recoveryCodesNotMade)
      interface.tell(Failure(error))
      interface.tell(.hintLabel, .makeRecoveryCodes)
    }
    return nil
  }

  /// Warns the user if few codes are left. Says nothing if the helper does not report the number: the
  /// command itself has succeeded.
  static func warn(of multiFactor: MultiFactor, on interface: UserInterface) async {
    do throws(MultiFactorError) {
      warn(left: try await multiFactor.recoveryCodesLeft, on: interface)
    } catch {
      return
    }
  }

  /// Warns the user if `left` is at most `RecoveryCodeSupply.few`.
  static func warn(left: Int, on interface: UserInterface) {
    guard left <= RecoveryCodeSupply.few else { return }
    interface.tell(.recoveryCodesLeft(left))
    interface.tell(.hintLabel, .makeRecoveryCodes)
  }
}

/// New recovery codes with a heading, as they are shown, saved or printed.
///
/// The text is in memory that is wiped: neither a code nor the sheet is ever in a string.
struct RecoverySheet: ~Copyable {
  /// The sheet, in UTF-8.
  let text: SecretBytes

  /// The width of the sheet, which fits small windows and paper.
  private static let columns = 60

  /// Where and when the codes were made, so that a sheet can be told from an older one.
  struct Heading: Equatable {
    /// The name of the account.
    let account: String
    /// The name of the host.
    let host: String
    /// The date, in the user's time zone.
    let date: String
    /// Whether the user had codes, which are now void.
    let replacesOlder: Bool
    /// Whether the codes are those for hosts that cannot reach a verifier.
    var isOffline = false
  }

  /// Writes a sheet with these codes.
  init(_ codes: borrowing RecoveryCodes, _ heading: Heading, in language: Language) {
    let title = EnrollMessage.recoverySheetHeading(
      user: heading.account, host: heading.host, date: heading.date)
    let message: EnrollMessage =
      heading.isOffline
      ? .offlineSheetAdvice : .recoverySheetAdvice(replacesOlder: heading.replacesOlder)
    let advice = message.text(in: language).wrapped(to: Self.columns)
    let first = title.text(in: language).wrapped(to: Self.columns).utf8
    var text = SecretBytes(copying: first.span)
    text = Self.joined(text, "\n\n")
    codes.forEach { code in
      text = Self.joined(text, "  ")
      text = SecretBytes(joining: text.span, code.span)
      text = Self.joined(text, "\n")
    }
    self.text = Self.joined(text, "\n\(advice.string)\n")
  }

  private static func joined(_ text: borrowing SecretBytes, _ end: String) -> SecretBytes {
    SecretBytes(joining: text.span, Array(end.utf8).span)
  }
}

/// `mfa-enroll offline-codes`.
struct OfflineCodesCommand: EnrollCommand {
  static let configuration = CommandConfiguration(
    commandName: "offline-codes",
    abstract: "Make recovery codes for hosts that cannot reach the servers of the second factor.",
    discussion: """
      Each code signs you in once on each host of a group during an outage, if you have signed in on \
      the host before. New codes replace the earlier ones for the group. They are shown once.
      """)

  @Option(
    help: ArgumentHelp("Make the codes for this group of hosts.", valueName: "group"))
  var hosts: String?

  @OptionGroup var options: CommonOptions

  func check() throws(Failure) {
    guard let hosts, !(1...64).contains(hosts.utf8.count) else { return }
    throw failure(.valueInvalid(option: "--hosts", value: FactorChoice.shown(hosts)))
  }

  func carryOut(_ multiFactor: MultiFactor, _ interface: UserInterface) async throws {
    do throws(MultiFactorError) {
      guard try await !multiFactor.enrolledFactors.isEmpty else { throw .factorNotFound }
      let account = try await multiFactor.userName
      let session = try await Reauthentication(of: interface).session(with: multiFactor)
      let codes = try await multiFactor.generateOfflineRecoveryCodes(forHosts: hosts, with: session)
      guard !interface.isJSON else {
        var result = ProgramResult(.offlineCodes)
        result.hosts = hosts
        return interface.report(result, codes)
      }
      let heading = RecoverySheet.Heading(
        account: account, host: hosts ?? FactorChoice.shown(CallingProcess.hostName),
        date: String(LocaleSettings.text(of: .now).prefix(10)), replacesOlder: true,
        isOffline: true)
      let sheet = RecoverySheet(codes, heading, in: interface.language)
      interface.show("\n", sheet.text, "\n")
      interface.tell(.recoveryCodesShownOnce)
    } catch {
      switch error {
      case .factorNotFound: throw Failure(.noDevice)
      case .invalidArgument: throw Failure(.noOfflineCodes)
      default: throw error
      }
    }
  }
}
