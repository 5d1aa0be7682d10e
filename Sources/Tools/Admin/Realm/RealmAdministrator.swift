import MFAAttempt
import MFABase
import MFAModel
import MFARealm
import MFAStore

/// The operations of the administrator's commands on the realm of this host.
///
/// MUST 1: a record that cannot be used is reported, never omitted. (`RealmAdministratorTests.unusable`)
/// MUST 2: each change is written to the system log of this host, with its checkpoint.
/// (`RealmAdministratorTests.changesAreLogged`)
package struct RealmAdministrator: UserAdministrator {
  /// Sends a request.
  let send: (AdministrationCommand) throws(AdminError) -> AdministrationReply
  /// The accounts of this host, with which names are spelled.
  let accounts: AccountSource
  /// The current time, in seconds since the epoch.
  let now: Int64
  /// The administrator's account name, as shown in the log.
  let actor: [UInt8]
  /// Writes a change to the system log.
  let log: (LogPriority, LogLine) -> Void

  /// Creates an administrator.
  package init(
    accounts: AccountSource, now: Int64, actor: [UInt8],
    log: @escaping (LogPriority, LogLine) -> Void,
    send: @escaping (AdministrationCommand) throws(AdminError) -> AdministrationReply
  ) {
    self.accounts = accounts
    self.now = now
    self.actor = actor
    self.log = log
    self.send = send
  }

  /// Sends a request, and returns what `value` finds in the reply. It finds nothing in one of another version.
  func reply<Value>(
    to command: AdministrationCommand, _ value: (AdministrationReply) -> Value?
  ) throws(AdminError) -> Value {
    guard let value = value(try send(command)) else { throw .otherVersion }
    return value
  }

  /// The largest number of replies to one command. Each has at least one element.
  private static let mostPages = 1_000_000

  /// Calls `body` with the elements of all pages of a list. `command` asks for those after an element, or for
  /// the first ones.
  func forEachElement<Element>(
    _ command: (_ last: Element?) -> AdministrationCommand,
    of page: (AdministrationReply) -> (elements: [Element], isEnd: Bool)?,
    _ body: (Element) -> Void
  ) throws(AdminError) {
    var last: Element?
    for _ in 0..<Self.mostPages {
      let (elements, isEnd) = try reply(to: command(last), page)
      for element in elements { body(element) }
      if isEnd { return }
      guard let end = elements.last else { throw .otherVersion }
      last = end
    }
    throw .otherVersion
  }

  /// Returns the result of a request, or nil if the realm has no such user, factor or grant.
  private func unlessAbsent<Value>(
    _ value: @autoclosure () throws(AdminError) -> Value?
  ) throws(AdminError) -> Value? {
    do throws(AdminError) { return try value() } catch .refused(.notFound, _) { return nil }
  }

  // MARK: Reading

  /// Returns a report on each user with a factor, even if the record cannot be used, sorted by name.
  package func users() throws(AdminError) -> [UserReport] {
    try all().filter(\.isShown).map(\.report)
  }

  /// Returns the login accounts of this host that are not enrolled in the realm, sorted by name.
  package func notEnrolled() throws(AdminError) -> [UserReport] {
    let enrolled = Set(try users().map(\.name))
    return try accounts.loginAccounts().filter { !enrolled.contains($0.name) }.map {
      UserReport(name: $0.name, content: .notEnrolled(uid: $0.uid))
    }
  }

  /// Returns the report on one user.
  package func user(_ text: String) throws(AdminError) -> UserReport {
    let name = try name(of: text)
    guard let user = try find(name), user.isShown else { throw .notEnrolled(name) }
    return user.report
  }

  /// Returns the grants of one user, or of all users if `text` is nil.
  package func grants(_ text: String?) throws(AdminError) -> [GrantReport] {
    let users =
      if let text { try find(try name(of: text)).map { [$0] } ?? [] } else { try all() }
    return users.compactMap(\.summary).flatMap { user in
      user.grants.map { GrantReport(user: user.user, grant: $0, isGood: $0.isGood(at: now)) }
    }
  }

  func all() throws(AdminError) -> [AdministeredRealmUser] {
    var users: [AdministeredRealmUser] = []
    try forEachElement({ .users(after: $0?.name ?? []) }, of: \.users) { users.append($0) }
    return users
  }

  /// Returns what the realm has about a user, or nil.
  func find(_ name: UserName) throws(AdminError) -> AdministeredRealmUser? {
    try unlessAbsent(try reply(to: .user(name.bytes), \.users).elements.first)
  }

  private func account(_ text: String) throws(AdminError) -> (UserName, Account?) {
    guard let name = UserName(Array(text.utf8)) else { throw .notAUserName(text) }
    do throws(SystemError) { return (name, try accounts.named(name.bytes)) } catch {
      throw .account(name, error)
    }
  }

  /// Returns the name of a user in the realm: that of the account on this host, if there is one.
  package func name(of user: String) throws(AdminError) -> UserName {
    let (name, account) = try account(user)
    return account.flatMap { UserName($0.name) } ?? name
  }

  /// Returns that the user is not enrolled: a user of the realm need not have an account on this host.
  package func absence(of user: String) throws(AdminError) -> AdminError {
    .notEnrolled(try name(of: user))
  }

  // MARK: Changes

  /// Has a verifier make a change. A user without an account on this host, about whom the realm has nothing, gets no
  /// grant.
  package func make(
    _ change: UserChange, of user: String, acceptingRestored: Bool
  ) throws(AdminError) -> ChangedUser? {
    guard !acceptingRestored else { throw .localOption("--accept-restored") }
    let name = try name(of: user)
    if change.createsRecord, try account(user).1 == nil, try find(name) == nil {
      throw .noSuchUser(name)
    }
    return try unlessAbsent(
      try reply(to: .change(name.bytes, change)) {
        guard case .changed(let effect, let checkpoint) = $0 else { return nil }
        return ChangedUser(
          user: name, effect: effect, entered: .entered(AuditLogCheckpoint(checkpoint)))
      })
  }

  /// Has a verifier move what the realm has under the earlier name.
  package func renameUser(_ earlierText: String, to text: String) throws(AdminError) -> UserName {
    guard let earlier = UserName(Array(earlierText.utf8)) else { throw .notAUserName(earlierText) }
    let name = try name(of: text)
    guard name != earlier else { throw .accountExists(earlier) }
    let checkpoint = try unlessAbsent(
      try reply(to: .renameUser(earlier.bytes, to: name.bytes), \.checkpoint))
    guard let checkpoint else { throw .notEnrolled(earlier) }
    note("user-renamed", name, .entered(AuditLogCheckpoint(checkpoint))) {
      $0.add("reason", escaping: earlier.bytes)
    }
    return name
  }

  // MARK: The log

  /// Writes a change of a user to the system log.
  package func note(
    _ result: StaticString, _ user: UserName, _ entered: AuditLogOutcome,
    _ fields: (inout LogLine) -> Void
  ) {
    note(result, entered.mark) { line in
      line.add("user", escaping: user.bytes)
      fields(&line)
    }
  }

  func note(_ result: StaticString, host: [UInt8], _ mark: AuditLogCheckpoint?) {
    note(result, mark) { $0.add("host", escaping: host) }
  }

  /// Writes a change to the system log. `what` adds what was changed.
  private func note(
    _ result: StaticString, _ mark: AuditLogCheckpoint?, _ what: (inout LogLine) -> Void
  ) {
    var line = LogLine()
    line.add("result", result)
    what(&line)
    line.add("by", escaping: actor)
    line.add("in", "realm")
    if let mark { line.add("checkpoint", escaping: mark.text) }
    log(.notice, line)
  }
}

extension AdministeredRealmUser {
  /// What the realm has about the user, or nil if it cannot be used.
  var summary: UserSummary? {
    guard case .usable(let summary) = content else { return nil }
    return summary
  }

  /// Why the record cannot be used, or nil.
  var problem: RecordProblem? {
    guard case .unusable(let words) = content else { return nil }
    return Self.problem(words)
  }

  private static func problem(_ words: [UInt8]) -> RecordProblem {
    .realm(VisibleText.escaping(words))
  }

  /// Whether a list of users shows the user.
  var isShown: Bool { summary?.isEnrolled ?? true }

  var report: UserReport {
    let content: UserReport.Content =
      switch content {
      case .usable(let summary): .usable(summary)
      case .unusable(let words): .unusable(Self.problem(words))
      }
    var report = UserReport(name: name, content: content)
    report.directoryEntry = directoryEntry.isEmpty ? nil : directoryEntry
    return report
  }
}

// The hosts and verifiers of the realm.
extension RealmAdministrator {
  /// Returns the hosts of the realm, sorted by name.
  package func hosts() throws(AdminError) -> [AdministeredHost] {
    var hosts: [AdministeredHost] = []
    try forEachElement(
      { .hosts(after: $0?.name ?? []) },
      of: { if case .hosts(let page, let isEnd) = $0 { (page, isEnd) } else { nil } }
    ) { hosts.append($0) }
    return hosts
  }

  /// Returns the state of the realm.
  package func state() throws(AdminError) -> AdministeredRealm {
    try reply(to: .realm) { if case .realm(let realm) = $0 { realm } else { nil } }
  }

  /// Creates a ticket with which a host joins, and returns its text.
  package func newTicket(
    for host: String, groups: [String]
  ) throws(AdminError) -> SecretBytes {
    let name = Array(host.utf8)
    let command = AdministrationCommand.newHostTicket(
      host: name, groups: groups.map { Array($0.utf8) })
    let code = try reply(to: command) {
      if case .hostTicket(let code) = $0 { code } else { nil }
    }
    note("host-ticket-made", host: name, nil)
    return code.copy()
  }

  /// Revokes all certificates of a host.
  package func revokeHost(_ host: String) throws(AdminError) -> AuditLogCheckpoint? {
    let name = Array(host.utf8)
    let mark = AuditLogCheckpoint(try reply(to: .revokeHost(name), \.checkpoint))
    note("host-revoked", host: name, mark)
    return mark
  }
}

extension AdministrationReply {
  /// Users, and whether there are no more.
  fileprivate var users: (elements: [AdministeredRealmUser], isEnd: Bool)? {
    if case .users(let page, let isEnd) = self { (page, isEnd) } else { nil }
  }

  /// The checkpoint of a change that was made.
  fileprivate var checkpoint: [UInt8]? {
    if case .done(let checkpoint) = self { checkpoint } else { nil }
  }
}
