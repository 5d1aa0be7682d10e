import MFABase
import MFADecider
import MFAModel
import MFARealm
import MFARealmStore
import MFAStore

/// What root on a verifier does with the realm.
package struct RealmAdministration {
  private let engine: MeasuredEngine
  let realm: DecisionRealm<MeasuredEngine>

  /// Reads the configuration of this verifier. The key is read when it is needed.
  package init() throws(RealmError) {
    let configuration = try DecisionConfiguration.installed()
    engine = MeasuredEngine(configuration)
    realm = try DecisionRealm(engine, configuration)
  }

  /// Creates the realm in what the configuration names, and before that a schema in PostgreSQL. Returns
  /// false if there was a realm. `owner` and `role` are required for PostgreSQL only.
  package static func setUp(owner: String?, role: String?) throws(RealmError) -> Bool {
    let now = try RealmError.onSystem("the clock cannot be read") { () throws(SystemError) in
      try Clock.now()
    }
    if let owner, let role { return try setUpPostgreSQL(owner: owner, role: role, now: now) }
    let configuration = try DecisionConfiguration.installed()
    guard case .etcd = configuration.engine, owner == nil, role == nil else {
      throw RealmError(
        "PostgreSQL requires the options --owner and --role",
        hint: "for etcd, /etc/mfa/verifier.conf has the key engine")
    }
    let engine = EtcdEngine(configuration.etcd)
    do throws(EngineError) { return try engine.initializeRealm(now: now) } catch {
      throw notSetUp(
        error, engine, hint: "mfa-verifier check shows what is wrong with the cluster")
    }
  }

  private static func notSetUp(
    _ error: EngineError, _ engine: some StoreEngine, hint: String
  ) -> RealmError {
    let reason = engine.lastMessage.isEmpty ? "\(error.name)" : engine.lastMessage
    return RealmError("the realm was not set up: \(reason)", hint: hint)
  }

  private static func setUpPostgreSQL(
    owner: String, role: String, now: Int64
  ) throws(RealmError) -> Bool {
    let engine = PostgreSQLEngine(PostgreSQLConfiguration(connection: owner))
    do throws(EngineError) {
      try engine.installSchema(verifiers: [role])
      return try engine.initializeRealm(now: now)
    } catch {
      throw notSetUp(
        error, engine,
        hint: "the owner needs the privilege CREATE on the database and the role pg_read_all_stats")
    }
  }

  /// Returns what is missing for a database that keeps what it acknowledges, and how its clock and that of this machine
  /// differ.
  package func check() throws(RealmError) -> [String] {
    let findings = try checkDatabase()
    do throws(FactorStoreError) {
      return findings + [try realm.storeWithoutHost().clockFinding()].compactMap(\.self)
    } catch {
      // Without a realm in the database there is nothing to compare with.
      guard error != .engine(.notPrimary) else { return findings }
      return findings + ["the clock of the database cannot be read: \(error.names.reason)"]
    }
  }

  private func checkDatabase() throws(RealmError) -> [String] {
    do throws(EngineError) { return try engine.findings() } catch {
      throw RealmError(
        "the database cannot be checked: \(engine.lastMessage)",
        hint: "check the key database in /etc/mfa/verifier.conf")
    }
  }

  /// Creates a ticket for a host, and returns its text.
  package func ticket(for host: String, groups: [String]) throws(RealmError) -> String {
    let known = realm.configuration.groups.map { String(decoding: $0.name, as: UTF8.self) }
    for group in groups where !known.contains(group) {
      throw RealmError(
        "there is no group \(group)",
        hint: "the sections [hosts NAME] of /etc/mfa/verifier.conf name them")
    }
    guard RealmHostName.isValid(Array(host.utf8)) else {
      throw RealmError(
        "\(host) is not the name of a host in lower case", hint: "for example: web1.example.org")
    }
    if groups.isEmpty {
      throw RealmError(
        "a host without a group may ask nothing",
        hint: "name a group: mfa-verifier ticket \(host) --group GROUP")
    }
    let code = try onRealm { () throws(FactorStoreError) in
      try realm.hosts().newTicket(
        for: Array(host.utf8), groups: groups.map { Array($0.utf8) }, by: Self.actor
      ).written()
    }
    return String(decoding: code.span.copied(), as: UTF8.self)
  }

  static var actor: AuditLogEvent.Actor {
    AuditLogEvent.Actor(
      name: Array("root".utf8), uid: 0, program: Array("mfa-verifier".utf8),
      source: Source(Array("mfa-verifier".utf8)))
  }

  func onRealm<Result: ~Copyable>(
    _ body: () throws(FactorStoreError) -> Result
  ) throws(RealmError) -> Result {
    do throws(FactorStoreError) { return try body() } catch {
      if case .otherVersion(let format) = error {
        throw RealmError(
          "the realm has format \(format), which this mfa-verifier does not know",
          hint: "install the version of mfa-verifier that the other verifiers have")
      }
      let (part, reason) = error.names
      throw RealmError(
        "the realm cannot be used: \(part): \(reason)"
          + (engine.lastMessage.isEmpty ? "" : ": \(engine.lastMessage)"),
        hint: "mfa-verifier check shows what is wrong with the database")
    }
  }
}

extension RealmAdministration {
  /// Mails the pending notices of each account that has a file in the folder of this verifier.
  package func mail() throws(RealmError) {
    do throws(SystemError) {
      try PrivilegedProcess.settle(name: "mfa-verifier", keepsDescriptors: true)
    } catch {
      throw RealmError("the process cannot be prepared")
    }
    // While the database does not answer, no file is touched.
    _ = try onRealm { () throws(FactorStoreError) in try realm.storeWithoutHost().clockFinding() }
    let folder = MailFolder(StoreFile.realmMailName)
    let haveAllBegun: Bool
    do throws(FactorStoreError) {
      haveAllBegun = try RealmMail(realm: realm, folder: folder, send: Mailing.send).empty()
    } catch {
      throw RealmError(
        "the folder \(StoreFile.realmMailPath) cannot be emptied: \(error.names.reason)",
        hint: "/usr/lib/mfa/make-store creates it, and corrects its mode; its owner is mfa")
    }
    guard haveAllBegun else {
      throw RealmError(
        "the notices of some users could not be read, and stay to be mailed",
        hint: "the system log has the reason (authpriv)")
    }
  }
}

// What root on a verifier does with the realm as a whole.
extension RealmAdministration {
  /// Begins a new epoch of the realm. Returns lines that say what it does.
  package func beginEpoch() throws(RealmError) -> [String] {
    let state = try onRealm { () throws(FactorStoreError) in
      try realm.storeWithoutHost().beginEpoch(by: Self.actor)
    }
    return Self.lines(ofEpoch: state)
  }

  /// Returns what a new epoch means for users.
  static func lines(ofEpoch state: RealmState) -> [String] {
    // The standard period of TOTP (RFC 6238, section 4.1), in seconds.
    let period: Int64 = 30
    let (steps, _) = (state.fence / period).addingReportingOverflow(
      Int64(state.fenceIntervals) + 1)
    let (end, overflow) = steps.multipliedReportingOverflow(by: period)
    let time = String(decoding: UTCTime.precise(overflow ? state.fence : end), as: UTF8.self)
    return [
      "epoch \(state.epoch) of the realm has begun",
      "codes are accepted again from \(time) on, if their period is \(period) seconds",
      "remembered sign-ins, and codes that were sent to phones, are void",
      "not brought back: changes since the backup; see AFTER A FAILOVER OR A RESTORE in mfa-verifier(8)",
    ]
  }
}
