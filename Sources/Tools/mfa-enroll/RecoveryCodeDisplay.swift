import FoundationEssentials
import MFAEnrollMessages
import MFAModel
import MFAMessages
import MFABase
import MultiFactor

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
    return failure
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

  /// Creates codes after the user's first enrolment. A failure does not undo the enrolment.
  static func makeFirst(
    with session: MultiFactorSession, of multiFactor: MultiFactor, to interface: UserInterface
  ) async {
    do throws(MultiFactorError) {
      guard try await multiFactor.enrolledFactors.count == 1,
        try await multiFactor.recoveryCodesLeft == 0
      else { return }
      _ = try await make(with: session, of: multiFactor, to: interface)
    } catch {
      interface.tell(.recoveryCodesNotMade)
      interface.tell(Failure(error))
      interface.tell(.hintLabel, .makeRecoveryCodes)
    }
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
