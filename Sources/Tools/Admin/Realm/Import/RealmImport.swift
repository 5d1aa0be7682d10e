import MFABase
import MFACrypto
import MFAModel
import MFARealm
import MFAStore

/// `mfa-admin realm import`: takes the users of this host's local store to the realm that the host has joined. The
/// local store is not changed.
///
/// The realm is asked about each user first, without a change. Then the list of what is about to be imported is
/// written, each user is sent, and the answers are added to the list. After an interruption, the audit log of the
/// realm says which requests of the list were carried out.
///
/// MUST 1: what the realm has revoked since an import is not imported again, even if the import was interrupted.
/// (`RealmImportTests.interrupted`, `.revokedSince`)
/// MUST 2: nothing is imported while a conflict of any user is undecided. (`RealmImportTests.conflict`)
package struct RealmImport {
  private let realm: RealmAdministrator
  private let users: LocalUsers
  private let file: ImportedUsersFile
  private var list: ImportedUsers
  /// The random number of this import.
  private let number: [UInt8]

  /// How many answers are added to the list before it is written.
  private static var answersBetweenWrites: Int { 50 }

  /// Reads the list of earlier imports, and asks the realm about requests whose answers did not arrive.
  package init(
    of users: LocalUsers, into realm: RealmAdministrator, number: [UInt8],
    file: ImportedUsersFile = ImportedUsersFile()
  ) throws(AdminError) {
    self.realm = realm
    self.users = users
    self.file = file
    self.number = number
    list = try file.read(realm: try realm.identity())
    try settle()
  }

  /// Finds out which requests without an answer were carried out.
  private mutating func settle() throws(AdminError) {
    let pending = list.users.filter { $0.pending != nil }
    guard let after = pending.compactMap({ $0.pending?.after }).min() else { return }
    var committed: Set<[UInt8]> = []
    try realm.forEachEntry(after: after) { entry in
      guard entry.text("event") == "imported-from-host", let user = entry.bytes("user"),
        let number = entry.bytes("name")
      else { return }
      committed.insert(number + [UInt8(ascii: " ")] + user)
    }
    for user in pending {
      let key = Hexadecimal.text(of: user.pending?.number ?? []) + [UInt8(ascii: " ")] + user.name
      list[user.name].settle(isCommitted: committed.contains(key))
    }
    try file.write(list)
  }

  // MARK: Importing

  /// A user of the local store, and what an import would do.
  package struct Plan {
    /// The name of the user.
    package let user: UserName
    /// What the realm would do, or why the user cannot be imported.
    package var report: UserImportReport
    /// The request; nil if the user cannot be imported.
    fileprivate var local: LocalUsers.LocalUser?
    fileprivate var choice = ConflictChoice.undecided

    /// Whether an administrator has to decide.
    package var hasConflict: Bool { report.hasConflict }
  }

  /// Returns what an import would do with each user, and changes nothing in the realm.
  package mutating func plans(_ choice: ConflictChoice) throws(AdminError) -> [Plan] {
    var plans: [Plan] = []
    var isPermitted = false
    var refusal: AdminError?
    for name in try users.names() {
      do throws(AdminError) {
        guard let local = try users.user(name, number: number) else { continue }
        var plan = Plan(
          user: name, report: UserImportReport(user: name, problem: ""), local: local)
        try decide(&plan, choice)
        plans.append(plan)
        isPermitted = true
      } catch .unusable(_, let problem) {
        plans.append(
          Plan(user: name, report: UserImportReport(user: name, problem: problem.sentence)))
      } catch {
        guard case .refused(.importNotPermitted, _) = error else { throw error }
        refusal = error
        plans.append(
          Plan(
            user: name,
            report: UserImportReport(user: name, problem: "the realm does not permit it")))
      }
    }
    if let refusal, !isPermitted { throw refusal }
    try fillMarks(plans)
    return plans
  }

  /// Asks what an import would do with a user if conflicts are decided in this way.
  package func decide(_ plan: inout Plan, _ choice: ConflictChoice) throws(AdminError) {
    guard let local = plan.local else { return }
    plan.choice = choice
    plan.report = UserImportReport(
      user: plan.user, factors: local.factors,
      answer: try send(local, choice, isTrial: true), isTrial: true)
  }

  /// Takes over the digests that an interrupted import did not get.
  private mutating func fillMarks(_ plans: [Plan]) throws(AdminError) {
    var isChanged = false
    for plan in plans {
      guard let local = plan.local, let answer = plan.report.answer else { continue }
      var user = list[plan.user.bytes]
      guard user.lacksMark else { continue }
      user.note(answer.ofPresent, failures: user.failures ?? local.failures)
      list[plan.user.bytes] = user
      isChanged = true
    }
    if isChanged { try file.write(list) }
  }

  /// Imports users, and calls `body` with the report on each one. A user with an undecided conflict is left out.
  package mutating func carryOut(
    _ plans: [Plan], _ body: (UserImportReport) throws(AdminError) -> Void
  ) throws(AdminError) {
    let chosen = plans.filter { $0.local != nil && !$0.hasConflict }
    guard !chosen.isEmpty else { return }
    let end = try realm.logEnd()
    for plan in chosen {
      guard let answer = plan.report.answer, let local = plan.local else { continue }
      list[plan.user.bytes].expect(
        answer, failures: local.failures, number: number, after: end)
    }
    try file.write(list)
    var answers = 0
    for plan in chosen {
      guard let local = plan.local else { continue }
      let answer = try send(local, plan.choice, isTrial: false)
      list[plan.user.bytes].note(answer, failures: local.failures)
      if let mark = AuditLogCheckpoint(answer.checkpoint) {
        realm.note("imported", plan.user, .entered(mark)) { _ in }
      }
      answers += 1
      if answers.isMultiple(of: Self.answersBetweenWrites) { try file.write(list) }
      try body(
        UserImportReport(
          user: plan.user, factors: local.factors, answer: answer, isTrial: false))
    }
    try file.write(list)
  }

  private func send(
    _ local: LocalUsers.LocalUser, _ choice: ConflictChoice, isTrial: Bool
  ) throws(AdminError) -> AdministeredImport {
    var request = local.request
    let earlier = list[request.user]
    request.earlierFactors = earlier.factors.map(\.id.bytes)
    request.hadRecoveryCodes = earlier.recoveryCodes != nil
    request.hadAttempts = earlier.failures == local.failures
    request.choice = choice
    request.isTrial = isTrial
    return try answer(to: .importUser(request))
  }

  private func answer(to command: AdministrationCommand) throws(AdminError) -> AdministeredImport {
    try realm.reply(to: command) { if case .imported(let answer) = $0 { answer } else { nil } }
  }

  // MARK: Undoing

  /// Removes what this host has imported from the realm, unless it has changed since, and calls `body` with the
  /// report on each user.
  package mutating func undo(
    isTrial: Bool, _ body: (UserImportReport) throws(AdminError) -> Void
  ) throws(AdminError) {
    // An interrupted import may have left digests unknown.
    if list.users.contains(where: \.lacksMark) { _ = try plans(.keep) }
    for user in list.users where user.hasImported {
      guard let name = UserName(user.name) else { continue }
      let answer = try answer(
        to: .undoImport(
          AdministrationUndo(
            user: user.name, imported: user.undoable, isTrial: isTrial, number: number)))
      if !isTrial {
        var left = user
        left.noteUndo(answer)
        list[user.name] = left.hasImported ? left : ImportedUser(name: user.name)
        try file.write(list)
        if let mark = AuditLogCheckpoint(answer.checkpoint) {
          realm.note("import-undone", name, .entered(mark)) { _ in }
        }
      }
      try body(UserImportReport(user: name, factors: [], answer: answer, isTrial: isTrial))
    }
  }
}

extension ImportedUser {
  /// What an undo removes.
  fileprivate var undoable: ImportUndo.Marks {
    var marks = ImportUndo.Marks(factors: [], recoveryCodes: [])
    for factor in factors {
      if case .host(let mark) = factor.origin {
        marks.factors.append(FactorImport(factor.id, .added, mark: mark ?? []))
      }
    }
    if case .host(let mark) = recoveryCodes { marks.recoveryCodes = mark ?? [] }
    return marks
  }
}

extension AdministeredImport {
  /// The answer without what a trial would add.
  fileprivate var ofPresent: AdministeredImport {
    var answer = self
    answer.factors = factors.filter { $0.result == .present }
    if recoveryCodes == .added { answer.recoveryCodes = .noCodes }
    return answer
  }
}

extension ThisHost {
  /// Returns the import of this host's local store into its realm.
  package static func realmImport() throws(AdminError) -> RealmImport {
    let realm = try requiredRealm()
    let number: FactorID
    do throws(SystemError) { number = try FactorID.generate() } catch {
      throw .store(.cryptography)
    }
    // Nothing is changed, and no configuration is recorded in the local store.
    let administration = Administration(
      store: try store(), settings: .defaults, now: try now(), accounts: .system,
      actor: Console.actor, log: { Log.write($0, $1) }, deliver: { _ in })
    return try RealmImport(
      of: LocalUsers(administration), into: realm, number: number.bytes)
  }

  /// The longest period of codes in seconds that factors usually have.
  private static var period: Int64 { 60 }

  /// Returns the time until which the local store would accept a code that the realm has accepted by now.
  package static func endOfAcceptedCodes() throws(AdminError) -> String? {
    let steps = 2 * Int64(mostAdjacentIntervals) + 1
    let (time, overflow) = try now().addingReportingOverflow(steps * period)
    return overflow ? nil : Timestamp(time)?.full
  }
}

/// The users of this host's local store, as `mfa-admin realm import` sends them to the realm. Nothing is changed.
///
/// MUST 1: a record that a sign-in on this host would refuse is not sent. (`RealmImportTests.unusable`)
/// MUST 2: secrets are unsealed only into `SecretBytes`.
package struct LocalUsers {
  private let administration: Administration

  /// Reads from the store of an administration.
  package init(_ administration: Administration) { self.administration = administration }

  /// The accounts of this host.
  var accounts: AccountSource { administration.accounts }

  /// Returns the users whose records are stored, sorted by name. A name is missing for a file that the store does not
  /// use.
  func names() throws(AdminError) -> [UserName] {
    try administration.files().compactMap(\.user)
  }

  /// A user who is enrolled on this host.
  struct LocalUser {
    /// The user as sent to the realm.
    let request: AdministrationImport
    /// The names of the factors, in their order.
    let factors: [Factor]
    let failures: FailureCount
  }

  /// Returns a user, or nil if the user has no factor. `number` is that of the import.
  func user(_ name: UserName, number: [UInt8]) throws(AdminError) -> LocalUser? {
    let subject = try administration.subject(String(decoding: name.bytes, as: UTF8.self))
    // A record with a different spelling of the name belongs to a different account.
    guard let account = subject.account, account.name == name.bytes else {
      throw .unusable(name, .noSuchAccount)
    }
    return try administration.onUser(subject) { () throws(FactorStoreError) in
      guard let entry = try administration.store.existingEntry(of: account),
        let record = entry.record
      else { return nil }
      return LocalUser(
        request: try Self.request(entry, record, number: number), factors: record.factors,
        failures: FailureCount(
          failures: entry.attempts.failures, last: entry.attempts.lastFailure))
    }
  }

  private static func request(
    _ entry: LocalFactorStoreEntry, _ stored: FactorRecord, number: [UInt8]
  ) throws(FactorStoreError) -> AdministrationImport {
    var record = FactorRecord(user: stored.user, uid: stored.uid, id: stored.id)
    var secrets = SecretList.empty
    for factor in stored.factors {
      do throws(FactorRecord.ChangeRefusal) { try record.add(factor.resealed([])) } catch {
        throw .damaged(.record)
      }
      secrets = try added(try entry.secret(of: factor), to: secrets)
    }
    if !stored.recoveryCodes.isEmpty {
      let portable = try entry.portableDigests()
      let codes = zip(stored.recoveryCodes, portable.digests).compactMap { code, digest in
        RecoveryCodeDigest(kind: code.kind, bytes: digest)
      }
      record.setRecoveryCodes(codes, at: stored.recoveryCodesAddedAt)
      secrets = try added(portable.keys.prefix(.max), to: secrets)
    }
    if let language = stored.language { record.setLanguage(language) }
    if stored.phoneRemovedAt > 0 { record.notePhoneRemoved(at: stored.phoneRemovedAt) }
    return AdministrationImport(
      user: stored.user.bytes, record: record.encoded(), attempts: encoded(entry.attempts),
      secrets: secrets, number: number)
  }

  private static func added(
    _ secret: consuming SecretBytes, to secrets: SecretList
  ) throws(FactorStoreError) -> SecretList {
    guard let longer = secrets.adding(secret.span) else { throw .damaged(.record) }
    return longer
  }

  /// Returns the parts of an attempt state that are imported: no place, no typed code and no sent code.
  private static func encoded(_ attempts: AttemptState) -> [UInt8] {
    let unreported = attempts.unreported
    let sent = AttemptState(
      record: attempts.record, failures: attempts.failures, lastFailure: attempts.lastFailure,
      watermarks: attempts.watermarks, postponedSignIns: attempts.postponedSignIns,
      unreported: AttemptState.Unreported(
        failures: unreported.failures, lastFailure: unreported.lastFailure,
        source: unreported.source),
      ownProcessFailures: attempts.ownProcessFailures, daemonFailures: attempts.daemonFailures)
    let encoded = sent.encoded(sequence: 0)
    let length = encoded.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
    return Array(encoded[..<length])
  }
}
