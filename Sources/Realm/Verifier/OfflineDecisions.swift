import MFAStore
import MFAAttempt
import MFACrypto
import MFAModel
import MFARealm
import MFABase
import MFARealmStore

/// What a verifier decides for the time in which a host cannot reach it: which permits a host gets, and what the
/// host's reports mean.
///
/// MUST 1: a host gets a permit only about a user whose code was accepted there, who is still enrolled and not
/// locked, and only for what its groups permit. (`DecisionTests.permit`)
/// MUST 2: a permit never lasts longer after the sign-in than the groups of the host say.
/// (`DecisionTests.permit`)
/// MUST 3: a host reports only what its groups permit: sign-ins while no verifier answers, by the users, to the services
/// and with the methods of its groups. (`OfflineReportTests.notPermitted`, `.records`)
/// MUST 4: a host causes at most `offline_records_hourly` entries of the audit log in an hour, whichever verifiers it
/// reports to. The rest stays in the queue of the host. (`OfflineReportTests.flood`)
struct OfflineDecisions<Engine: StoreEngine> {
  let realm: DecisionRealm<Engine>
  let host: HostRecord

  /// The cost of the hashes of codes: N is 2^15.
  static var costLog2: UInt8 { 15 }

  private var groups: [HostGroup] {
    realm.configuration.groups.filter { host.groups.contains($0.name) }
  }

  private func store(nonce: [UInt8]? = nil) -> SharedFactorStore<Engine> {
    realm.store(for: SharedRequest(host: host.name, hostLimit: .max, nonce: nonce))
  }

  private func now() throws(FactorStoreError) -> Int64 { try store().now() }

  // MARK: Permits

  /// Returns the permit about the user of a request, or nil if no code was accepted in it, or if nothing is
  /// permitted.
  func permit(
    nonce: [UInt8], _ facts: HostFacts
  ) throws(FactorStoreError) -> OfflinePermit? {
    guard let account = facts.user?.account, facts.peerUser == 0,
      try Attempt.hasAccepted(from: account, in: store(nonce: nonce))
    else { return nil }
    let token = OfflineToken(host: host.name, user: account.name, signedInAt: try now())
    return try permit(token)
  }

  /// Returns the permit anew, or nil if it is withdrawn.
  func permit(renewing sealed: [UInt8]) throws(FactorStoreError) -> OfflinePermit? {
    let token: OfflineToken
    do throws(FactorStoreError) {
      token = try OfflineRegistry(store()).token(sealed)
    } catch {
      guard error == .damaged(.record) else { throw error }
      return nil
    }
    guard token.host == host.name else { return nil }
    return try permit(token)
  }

  private func permit(_ token: OfflineToken) throws(FactorStoreError) -> OfflinePermit? {
    let user = token.user
    let permitting = groups.filter { !$0.offline.isEmpty && $0.includes(user) }
    let rules = permitting.compactMap { rule($0, for: user) }.prefix(OfflinePermit.mostRules)
    let days = permitting.map(\.offlineDays).max() ?? 0
    let now = try now()
    let (expires, overflow) = token.signedInAt.addingReportingOverflow(days * 86_400)
    guard !rules.isEmpty, !overflow, expires > now, let record = try usableRecord(of: user, at: now)
    else { return nil }
    let registry = OfflineRegistry(store())
    let codes = try registry.codes(of: user)
    let set = permitting.lazy
      .filter { realm.configuration.offlineMethods(of: user, at: $0).contains(.recovery) }
      .compactMap { codes[$0.name] }.first { !$0.codes.isEmpty }
    return OfflinePermit(
      user: user, language: record.language, issuedAt: now, signedInAt: token.signedInAt,
      expiresAt: expires, rules: Array(rules), codes: set, token: try registry.sealed(token))
  }

  private func rule(_ group: HostGroup, for user: [UInt8]) -> OfflineRule? {
    let methods = realm.configuration.offlineMethods(of: user, at: group)
    guard !methods.isEmpty, group.services?.count ?? 0 <= OfflineRule.mostServices else {
      return nil
    }
    return OfflineRule(
      services: group.services, methods: methods, rememberedSeconds: group.offlineHours * 3600)
  }

  /// Returns the user's record, or nil unless the user is enrolled and not locked.
  private func usableRecord(
    of user: [UInt8], at now: Int64
  ) throws(FactorStoreError) -> FactorRecord? {
    guard let snapshot = try store().snapshot(of: Account(name: user, uid: 0)) else { return nil }
    let configuration: Configuration
    do throws(ConfigurationError) { configuration = try realm.policy() } catch {
      return nil
    }
    let settings = configuration.settings(
      for: Subject(user: user, service: [], address: nil) { _ in nil })
    let standing = snapshot.attempts.standing(settings.throttle, now: now)
    return standing == .locked ? nil : snapshot.record
  }

  // MARK: Codes

  /// The group for which a user makes offline recovery codes at this host: the named one, or the first one of the
  /// host that has them. Returns nil if the group has none, or does not permit the user.
  func groupForCodes(named name: [UInt8], of user: [UInt8]) -> [UInt8]? {
    let candidates = name.isEmpty ? groups : realm.configuration.groups.filter { $0.name == name }
    return candidates.first { group in
      group.includes(user)
        && realm.configuration.offlineMethods(of: user, at: group).contains(.recovery)
    }?.name
  }

  /// Makes new codes for a group, and returns them in their written form, one after the other.
  func newCodes(
    of user: [UInt8], for group: [UInt8]
  ) throws(FactorStoreError) -> SecretBytes {
    var text = SecretBytes(count: OfflineCodeSet.mostCodes * RecoveryCode.writtenLength)
    let set = try cryptographic { () throws(SystemError) in
      var set = OfflineCodeSet(
        id: try randomBytes(count: OfflineCodeSet.idLength),
        salt: try randomBytes(count: OfflineCodeSet.saltLength), costLog2: Self.costLog2, codes: [])
      for number in 0..<OfflineCodeSet.mostCodes {
        guard let code = RecoveryCode(bytes: try SecretBytes.random(count: RecoveryCode.length))
        else { throw SystemError.cryptography }
        let hash = try SlowHash.hash(
          code.bytes.span, salt: set.salt, costLog2: set.costLog2, count: OfflineCodeSet.hashLength)
        set.codes.append(
          OfflineCodeSet.Code(number: UInt8(clamping: number), hash: hash.span.copied()))
        let written = code.written()
        text.withMutableSpan { text in
          for index in written.span.indices {
            text[number * RecoveryCode.writtenLength + index] = written.span[index]
          }
        }
      }
      return set
    }
    try OfflineRegistry(store()).setCodes(set, of: user, for: group)
    return text
  }

  // MARK: Reports

  /// The largest number of entries for one report: a host that has more to report gives way to other requests.
  static var mostEntries: Int { 64 }
  /// The number of seconds after which a host reports again if other changes were faster.
  static var pause: UInt32 { 5 }

  /// The store for reports, whose entries count among those that the host may cause in this hour.
  private var reportStore: SharedFactorStore<Engine> {
    let permitting = groups.filter { !$0.offline.isEmpty }
    return realm.store(
      for: SharedRequest(
        host: HostBudget.reports(of: host.name),
        hostLimit: permitting.map(\.offlineRecordsHourly).max() ?? 0, nonce: nil))
  }

  /// Returns whether a group of the host permits what a record states: the user, the service, and the method. What a
  /// host may report is what it may do now.
  func permits(_ record: OfflineRecord) -> Bool {
    guard UserName(record.user) != nil, Self.isService(record.service) else { return false }
    return groups.contains { group in
      group.allows(record.user, record.service)
        && realm.configuration.offlineMethods(of: record.user, at: group)
          .contains(record.kind.method)
    }
  }

  /// Returns whether a text can be the name of a PAM service, which is the name of a file.
  private static func isService(_ name: [UInt8]) -> Bool {
    (1...64).contains(name.count)
      && name.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }
  }

  /// Enters what a host reports, as much as it may report now. Returns up to where the realm has the queue then, or when
  /// the host may report again; nil if no group of the host permits sign-ins while no verifier answers.
  func enter(_ report: OfflineReport) throws(FactorStoreError) -> OfflineReply? {
    guard groups.contains(where: { !$0.offline.isEmpty }) else { return nil }
    let registry = OfflineRegistry(reportStore)
    let known = try registry.position(of: host.name)
    guard !report.isDamaged else {
      return try entering(after: known) { (_: inout OfflinePosition) throws(FactorStoreError) in
        try registry.skip(to: known, of: host.name)
      }
    }
    let positions = try Self.positions(report)
    guard let base = positions.first, let records = Self.records(report) else {
      throw .damaged(.record)
    }
    let begin = positions.firstIndex(of: known)
    return try entering(after: known) { (reached: inout OfflinePosition) throws(FactorStoreError) in
      if begin == nil {
        // Records are missing, or the queue was begun anew.
        try registry.skip(to: base, of: host.name)
        reached = base
      }
      let new = zip(records, positions.dropFirst()).dropFirst(begin ?? 0)
      try enter(Array(new), registry, &reached)
    }
  }

  /// Enters records, and keeps the position after the last one that was entered.
  private func enter(
    _ records: [(OfflineRecord, OfflinePosition)], _ registry: OfflineRegistry<Engine>,
    _ reached: inout OfflinePosition
  ) throws(FactorStoreError) {
    var rest = records[...]
    for _ in 0..<Self.mostEntries {
      guard let (record, position) = rest.first else { return }
      let refused = rest.prefix { !permits($0.0) }
      if let last = refused.last {
        try registry.refuse(refused.count, endingAt: last.1, of: host.name)
        reached = last.1
        rest = rest.dropFirst(refused.count)
      } else {
        // A host knows the ids only of the sets that it was given, so it can use up no other codes.
        try registry.enter(record, endingAt: position, of: host.name)
        reached = position
        rest = rest.dropFirst()
      }
    }
  }

  /// Calls `body`, which enters parts of a report and keeps the position after them, until the host may cause no more
  /// entries in this hour, or another change is at the end of the audit log.
  private func entering(
    after known: OfflinePosition,
    _ body: (inout OfflinePosition) throws(FactorStoreError) -> Void
  ) throws(FactorStoreError) -> OfflineReply {
    var reached = known
    do throws(FactorStoreError) { try body(&reached) } catch {
      let seconds: UInt32
      switch error {
      case .engine(.budgetUsedUp): seconds = Self.secondsOfHour(after: try now())
      case .engine(.conflict): seconds = Self.pause
      default: throw error
      }
      guard reached != known else { return .later(seconds: seconds) }
    }
    return .position(number: reached.number, chain: reached.chain)
  }

  /// Returns the seconds until the next period in which entries are counted begins.
  private static func secondsOfHour(after now: Int64) -> UInt32 {
    let length = SharedRequest.periodLength
    return UInt32(clamping: length - ((now % length) + length) % length)
  }

  /// The position before the first record, and those after each record.
  private static func positions(
    _ report: OfflineReport
  ) throws(FactorStoreError) -> [OfflinePosition] {
    var positions = [OfflinePosition(number: report.base, chain: report.chain)]
    var last = positions[0]
    for record in report.records {
      let chain: [UInt8]
      do throws(RealmError) {
        chain = try OfflineChain.value(after: last.chain, record)
      } catch {
        throw .cryptography
      }
      last = OfflinePosition(number: last.number &+ 1, chain: chain)
      positions.append(last)
    }
    return positions
  }

  /// The records, or nil if one is malformed or has another number than its place.
  private static func records(_ report: OfflineReport) -> [OfflineRecord]? {
    var records: [OfflineRecord] = []
    for (index, encoded) in report.records.enumerated() {
      guard let record = OfflineRecord(encoded.span),
        record.number == report.base &+ UInt64(index) &+ 1
      else { return nil }
      records.append(record)
    }
    return records
  }
}
