@testable import mfa_admin

/// The cases of `ChangeError` without their values, so that tests can list all of them.
enum ChangeErrorCase: CaseIterable {
  case notAService, noServiceFile, file, stack, secureShell, reload, guardian, record, busy,
    unknownProgram, notOurs, altered, nothingToConfirm, noNewSignIn, system, ledger, undone,
    notUndone

  /// Creates the case of an error. Because the switch is exhaustive, no case can be missing here.
  init(_ error: ChangeError) {
    self =
      switch error {
      case .notAService: .notAService
      case .noServiceFile: .noServiceFile
      case .file: .file
      case .stack: .stack
      case .secureShell: .secureShell
      case .reload: .reload
      case .guardian: .guardian
      case .record: .record
      case .busy: .busy
      case .unknownProgram: .unknownProgram
      case .notOurs: .notOurs
      case .altered: .altered
      case .nothingToConfirm: .nothingToConfirm
      case .noNewSignIn: .noNewSignIn
      case .system: .system
      case .ledger: .ledger
      case .undone: .undone
      case .notUndone: .notUndone
      }
  }
}
