import MFAWire
import MFAStore
import MFAModel
import MFARealm
import MFADecider
import MFABase
import MFARealmStore
import MFASignIn

/// A process of the verifier: serves the network front, which passes on what hosts ask.
///
/// MUST 1: only the network front's user and root are served. (`DecisionTests.otherUser`)
/// MUST 2: the host is looked up at each request; a revoked one is refused, and so is a decision in another
/// epoch than that of the lookup, which may have been answered by a primary that was replaced.
/// (`DecisionTests.revoked`)
/// MUST 3: a host gets no answer about users and services that its groups do not permit, and the refusal
/// says nothing about them. (`DecisionTests.notPermitted`)
struct DecisionWorker<Engine: StoreEngine>: PoolWorker {
  let listener: PacketListener
  let share: WorkerShare
  let realm: DecisionRealm<Engine>
  let counters: DecisionCounters
  /// The user ID of the network front.
  let front: UInt32

  var part: StaticString { "verifier" }

  /// For how many days a certificate is valid.
  private static var certificateDays: UInt16 { 30 }

  func serve(_ connection: PacketConnection) throws(SystemError) {
    let peer = try connection.peer()
    guard share.begin(for: 0), peer.user == front || peer.user == 0 else { return }
    Alarm.set(seconds: RequestLimit.working)
    defer { Alarm.set(seconds: 0) }
    var sender = Peer(process: 0, user: .max)
    guard
      case .packet(let packet) = try connection.receive(
        seconds: RequestLimit.firstMessage, sender: &sender)
    else { return }
    do throws(PacketError) {
      answer(try VerifierRequest(packet: packet), connection)
    } catch {
      counters.add(.malformed)
      report("malformed", host: nil)
    }
  }

  private func answer(_ request: VerifierRequest, _ connection: PacketConnection) {
    switch request {
    case .decide(let request): decide(request, connection)
    case .join(let ticket, let serial): send(join(ticket, serial), connection)
    case .renew(let host, let present, let next):
      send(renew(host, present: present, next: next), connection)
    case .seen(let seen): send(note(seen), connection)
    case .ping: send(.alive, connection)
    case .numbers: send(.numbers(counters.numbers), connection)
    case .offline(let request): send(answer(request), connection)
    }
  }

  /// Answers a host about the time in which no verifier answers.
  private func answer(_ request: OfflineRequest) -> VerifierReply {
    let host = request.host
    do throws(FactorStoreError) {
      guard let record = try realm.hosts().host(host, certificate: request.serial) else {
        report("host-refused", host: host)
        return .refused
      }
      let decisions = OfflineDecisions(realm: realm, host: record)
      switch request.subject {
      case .permit(let nonce, let encoded):
        let facts: HostFacts
        do throws(PacketError) { facts = try HostFacts(encoded.span) } catch {
          report("malformed", host: host)
          return .refused
        }
        return .offline(.permits([try decisions.permit(nonce: nonce, facts)?.encoded() ?? []]))
      case .renewal(let tokens):
        return .offline(.permits(try renewed(tokens, decisions)))
      case .report(let encoded):
        guard let offlineReport = OfflineReport(encoded.span) else {
          report("malformed", host: host)
          return .refused
        }
        return try enter(offlineReport, decisions)
      }
    } catch {
      report("offline", host: host, error)
      // A host that is refused reports much later.
      if case (.report, .engine) = (request.subject, error) {
        return .offline(.later(seconds: Self.pauseOfDatabase))
      }
      return .refused
    }
  }

  /// The seconds after which a host reports again if the database did not answer.
  private static var pauseOfDatabase: UInt32 { 60 }

  /// The largest number of processes of this verifier that enter reports at the same moment. After an outage, many hosts
  /// report; users sign in meanwhile.
  private static var mostReports: Int { 4 }
  /// The number of the work that enters reports.
  private static var reporting: UInt32 { 1 }

  /// Enters a report of a host.
  private func enter(
    _ offlineReport: OfflineReport, _ decisions: OfflineDecisions<Engine>
  ) throws(FactorStoreError) -> VerifierReply {
    guard share.serve(Self.reporting, most: Self.mostReports) else {
      return .offline(.later(seconds: OfflineDecisions<Engine>.pause))
    }
    guard let reply = try decisions.enter(offlineReport) else {
      counters.add(.notPermitted)
      report("offline-not-permitted", host: decisions.host.name)
      return .refused
    }
    return .offline(reply)
  }

  /// Returns the permits with these tokens anew, as many as fit into a reply.
  private func renewed(
    _ tokens: [[UInt8]], _ decisions: OfflineDecisions<Engine>
  ) throws(FactorStoreError) -> [[UInt8]] {
    var permits: [[UInt8]] = []
    var left = OfflinePermit.longest
    for token in tokens {
      let permit = try decisions.permit(renewing: token)?.encoded() ?? []
      left -= permit.count + 2
      guard left >= 0 || permits.isEmpty else { break }
      permits.append(left >= 0 ? permit : [])
    }
    return permits
  }

  private func send(_ reply: VerifierReply, _ connection: PacketConnection) {
    guard let packet = reply.packet() else { return }
    do throws(SystemError) { try connection.send(packet.span) } catch {}
  }

  func report(
    _ reason: StaticString, host: [UInt8]?, user: [UInt8]? = nil, _ error: FactorStoreError? = nil
  ) {
    var line = LogLine()
    line.add("result", "error")
    if let error { line.add(error) } else { line.add("part", part) }
    line.add("reason", reason)
    if let user { line.add("user", escaping: user) }
    line.add("host", escaping: host)
    Log.write(.error, line)
  }

  // MARK: Hosts

  private func actor(_ host: [UInt8]) -> AuditLogEvent.Actor {
    AuditLogEvent.Actor(
      name: [], uid: nil, program: Array("mfa-verifier".utf8), source: Source(host))
  }

  private func join(_ ticket: PrivateText, _ serial: [UInt8]) -> VerifierReply {
    let typed = ticket.copy()
    guard let code = RecoveryCode(answer: typed.span) else { return .refused }
    do throws(FactorStoreError) {
      guard
        let host = try realm.hosts().join(ticket: code, certificate: serial, by: actor([]))
      else {
        counters.add(.wrongTicket)
        report("wrong-ticket", host: nil)
        return .refused
      }
      counters.add(.joined)
      return .joined(host: host.name, days: Self.certificateDays)
    } catch {
      report("join", host: nil, error)
      return .refused
    }
  }

  private func renew(_ host: [UInt8], present: [UInt8], next: [UInt8]) -> VerifierReply {
    do throws(FactorStoreError) {
      let hosts = HostRegistry(
        realm.store(
          for: SharedRequest(
            host: HostBudget.renewals(of: host),
            hostLimit: HostRegistry<Engine>.renewalsHourly, nonce: nil)))
      guard try hosts.renew(host, present: present, next: next, by: actor(host)) else {
        counters.add(.renewalRefused)
        report("host-refused", host: host)
        return .refused
      }
      counters.add(.renewed)
      return .renewed(days: Self.certificateDays)
    } catch {
      report("renew", host: host, error)
      return .refused
    }
  }

  // MARK: Decisions

  private func decide(_ request: DecisionRequest, _ connection: PacketConnection) {
    guard let packet = Self.packet(from: connection) else { return }
    let isOfAdministrator = packet.withSpan { AdministrationRequest.begins($0) }
    guard !isOfAdministrator else { return administer(request, packet, connection) }
    let isOfHelper = packet.withSpan { ManagementCall.begins($0) }
    /// Refuses the request. The module denies; a helper's client is told the failure. Without an answer, both
    /// would decide as if there were no service.
    func refuse(
      _ reason: StaticString, user: [UInt8]? = nil, _ error: FactorStoreError? = nil,
      as failure: HelperFailure = .storeUnavailable
    ) {
      report(reason, host: request.host, user: user, error)
      if isOfHelper {
        connection.reply(ManagementReply(refusing: failure))
      } else {
        connection.reply(SignInReply())
      }
    }
    let host = request.host
    let permissions: HostPermissions
    let record: HostRecord
    let epoch: UInt64?
    do throws(FactorStoreError) {
      guard let present = try realm.hosts().host(host, certificate: request.serial) else {
        counters.add(.hostRefused)
        return refuse("host-refused")
      }
      record = present
      permissions = realm.configuration.permissions(of: record.groups)
      epoch = realm.epoch
    } catch {
      counters.add(.failed)
      return refuse("host", error)
    }
    let facts: HostFacts
    do throws(PacketError) { facts = try HostFacts(request.facts.span) } catch {
      counters.add(.malformed)
      return refuse("malformed")
    }
    let identities = DirectoryIdentities(
      store: realm.store(
        for: SharedRequest(host: host, hostLimit: .max, nonce: nil, epoch: epoch)),
      host: host, permissions: self.permissions(ofHost:))
    var renamed: RenamedUser?
    do throws(FactorStoreError) {
      if let user = facts.subject {
        switch try identities.owner(for: user, permissions) {
        case .same: break
        case .renamed(let earlier): renamed = RenamedUser(from: earlier, to: user.account.name)
        case .anotherPerson:
          counters.add(.notPermitted)
          return refuse("another-person", user: user.account.name, as: .notPermitted)
        case .notPermitted:
          counters.add(.notPermitted)
          return refuse("not-permitted", as: .notPermitted)
        case .disputed(let holder): reportDispute(of: user.account.name, with: holder, host: host)
        }
      }
    } catch {
      counters.add(.failed)
      return refuse("directory-entry", error)
    }
    var shared = SharedRequest(
      host: host, hostLimit: permissions.failuresHourly, nonce: request.nonce, epoch: epoch)
    shared.renamed = renamed
    let managed = DecisionHost(realm: realm, request: shared, facts: facts, record: record)
    if isOfHelper {
      do throws(PacketError) {
        let call = try ManagementCall(packet: packet)
        manage(call, connection, managed, permissions)
      } catch {
        return malformed(host)
      }
      if let renamed {
        removeRest(of: renamed, host: host)
      } else {
        remember(facts, identities, permissions, host: host)
      }
      return
    }
    do throws(PacketError) {
      let call = try SignInCall(packet: packet)
      let mayEnroll = call.line == .account && facts.subject?.identity != .unknown
      decide(call, connection, managed, permissions)
      if mayEnroll, renamed == nil { remember(facts, identities, permissions, host: host) }
    } catch {
      malformed(host)
    }
  }

  private func malformed(_ host: [UInt8]) {
    counters.add(.malformed)
    report("malformed", host: host)
  }

  /// Waits for the packet that a request is about.
  private static func packet(from connection: PacketConnection) -> SecretBytes? {
    do throws(SystemError) {
      guard
        case .packet(let packet) = try connection.receive(seconds: RequestLimit.firstMessage)
      else { return nil }
      return packet
    } catch {
      return nil
    }
  }

  /// After a request in which the user may have enrolled, keeps the entry that the user has in the directory.
  private func remember(
    _ facts: HostFacts, _ identities: DirectoryIdentities<Engine>, _ permissions: HostPermissions,
    host: [UInt8]
  ) {
    guard let user = facts.subject, permissions.allowsEnrollment(of: user.account.name) else {
      return
    }
    do throws(FactorStoreError) {
      guard let holder = try identities.remember(user) else { return }
      reportDispute(of: user.account.name, with: holder, host: host)
    } catch {
      report("directory-entry", host: host, user: user.account.name, error)
    }
  }

  /// Logs that a host reports an entry for a user that is or was another name's.
  private func reportDispute(of user: [UInt8], with holder: [UInt8], host: [UInt8]) {
    var line = LogLine(errorIn: part, reason: "entry-of-another-name")
    line.add("user", escaping: user)
    line.add("holder", escaping: holder)
    line.add("host", escaping: host)
    Log.write(.warning, line)
  }

  /// Returns the permissions of a host at present, or nil if the realm refuses the host.
  private func permissions(ofHost host: [UInt8]) throws(FactorStoreError) -> HostPermissions? {
    guard let record = try realm.hosts().host(host), !record.serials.isEmpty else { return nil }
    return realm.configuration.permissions(of: record.groups)
  }

  /// After an accepted code, moves the factors of a renamed user to the present name.
  private func follow(_ renamed: RenamedUser, _ permissions: HostPermissions, host: [UInt8]) {
    guard DirectoryIdentities<Engine>.mayMove(renamed, permissions) else { return }
    do throws(FactorStoreError) {
      let store = realm.storeWithoutHost()
      let users = RealmUsers(store, by: actor(host), at: try store.now())
      _ = try users.rename(renamed.earlier, to: renamed.name)
    } catch {
      report("user-renamed", host: host, user: renamed.name, error)
    }
  }

  /// If a renamed user has just removed the last factor, removes everything else that the realm keeps about the user.
  private func removeRest(of renamed: RenamedUser, host: [UInt8]) {
    let store = realm.storeWithoutHost()
    do throws(FactorStoreError) {
      guard try store.snapshot(of: RealmUsers<Engine>.account(renamed.earlier)) == nil else {
        return
      }
      try store.removeRest(of: renamed.earlier)
    } catch {
      report("directory-entry", host: host, user: renamed.name, error)
    }
  }

  /// Returns whether a host may ask about a sign-in: about the user and all other names of the user, which
  /// an enrolment applies to as well, and the name before; and for an enrolment, if the sign-in is to begin one.
  private static func allows(
    _ start: borrowing SignInCall, _ host: DecisionHost<Engine>, _ permissions: HostPermissions
  ) -> Bool {
    let facts = host.facts
    let name = facts.user?.account.name ?? start.request.user
    var names = [name] + facts.sharing.compactMap { $0?.name }
    if let renamed = host.request.renamed { names.append(renamed.earlier) }
    guard names.allSatisfy({ permissions.allows($0, start.request.service) }) else { return false }
    guard start.line == .account, start.note?.first == TransactionNote.enrollment.rawValue else {
      return true
    }
    return permissions.allowsEnrollment(of: name)
  }

  /// Returns whether the process that asks runs as the system user of a daemon, which signs in other users
  /// of this service.
  private func isDaemon(_ host: DecisionHost<Engine>, of service: [UInt8]) -> Bool {
    do throws(ConfigurationError) {
      guard let user = host.facts.caller?.account.name else { return false }
      return try host.configuration(at: nil).daemons.contains { $0.isRun(by: user, at: service) }
    } catch {
      return false
    }
  }

  private func decide(
    _ call: consuming SignInCall, _ connection: PacketConnection, _ host: DecisionHost<Engine>,
    _ permissions: HostPermissions
  ) {
    let facts = host.facts
    let isRoot = facts.peerUser == 0
    let (line, entered) = (call.line, call.request.user)
    guard Self.allows(call, host, permissions),
      isRoot || facts.caller?.account.name == facts.user?.account.name ?? entered
        || isDaemon(host, of: call.request.service)
    else {
      counters.add(.notPermitted)
      report("not-permitted", host: host.request.host)
      connection.reply(SignInReply())
      return
    }
    // A user's own process cannot claim to be run by another user.
    let identity = ProcessIdentity(
      user: isRoot ? call.caller : facts.peerUser, actsAsRoot: isRoot, isConfined: false)
    var host = host
    host.entered = entered
    let step = SignIn(call, host: host, identity: identity).step()
    // Before the verdict, because the next line of the sign-in must find the factors under the new name.
    if let renamed = host.request.renamed, step.results.contains(where: \.movesFactors) {
      follow(renamed, permissions, host: host.request.host ?? [])
    }
    connection.reply(Decider.carryOutOwn(step.reply, identity))
    for result in step.results.compactMap({ DecisionCounter($0) }) { counters.add(result) }
    guard let verdict = step.verdict else { return counters.add(.asked) }
    counters.add(line == .session ? .session : DecisionCounter(verdict))
  }

  private func manage(
    _ call: consuming ManagementCall, _ connection: PacketConnection,
    _ host: DecisionHost<Engine>, _ permissions: HostPermissions
  ) {
    guard let caller = host.facts.caller?.account,
      permissions.allowsEnrollment(of: caller.name),
      permissions.allowsEnrollment(of: host.request.renamed?.earlier ?? caller.name)
    else {
      counters.add(.notPermitted)
      report("not-permitted", host: host.request.host)
      connection.reply(ManagementReply(refusing: .notPermitted))
      return
    }
    var management = Management(of: caller, terminal: call.terminal, at: host)
    management.finish(wasSent: connection.reply(management.reply(to: call)))
    counters.add(.managed)
  }
}
