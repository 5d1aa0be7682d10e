@testable import MFAServices

/// The cases of `ChangeError` without their values, so that tests can list all of them.
enum ChangeErrorCase: CaseIterable {
  case notAService, noServiceFile, file, report, stack, secureShell, module, configuration, trial,
    untried,
    reload, rollbackWatcher, invalidRecord,
    busy,
    unknownProgram, enabledByHand, enabledWith, nothingToConfirm, noNewSignIn, system,
    auditLog,
    acceptances,
    rolledBack,
    rollbackFailed

  /// Creates the case of an error. Because the switch is exhaustive, no case can be missing here.
  init(_ error: ChangeError) {
    self =
      switch error {
      case .notAService: .notAService
      case .noServiceFile: .noServiceFile
      case .file: .file
      case .report: .report
      case .stack: .stack
      case .secureShell: .secureShell
      case .module: .module
      case .configuration: .configuration
      case .trial: .trial
      case .untried: .untried
      case .reload: .reload
      case .rollbackWatcher: .rollbackWatcher
      case .invalidRecord: .invalidRecord
      case .busy: .busy
      case .unknownProgram: .unknownProgram
      case .enabledByHand: .enabledByHand
      case .enabledWith: .enabledWith
      case .nothingToConfirm: .nothingToConfirm
      case .noNewSignIn: .noNewSignIn
      case .system: .system
      case .auditLog: .auditLog
      case .acceptances: .acceptances
      case .rolledBack: .rolledBack
      case .rollbackFailed: .rollbackFailed
      }
  }
}
