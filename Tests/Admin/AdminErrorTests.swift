import MFAAdminTestSupport
import MFAAttempt
import MFABase
import MFAImport
import MFAModel
import MFAStore
import MFAWire
import Testing

@testable import MFAAdmin

@Suite struct AdminErrorTests {
  @Test(
    "hints name the command of what installed mfa",
    arguments: [
      ("/usr/share/doc/libpam-mfa", "apt-get install --reinstall libpam-mfa mfa-tools"),
      ("/usr/share/licenses/mfa-tools", "dnf reinstall pam_mfa mfa-tools"),
      ("/srv/mfa", "packaging/install"),
    ])
  func installation(file: String, command: String) {
    #expect(Installation.command { "\($0)" == file } == command)
  }

  static func errors() throws -> [(AdminError, Int32)] {
    let bad = try userName("a\u{1B}[31mb")
    let phone = FactorSummary(try factor(id(1), "phone"))
    let full = SystemError(.write, number: 28)
    let holder = LockHolder(
      process: 7, start: 1, startTime: 1_795_000_089, command: "\u{1B}", user: 0, userName: [0x1B],
      state: .frozen, file: "/x")
    return [
      (.notRoot(arguments: ["show", "\u{1B}[2J"]), 77),
      (.noSuchUser(bad), 2),
      (.notAUserName("\u{7}/"), 2),
      (.notEnrolled(bad), 2),
      (.noSuchFactor(bad, selector: "\u{9B}x", others: [phone]), 2),
      (.severalFactors(bad, selector: nil, [phone]), 64),
      (.severalFactors(bad, selector: "\u{1B}", [phone]), 64),
      (.unconfirmed, 64),
      (.declined, 1),
      (.unusable(bad, .noSuchAccount), 1),
      (.unusable(bad, .belongsToAnother), 1),
      (.unusable(bad, .account(full)), 1),
      (.store(.system(.directory, full)), 1),
      (.account(bad, full), 1),
      (.configuration(failure(.system(full))), 1),
      (.configuration(failure(.system(.untrusted(.wrongOwner)))), 1),
      (.configuration(failure(.notAPath)), 1),
      (.configuration(failure(.tooManyFiles(64))), 1),
      (.configuration(failure(.notUTF8)), 1),
      (.configurationBusy, 1),
      (.editorBusy, 1),
      (.editorFailed("\u{1B}", .exited(2)), 1),
      (.editorFailed("\u{1B}", .killed), 1),
      (.noEditor(["\u{1B}", "vi"]), 1),
      (.noTerminal, 64),
      (.discarded, 1),
      (.noSystemUser, 1),
      (.unrepaired(1), 1),
      (.unrepaired(2), 1),
      (.repairNeeded(1), 1),
      (.repairNeeded(2), 1),
      (.mistakes(1, inForce: true), 1),
      (.mistakes(2, inForce: false), 1),
      (.noSuchTenant("\u{1B}"), 2),
      (.noSuchGroup([0x1B]), 2),
      (.unreadable("/\u{1B}", full), 1),
      (.unwritable("/\u{1B}", full), 1),
      (.notIdentityPlatform("/\u{9B}:1", "is not JSON"), 1),
      (.notApplied(failure(.system(full))), 1),
      (
        .notApplied(
          failure(.noSelector(Excerpt([0x1B].span)))),
        1
      ),
      (.notApplied(failure(.offerNeverEnds)), 1),
      (.unusableRecords(1, of: 2), 1),
      (.notRenamed(try userName("new"), from: try userName("a\u{1B}b")), 1),
      (.accountExists(try userName("a\u{1B}b")), 1),
      (.storeNotMade("make-store: error: no disk"), 1),
      (.imageNotPrepared("/etc/mfa/key\u{1B}", "no permission"), 1),
      (.noSuchFinding("\u{1B}", place: "/\u{9B}"), 2),
      (.findingWithoutLine(place: "/\u{1B}:1"), 1),
      (.noSuchAcceptance("\u{1B}", place: "/\u{9B}"), 2),
      (.manyAccountsMissing(5, of: 9), 1),
      (.lockedOut(1, of: 9), 1),
      (.lockedOut(3, of: 9), 1),
      (.firstFactorMissing(1), 1),
      (.firstFactorMissing(2), 1),
      (.accounts(full), 1),
      (.clock(full), 1),
      (.output(full), 1),
      (.tooManyGrants(bad), 1),
      (.noSuchGrant(bad), 2),
      (.findings(errors: 1, warnings: 1), 3),
      (.findings(errors: 2, warnings: 0), 3),
      (.services(.system(file: Array("/etc/\u{1B}".utf8), .untrusted(.wrongOwner))), 1),
      (.notAPath("\u{1B}"), 64),
      (.importSource("/\u{9B}", ImportRefusal(reason: .system(full))), 1),
      (.importSource("/x", ImportRefusal(reason: .system(.untrusted(.wrongOwner)))), 1),
      (.notImported(1, of: 2), 1),
      (.notMet(1, of: 2), 1),
      (.notAService("\u{1B}"), 2), (.noServiceFile("x"), 2), (.nothingToConfirm, 2),
      (.file("/\u{9B}", full), 1), (.file("/x", .untrusted(.symbolicLink)), 1),
      (.report("/x", .untrusted(.wrongPermissions)), 1),
      (.fileChanged("/x"), 1), (.unusableFile("/\u{1B}", "x"), 1),
      (.stack(service: "x", file: "/x", reason: "y"), 1),
      (.enabledOtherwise, 1),
      (.secondCode(service: "x", other: "y", file: "/x", wasEnabled: true), 1),
      (.conversation(service: "x", reason: "y", hint: "z"), 1),
      (.secureShell(reason: "x", hint: "y"), 1), (.module("x"), 1),
      (.trial(service: "x", reason: "y"), 1), (.untried(service: "x", reason: "y"), 1),
      (.reload("x"), 1), (.rollbackWatcher("x"), 1),
      (.invalidRecord("/x"), 1),
      (.busy, 1), (.unknownProgram("x"), 1), (.enabledByHand(service: "x", place: "/x:1"), 1),
      (.enabledWith(service: "x", other: "y"), 1),
      (.noNewSignIn(["x: y"]), 1),
      (.system("x", full), 1), (.rolledBack(.noServiceFile("x")), 2),
      (.rollbackFailed(.busy, .busy), 1), (.unrecorded(.configurationBusy), 1),
      (.acceptances(AdminError(at: "/\u{1B}", "it is not JSON")), 1),
      (.auditLog(.recordsWithoutEntries([[0x1B]])), 1),
      (.auditLog(.fault(.badIndex, last: nil)), 1),
      (.auditLog(.records([AuditLogFinding(user: [0x1B], kind: .gone, last: 3)])), 1),
      (.locked("/\u{1B}", []), 1),
      (.locked("/x", [holder]), 1),
      (.notEnded(holder), 1),
      (.backup(.exists("/\u{1B}")), 1),
      (.backup(.file("/\u{1B}", full)), 1),
      (.backup(.file("/\u{1B}", .untrusted(.wrongOwner))), 1),
      (.backup(.damaged("/\u{1B}", at: "\u{9B}")), 1),
      (.backup(.otherVersion("/\u{1B}")), 1),
      (.backup(.noKey("/\u{1B}")), 1),
      (.backup(.otherKey("/\u{1B}", key: "/\u{1B}")), 1),
      (.backup(.storeInUse(records: 1)), 1),
      (.backup(.storeInUse(records: 2)), 1),
      (.backup(.keyChanging), 1),
      (.noRealm, 64),
      (.localCommand, 1),
      (.localOption("--reveal"), 64),
      (.noRelay(.notFound(.open)), 1),
      (.untrustedRelay(1000), 1),
      (.silentRelay, 1),
      (.otherVersion, 1),
      (.importListUnusable("/x"), 1),
      (.importListOfOtherRealm("/x"), 1),
      (.importConflicts(1), 1),
      (.importConflicts(2), 1),
      (.usersNotImported(1, of: 2), 1),
      (.refused(.notFound, "alice"), 2),
      (.refused(.unknownGroup, "web"), 2),
      (.refused(.badHostName, "A B"), 64),
      (.refused(.badGrant, ""), 64),
      (.refused(.notPermitted, ""), 1),
      (.refused(.hostRefused, ""), 1),
      (.refused(.unknownCommand, ""), 1),
      (.refused(.malformed, ""), 1),
      (.refused(.store, "database: unreachable"), 1),
      (.refused(.tooManyGrants, "alice"), 1),
      (.refused(.policy, ""), 1),
      (.refused(.notRoot, ""), 1),
      (.refused(.noVerifier, ""), 1),
      (.refused(.uncertain, ""), 1),
      (.phone(.notANumber), 64),
      (.phone(.otherRegion), 1),
      (.phone(.testNumber), 1),
      (.phone(.noGateway), 1),
      (.phone(.limit(.numberHourly(seconds: 1))), 1),
      (.phone(.limit(.hostDaily(seconds: 1))), 1),
      (.phone(.limit(.breaker(seconds: 1))), 1),
      (.phone(.notAccepted(.notSet)), 1),
      (.phone(.notAccepted(.notStarted(2))), 1),
      (.phone(.notAccepted(.failed(1))), 1),
      (.phone(.notAccepted(.killed)), 1),
      (.phone(.notAccepted(.tookTooLong)), 1),
      (.phone(.notAccepted(.refused)), 1),
      (.phone(.notAccepted(.noService)), 1),
      (.phone(.notAccepted(.noReply)), 1),
    ] + GatewayRefusal.allCases.map { (.phone(.notAccepted(.unusable($0))), 1) }
  }

  static func failure(
    _ reason: ConfigurationError.Reason
  ) -> ConfigurationError {
    ConfigurationError(in: Array("/etc/\u{1B}[2J".utf8), reason)
  }

  static let storeErrors: [FactorStoreError] =
    (0...UInt8.max).compactMap { FactorStoreError.Part(rawValue: $0) }.flatMap {
      [
        .system($0, SystemError(.open, number: 13)), .untrusted($0, .wrongOwner), .damaged($0),
        .rolledBack($0),
      ]
    } + [.otherVersion(9), .otherKey, .belongsToAnother, .busy, .cryptography, .nameTooLong]
    + (UserName(Array("a\u{1B}b".utf8)).map { [.renamed(from: $0)] } ?? [])
    + ForeignStore.allCases.map { .foreign($0) }
    + EngineError.allCases.map { .engine($0) }

  @Test func rowsContainEveryCase() throws {
    #expect(Set(try Self.errors().map { AdminErrorCase($0.0) }) == Set(AdminErrorCase.allCases))
    #expect(
      Set(Self.storeErrors.map { FactorStoreErrorCase($0) }) == Set(FactorStoreErrorCase.allCases))
  }

  @Test func helpListsEveryExitStatus() throws {
    for (number, (error, status)) in try Self.errors().enumerated() {
      #expect(error.status.rawValue == status, "case \(number)")
      #expect(AdminStatus.explanation.contains("\n  \(status) "), "case \(number)")
    }
  }

  @Test func everyErrorHasMessageAndHint() throws {
    let all =
      try Self.errors().map(\.0) + Self.storeErrors.map { .store($0) }
      + (try Self.storeErrors.map { .unusable(try userName("a\u{1B}b"), RecordProblem($0)) })
    for (number, error) in all.enumerated() {
      for text in [error.message, error.hint] {
        #expect(
          !text.isEmpty && isHarmless(text) && !text.contains("\n"), "case \(number): \(text)")
        #expect(!text.hasSuffix("."), "case \(number): \(text)")
      }
    }
  }

  @Test(
    "findings are counted by kind, and warnings alone are no error",
    arguments: [
      (1, 0, "found 1 error", true), (2, 1, "found 2 errors and 1 warning", true),
      (0, 1, "found 1 warning", false), (0, 3, "found 3 warnings", false),
    ])
  func findings(errors: Int, warnings: Int, message: String, isError: Bool) {
    let error = AdminError.findings(errors: errors, warnings: warnings)
    #expect(error.message == message && error.isError == isError)
  }

  @Test func hintForOtherUsersIsSudoCommand() {
    let error = AdminError.notRoot(arguments: ["revoke", "alice", "my phone's", "--yes", ""])
    #expect(error.hint == #"sudo mfa-admin revoke alice 'my phone'\''s' --yes ''"#)
  }

  @Test func hintForUnusableRecordIsRevokeAll() throws {
    let alice = try userName("alice")
    for trouble in [
      RecordProblem.noSuchAccount, .belongsToAnother, .store(.damaged(.record)),
      .store(.damaged(.attempts)), .store(.untrusted(.attempts, .wrongSize)),
    ] {
      #expect(trouble.hint(for: alice).contains("mfa-admin revoke alice --all"))
    }
    // These failures concern all users: the stored records are valid and must not be discarded.
    for trouble in [
      RecordProblem.store(.otherKey), .store(.untrusted(.key, .wrongOwner)),
      .store(.untrusted(.directory, .wrongPermissions)), .store(.busy), .store(.cryptography),
    ] {
      #expect(!trouble.hint(for: alice).contains("revoke"))
    }
  }
}

/// The cases of `AdminError` without their values, so that tests can list all of them.
enum AdminErrorCase: CaseIterable {
  case notRoot, enabledOtherwise, noSuchUser, notAUserName, notEnrolled, noSuchFactor,
    severalFactors,
    tooManyGrants, noSuchGrant, unconfirmed, declined, unusable, store, account, accounts,
    configuration, mistakes, noSuchTenant, noSuchGroup, unreadable, unwritable, notIdentityPlatform,
    notApplied, configurationBusy, editorFailed, noEditor, editorBusy, noTerminal, discarded,
    noSystemUser, unrepaired, repairNeeded, unusableRecords, findings, noSuchFinding,
    findingWithoutLine,
    manyAccountsMissing,
    noSuchAcceptance, lockedOut, firstFactorMissing, services, notAPath, importSource,
    notImported, notMet, auditLog, clock, output, locked, notEnded, backup, phone, noRealm,
    localCommand,
    localOption, noRelay, untrustedRelay, silentRelay, otherVersion, importListUnusable,
    importListOfOtherRealm, importConflicts, usersNotImported, refused,
    storeNotMade, imageNotPrepared, notRenamed, accountExists,
    notAService, noServiceFile, file, unusableFile, fileChanged, report, stack, secondCode,
    conversation, secureShell,
    module,
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
      case .noSuchGroup: .noSuchGroup
      case .unreadable: .unreadable
      case .unwritable: .unwritable
      case .notIdentityPlatform: .notIdentityPlatform
      case .notApplied: .notApplied
      case .configurationBusy: .configurationBusy
      case .editorFailed: .editorFailed
      case .noEditor: .noEditor
      case .editorBusy: .editorBusy
      case .noTerminal: .noTerminal
      case .discarded: .discarded
      case .noSystemUser: .noSystemUser
      case .unrepaired: .unrepaired
      case .repairNeeded: .repairNeeded
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
      case .noRealm: .noRealm
      case .localCommand: .localCommand
      case .localOption: .localOption
      case .noRelay: .noRelay
      case .untrustedRelay: .untrustedRelay
      case .silentRelay: .silentRelay
      case .otherVersion: .otherVersion
      case .importListUnusable: .importListUnusable
      case .importListOfOtherRealm: .importListOfOtherRealm
      case .importConflicts: .importConflicts
      case .usersNotImported: .usersNotImported
      case .refused: .refused
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
      case .secondCode: .secondCode
      case .enabledOtherwise: .enabledOtherwise
      case .conversation: .conversation
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

/// The cases of `FactorStoreError` without their values, so that tests can list all of them.
enum FactorStoreErrorCase: CaseIterable {
  case system, damaged, otherVersion, otherKey, belongsToAnother, rolledBack, busy,
    nameTooLong, engine, foreign, renamed

  /// Creates the case of an error. Because the switch is exhaustive, no case can be missing here.
  init(_ error: FactorStoreError) {
    self =
      switch error {
      case .system: .system
      case .damaged: .damaged
      case .otherVersion: .otherVersion
      case .otherKey: .otherKey
      case .belongsToAnother: .belongsToAnother
      case .rolledBack: .rolledBack
      case .busy: .busy
      case .nameTooLong: .nameTooLong
      case .engine: .engine
      case .foreign: .foreign
      case .renamed: .renamed
      }
  }
}
