import MFAStore
import MFABase
import MFAModel
import MFARealm

/// `mfa-admin fleet import`: takes the users of this host's local store to the realm that the host has joined. The
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
        guard case .realm(.refused(.importNotPermitted, _)) = error else { throw error }
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
    switch try realm.reply(to: command) {
    case .imported(let answer): return answer
    default: throw .realm(.otherVersion)
    }
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
    if recoveryCodes == .added { answer.recoveryCodes = .none }
    return answer
  }
}
