@testable import MFAAdmin

/// The cases of `AdminError` without their values, so that tests can list all of them.
enum AdminErrorCase: CaseIterable {
  case notRoot, noSuchUser, notAUserName, notEnrolled, noSuchFactor, severalFactors,
    tooManyGrants, noSuchGrant, unconfirmed, declined, unusable, store, account, accounts,
    configuration, mistakes, noSuchTenant, unreadable, unwritable, notIdentityPlatform, notApplied,
    configurationBusy, unusableRecords, findings, noSuchFinding, findingWithoutLine,
    manyAccountsMissing,
    noSuchAcceptance, lockedOut, firstFactorMissing, services, notAPath, importSource,
    notImported, notMet, auditLog, clock, output, locked, notEnded, backup, phone, realm,
    storeNotMade, imageNotPrepared, notRenamed, accountExists,
    notAService, noServiceFile, file, unusableFile, fileChanged, report, stack, secureShell, module,
    trial, untried, reload, rollbackWatcher, invalidRecord, busy, unknownProgram, enabledByHand,
    enabledWith, nothingToConfirm, noNewSignIn, system, unrecorded, acceptances, rolledBack,
    rollbackFailed

  /// Creates the case of an error. Because the switch is exhaustive, no case can be missing here.
  init(_ error: AdminError) {
    self =
      switch error {
      case .notRoot: .notRoot
      case .noSuchUser: .noSuchUser
      case .notAUserName: .notAUserName
      case .notEnrolled: .notEnrolled
      case .noSuchFactor: .noSuchFactor
      case .severalFactors: .severalFactors
      case .tooManyGrants: .tooManyGrants
      case .noSuchGrant: .noSuchGrant
      case .unconfirmed: .unconfirmed
      case .declined: .declined
      case .unusable: .unusable
      case .store: .store
      case .account: .account
      case .accounts: .accounts
      case .configuration: .configuration
      case .mistakes: .mistakes
      case .noSuchTenant: .noSuchTenant
      case .unreadable: .unreadable
      case .unwritable: .unwritable
      case .notIdentityPlatform: .notIdentityPlatform
      case .notApplied: .notApplied
      case .configurationBusy: .configurationBusy
      case .unusableRecords: .unusableRecords
      case .findings: .findings
      case .noSuchFinding: .noSuchFinding
      case .findingWithoutLine: .findingWithoutLine
      case .noSuchAcceptance: .noSuchAcceptance
      case .manyAccountsMissing: .manyAccountsMissing
      case .lockedOut: .lockedOut
      case .firstFactorMissing: .firstFactorMissing
      case .services: .services
      case .notAPath: .notAPath
      case .importSource: .importSource
      case .notImported: .notImported
      case .notMet: .notMet
      case .auditLog: .auditLog
      case .clock: .clock
      case .output: .output
      case .locked: .locked
      case .notEnded: .notEnded
      case .backup: .backup
      case .phone: .phone
      case .realm: .realm
      case .storeNotMade: .storeNotMade
      case .notRenamed: .notRenamed
      case .accountExists: .accountExists
      case .imageNotPrepared: .imageNotPrepared
      case .notAService: .notAService
      case .noServiceFile: .noServiceFile
      case .file: .file
      case .unusableFile: .unusableFile
      case .fileChanged: .fileChanged
      case .report: .report
      case .stack: .stack
      case .secureShell: .secureShell
      case .module: .module
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
      case .unrecorded: .unrecorded
      case .acceptances: .acceptances
      case .rolledBack: .rolledBack
      case .rollbackFailed: .rollbackFailed
      }
  }
}
