import MFAStore
import MFABase
import MFAAttempt
import MFAModel
import MFARealm
import MFARealmStore
import MFAWire

/// An administrator on a host, who acts on the realm.
///
/// The host is believed about who the administrator is: root there can name anybody.
///
/// MUST 1: a host whose groups do not have `administering = on` gets no answer about the realm, and changes
/// nothing. (`HostAdministrationTests.notPermitted`)
/// MUST 2: each change is entered in the audit log in the same commit, with the host and the administrator.
/// (`HostAdministrationTests.changesAreEntered`)
/// MUST 3: only a host with `importing = on` imports, and only for the users of the group that permits it.
/// (`HostImportTests.notPermitted`)
struct HostAdministrator<Engine: StoreEngine> {
  let realm: DecisionRealm<Engine>
  /// The host, as the realm knows it.
  let host: HostRecord
  let request: AdministrationRequest
  /// The time, in seconds since the epoch.
  let now: Int64

  /// The most rows that are read for one reply.
  private static var page: Int { 200 }
  /// The most bytes of the elements of a list, which leave room for the other fields.
  private static var longestList: Int { AdministrationReply.longestList }

  private var isPermitted: Bool { realm.configuration.permissions(of: host.groups).mayAdminister }

  /// Carries out the request.
  func reply() -> AdministrationReply {
    guard isPermitted || request.command == .inspect else {
      return .failed(.notPermitted, detail: [])
    }
    do throws(FactorStoreError) {
      return try answer()
    } catch {
      return Self.failed(error)
    }
  }

  /// Returns the reply for an error of the store.
  static func failed(_ error: FactorStoreError) -> AdministrationReply {
    .failed(.store, detail: words(error))
  }

  private static func words(_ error: FactorStoreError) -> [UInt8] {
    error.names.part.bytes + Array(": ".utf8) + error.names.reason.bytes
  }

  /// The administrator, as entered in the audit log.
  private var actor: AuditLogEvent.Actor {
    AuditLogEvent.Actor(
      name: request.administrator, uid: 0, program: Array("mfa-admin".utf8),
      source: Source(request.terminal).at(host: host.name))
  }

  private func answer() throws(FactorStoreError) -> AdministrationReply {
    switch request.command {
    case .inspect: return .inspection(try inspection())
    case .hosts(let after): return try hosts(after)
    case .newHostTicket(let host, let groups): return try newTicket(host, groups)
    case .revokeHost(let host):
      guard let checkpoint = try realm.hosts().revoke(host, by: actor) else {
        return .failed(.notFound, detail: host)
      }
      return .done(checkpoint: checkpoint.text)
    case .realm: return .realm(try realmState())
    case .users(let after): return try users(after)
    case .user(let name):
      guard let settings else { return .failed(.policy, detail: []) }
      guard let user = try user(name, settings) else { return .failed(.notFound, detail: name) }
      return .users([user], isEnd: true)
    case .change(let name, let change): return try changed(name, change)
    case .renameUser(let name, let next): return try renamed(name, to: next)
    case .auditLog(let after): return try auditLog(after)
    case .auditLogEnd: return .auditLogEnd(try RealmAuditLog(store).end())
    case .importUser(let user): return try imported(user)
    case .undoImport(let undo): return try undone(undo)
    }
  }

  private var store: SharedFactorStore<Engine> {
    realm.storeWithoutHost()
  }

  private var administered: RealmUsers<Engine> { RealmUsers(store, by: actor, at: now) }

  // MARK: The realm

  private func inspection() throws(FactorStoreError) -> VerifierInspection {
    let findings = isPermitted ? try realm.hosts().findings() : []
    let seen = try realm.hosts().lastSeen(.host(host.name))
    return VerifierInspection(
      version: Release.version.bytes, isAdministering: isPermitted,
      findings: findings.map { Array($0.utf8) }, certificateEnd: seen?.certificateEnd ?? 0)
  }

  private func hosts(_ after: [UInt8]) throws(FactorStoreError) -> AdministrationReply {
    let registry = realm.hosts()
    let (found, isEnd) = try registry.hosts(after: after, most: Self.page) { host in
      realm.store(for: SharedRequest(host: host, hostLimit: 0, nonce: nil))
    }
    var hosts: [AdministeredHost] = []
    for (record, failures) in found {
      var host = AdministeredHost(
        name: record.name, groups: record.groups, joinedAt: record.joinedAt,
        revokedAt: record.serials.isEmpty ? max(record.revokedAt, 1) : 0)
      if let seen = try registry.lastSeen(.host(record.name)) {
        host.version = seen.version
        host.seenAt = seen.time
        host.certificateEnd = seen.certificateEnd
      }
      host.failures = failures
      host.mostFailures = realm.configuration.permissions(of: record.groups).failuresHourly
      hosts.append(host)
    }
    let shown = Self.fitting(hosts)
    return .hosts(shown, isEnd: isEnd && shown.count == hosts.count)
  }

  /// Returns the first elements, whose lengths together are at most `longestList`.
  private static func fitting<Element: EncodedValue>(_ elements: [Element]) -> [Element] {
    var left = longestList
    return Array(
      elements.prefix { element in
        left -= element.encoded().count
        return left >= 0
      })
  }

  private func newTicket(
    _ host: [UInt8], _ groups: [[UInt8]]
  ) throws(FactorStoreError) -> AdministrationReply {
    guard RealmHostName.isValid(host) else { return .failed(.badHostName, detail: host) }
    let known = realm.configuration.groups.map(\.name)
    for group in groups where !known.contains(group) {
      return .failed(.unknownGroup, detail: group)
    }
    guard !groups.isEmpty else { return .failed(.unknownGroup, detail: []) }
    let ticket = try realm.hosts().newTicket(for: host, groups: groups, by: actor)
    return .hostTicket(PrivateText(ticket.written()))
  }

  private func realmState() throws(FactorStoreError) -> AdministeredRealm {
    let registry = realm.hosts()
    var verifiers: [AdministeredVerifier] = []
    for name in try registry.verifierNames() {
      guard let seen = try registry.lastSeen(.verifier(name)) else { continue }
      verifiers.append(
        AdministeredVerifier(name: name, version: seen.version, seenAt: seen.time))
    }
    let state = try registry.realm()
    let servers = try registry.servers()
    return AdministeredRealm(
      verifiers: verifiers, epoch: state.epoch, fence: state.fence,
      primary: Array((servers?.primary ?? "").utf8),
      members: (servers?.others ?? []).prefix(16).map { Array($0.utf8.prefix(256)) },
      lag: servers?.lag)
  }

  // MARK: Users

  /// The settings of the realm, or nil if its policy cannot be read.
  private var settings: Settings? {
    do throws(ConfigurationError) { return try realm.policy().project } catch {
      return nil
    }
  }

  /// Returns a user, or nil if the realm has no record of the user.
  private func user(
    _ name: [UInt8], _ settings: Settings
  ) throws(FactorStoreError) -> AdministeredRealmUser? {
    do throws(FactorStoreError) {
      guard let kept = try administered.kept(name) else { return nil }
      let standing = kept.attempts.standing(settings.throttle, now: now)
      return AdministeredRealmUser(
        name: name, .usable(UserSummary(kept, standing)),
        fingerprint: try store.fingerprint(of: kept.record),
        directoryEntry: try DirectoryRegistry(store).entry(of: name) ?? [])
    } catch {
      guard case .engine = error else {
        return AdministeredRealmUser(name: name, .unusable(Self.words(error)))
      }
      throw error
    }
  }

  private func users(_ after: [UInt8]) throws(FactorStoreError) -> AdministrationReply {
    guard let settings else { return .failed(.policy, detail: []) }
    var last = after
    while true {
      let names = try store.userIDs(after: last, most: Self.page)
      var users: [AdministeredRealmUser] = []
      for name in names {
        if let user = try user(name, settings) { users.append(user) }
      }
      let isEnd = names.count < Self.page
      if !users.isEmpty || isEnd {
        let shown = Self.fitting(users)
        return .users(shown, isEnd: isEnd && shown.count == users.count)
      }
      last = names.last ?? last
    }
  }

  private func changed(
    _ name: [UInt8], _ change: UserChange
  ) throws(FactorStoreError) -> AdministrationReply {
    let settings = settings
    guard settings != nil || !change.needsSettings else { return .failed(.policy, detail: []) }
    if case .grant(let terms) = change {
      guard terms.areValid, UserName(name) != nil else { return .failed(.badGrant, detail: []) }
    }
    switch try administered.apply(change, to: name, settings ?? .defaults) {
    case .made(let effect, let entered):
      if change.isNoticed { realm.mailNotices(to: name) }
      return .changed(effect, checkpoint: entered.mark?.text ?? [])
    case .notFound: return .failed(.notFound, detail: name)
    case .tooManyGrants: return .failed(.tooManyGrants, detail: name)
    }
  }

  private func renamed(
    _ name: [UInt8], to next: [UInt8]
  ) throws(FactorStoreError) -> AdministrationReply {
    guard name != next, UserName(next) != nil else { return .failed(.malformed, detail: []) }
    switch try administered.rename(name, to: next) {
    case .moved(let checkpoint): return .done(checkpoint: checkpoint?.text ?? [])
    case .unknown: return .failed(.notFound, detail: name)
    case .taken: return .failed(.nameTaken, detail: next)
    }
  }

  // MARK: Imports

  private func isImportPermitted(_ user: [UInt8]) -> Bool {
    realm.configuration.permissions(of: host.groups).allowsImport(of: user)
  }

  private func imported(
    _ user: AdministrationImport
  ) throws(FactorStoreError) -> AdministrationReply {
    guard isImportPermitted(user.user) else {
      return .failed(.importNotPermitted, detail: user.user)
    }
    guard let opened = OpenedImport(user) else { return .failed(.malformed, detail: []) }
    return .imported(try administered.importing(opened))
  }

  private func undone(_ undo: AdministrationUndo) throws(FactorStoreError) -> AdministrationReply {
    guard isImportPermitted(undo.user) else {
      return .failed(.importNotPermitted, detail: undo.user)
    }
    return .imported(try administered.undoing(undo))
  }

  // MARK: The audit log

  private func auditLog(_ after: UInt32) throws(FactorStoreError) -> AdministrationReply {
    let lines = try RealmAuditLog(store).lines(after: after, most: Self.page)
    let shown = Self.fitting(lines)
    return .auditLog(shown, isEnd: lines.count < Self.page && shown.count == lines.count)
  }
}
