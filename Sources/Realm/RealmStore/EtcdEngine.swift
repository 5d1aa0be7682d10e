import MFAStore

/// The shared store of a realm in an etcd cluster.
///
/// An engine talks to one member at a time, through the JSON gateway of etcd 3.4 or later. It has at most
/// one connection, which it opens on first use and again after an error. It is used by one thread. A forked
/// copy of the process opens a new connection, and does not use or end the connection of its parent.
///
/// A commit is one transaction, which compares the state of the realm and all versions. If another commit
/// changed only what the caller does not know of, the end of the log or the failures of a host, the
/// transaction is built again.
///
/// MUST 1: what is read is linearizable: a majority of the members has confirmed that it is the present
/// state (`EtcdFaultTests.lostQuorumDenies`).
/// MUST 2: a commit is acknowledged only by an answer that says so, from the same database in which the
/// realm was loaded (`EtcdFaultTests.restoredSnapshotChangesTheIncarnation`,
/// `.commitAfterARestoreIsNotAcknowledged`).
/// MUST 3: no call takes longer than its deadline (`EtcdSessionTests.silentServerMissesTheDeadline`).
/// MUST 4: a commit whose request may have arrived is not sent again
/// (`EtcdSessionTests.lostRequestIsNotRepeated`).
/// MUST 5: a commit is refused after a restore until the realm was replaced
/// (`EtcdFaultTests.restoredSnapshotChangesTheIncarnation`).
package final class EtcdEngine: StoreEngine {
  let configuration: EtcdConfiguration
  let session: EtcdSession
  let keys: EtcdKeys

  /// The message of etcd or of libcurl.
  package var lastMessage: String {
    Self.printable(ownMessage.isEmpty ? session.message : ownMessage)
  }
  var ownMessage = ""

  /// The number of the connection whose member was found to have the lead below.
  private var verified: UInt64?
  private var lead: EtcdLead?

  /// The realm as it was read last, from a database of its own incarnation; nil if it is not known.
  private var realm: EtcdRealm?
  /// The realm and the highest revision that was read with it.
  private var seen: (realm: EtcdRealm, revision: Int64)?
  /// The realm that was found in another incarnation than its own, and that incarnation.
  private var suspected: (realm: EtcdRealm, incarnation: [UInt8])?

  /// The failures of a host as they were read last.
  private var failures: EtcdFailures?
  private var lease: (id: Int64, end: EngineDeadline)?

  /// Creates an engine, which does not connect yet.
  package init(_ configuration: EtcdConfiguration) {
    self.configuration = configuration
    session = EtcdSession(configuration)
    keys = EtcdKeys(prefix: configuration.prefix)
  }

  // MARK: - Loading

  /// Returns a row, the state of the realm, and what the realm knows of a host and an earlier answer.
  package func load(
    _ key: EngineKey, _ context: EngineContext
  ) throws(EngineError) -> EngineSnapshot {
    ownMessage = ""
    let row = keys.row(key)
    let host = context.host.map { keys.failures($0, in: context.period) }
    let nonce = context.nonce.map { keys.answer($0) }
    let read = try readRealm(
      [row] + (host.map { [$0] } ?? []) + (nonce.map { [$0] } ?? []),
      until: EngineDeadline.after(configuration.loadDeadline))
    var snapshot = EngineSnapshot(
      row: try Self.row(read.entries[0]), realm: read.state, incarnation: read.incarnation,
      time: session.time)
    if let host {
      let found = try EtcdFailures(host, read.entries[1])
      failures = found
      snapshot.hostFailures = found.count
    }
    if nonce != nil, let entry = read.entries.last, let answer = entry {
      snapshot.answer = try Token.stripped(answer.value)
    }
    return snapshot
  }

  /// What was read with the realm.
  struct Read {
    let realm: EtcdRealm
    let state: RealmState
    /// The present incarnation.
    let incarnation: [UInt8]
    /// The entries of the requested keys.
    let entries: [EtcdEntry?]
  }

  /// Reads the realm and other keys at one moment.
  func readRealm(
    _ others: [[UInt8]], until deadline: EngineDeadline
  ) throws(EngineError) -> Read {
    let names = [keys.realm, keys.configuration] + others
    let reply = try read(names.map { .get($0) }, until: deadline)
    var entries: [EtcdEntry?] = []
    for (index, name) in names.enumerated() { entries.append(try reply.entry(index, name)) }
    guard let stored = entries[0], let fingerprint = entries[1] else {
      ownMessage = "there is no realm with this prefix"
      throw .notPrimary
    }
    let realm = try EtcdRealm(stored.value)
    let incarnation = try presentIncarnation(of: realm, reply.header)
    self.realm = incarnation == realm.incarnation ? realm : nil
    return Read(
      realm: realm, state: realm.state(configuration: try Self.number(fingerprint.value)),
      incarnation: incarnation, entries: Array(entries.dropFirst(2)))
  }

  /// Reads keys. If the connection is new, finds out the lead of the database.
  private func read(
    _ operations: [EtcdTransaction.Operation], until deadline: EngineDeadline
  ) throws(EngineError) -> EtcdReply {
    let transaction = EtcdTransaction(success: operations)
    // A connection that is lost again and again is no connection.
    for _ in 0..<3 {
      let before =
        verified == session.generation ? nil : try EtcdStatus(of: session, until: deadline)
      let generation = session.generation
      let reply = try session.send(transaction, until: deadline, repeatable: true)
      guard reply.succeeded else { throw .refused }
      guard session.generation == generation else { continue }
      guard let before else { return reply }
      let after = try EtcdStatus(of: session, until: deadline)
      guard session.generation == generation, before.cluster == reply.header.cluster,
        after.cluster == reply.header.cluster
      else { continue }
      lead = EtcdLead(
        appliedBefore: before.applied, committedAfter: after.committed,
        revision: reply.header.revision)
      verified = generation
      return reply
    }
    throw .unreachable
  }

  /// Returns the incarnation of the database that answered: the realm's own, unless the database is
  /// another one than that in which the realm's epoch began, or has lost commits.
  private func presentIncarnation(
    of realm: EtcdRealm, _ header: EtcdHeader
  ) throws(EngineError) -> [UInt8] {
    guard let lead else { throw .refused }
    if let suspected, suspected.realm == realm { return suspected.incarnation }
    suspected = nil
    if let begun = EtcdIncarnation(realm.incarnation.span), begun.cluster == header.cluster,
      lead.most >= begun.lead, !hasLostCommits(realm, header)
    {
      seen = (realm, header.revision)
      return realm.incarnation
    }
    // What was seen belongs to the former incarnation.
    seen = nil
    let incarnation = EtcdIncarnation(cluster: header.cluster, lead: lead.least).encoded()
    suspected = (realm, incarnation)
    return incarnation
  }

  /// Whether this process has seen a later state of the realm.
  private func hasLostCommits(_ realm: EtcdRealm, _ header: EtcdHeader) -> Bool {
    guard let seen else { return false }
    if seen.realm == realm { return header.revision < seen.revision }
    return realm.epoch < seen.realm.epoch
  }

  /// Returns the bytes of a row.
  private static func row(_ entry: EtcdEntry?) throws(EngineError) -> EngineRow {
    guard let entry else { return .none }
    let content = try Token.stripped(entry.value)
    guard content.count >= 4 else { throw .refused }
    let length = content[..<4].reduce(0) { $0 << 8 | Int($1) }
    guard length <= content.count - 4 else { throw .refused }
    return EngineRow(
      version: UInt64(entry.version), record: Array(content[4..<(4 + length)]),
      attempts: Array(content[(4 + length)...]))
  }

  private static func number(_ bytes: [UInt8]) throws(EngineError) -> UInt64 {
    guard bytes.count == 8 else { throw .refused }
    return bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  // MARK: - Committing

  /// Makes a change in one transaction.
  package func commit(
    _ change: EngineChange, entering: ((_ end: [UInt8]) -> EngineLogLine?)?
  ) throws(EngineError) {
    ownMessage = ""
    guard change.otherRow == nil || entering != nil else { throw .refused }
    guard EtcdChange.isSmall(change) else {
      ownMessage = "a part of the change is too long"
      throw .refused
    }
    let deadline = EngineDeadline.after(configuration.commitDeadline)
    let realm = try presentRealm(of: change, entering != nil, until: deadline)
    guard realm.epoch == change.epoch else { throw .conflict }
    // Others may change the end of the log and the host's failures at any time.
    while true {
      var draft = try EtcdChange(
        change, realm, keys, failures: knownFailures(for: change), logEnd: logEnd,
        lease: change.answer == nil ? 0 : try presentLease(until: deadline))
      if let entering { try draft.enter(entering) }
      let reply: EtcdReply
      do throws(EngineError) {
        reply = try session.send(draft.transaction, until: deadline, repeatable: false)
      } catch {
        guard session.isLeaseMissing else { throw error }
        lease = nil
        continue
      }
      if reply.succeeded { return try acknowledge(draft, reply, until: deadline) }
      failures = try draft.presentFailures(reply) ?? failures
      logEnd = try draft.presentLogEnd(reply)
      do throws(EngineError) { try draft.throwIfChanged(reply) } catch {
        // The next commit reads the realm again.
        self.realm = nil
        if error == .unreachable { ownMessage = "the connection was lost during the commit" }
        throw error
      }
      guard !change.givesWay, SuspendingClock.now < deadline else { throw .conflict }
    }
  }

  /// The end of the log as it was read last; nil if it is not known.
  private var logEnd: EtcdLogEnd?

  /// Returns the realm as it was read last if the connection is still the same. Otherwise reads it, with
  /// everything that the change depends on.
  private func presentRealm(
    of change: EngineChange, _ needsLogEnd: Bool, until deadline: EngineDeadline
  ) throws(EngineError) -> EtcdRealm {
    let needsFailures = change.budget != nil && knownFailures(for: change) == nil
    logEnd = nil
    if let realm, realm.epoch == change.epoch, verified == session.generation, !needsLogEnd,
      !needsFailures
    {
      return realm
    }
    let host = change.budget.map { keys.failures($0.host, in: $0.period) }
    let read = try readRealm([keys.logEnd] + (host.map { [$0] } ?? []), until: deadline)
    logEnd = try EtcdLogEnd(read.entries[0])
    if let host { failures = try EtcdFailures(host, read.entries[1]) }
    guard let realm else { throw .conflict }
    return realm
  }

  private func knownFailures(for change: EngineChange) -> EtcdFailures? {
    guard let budget = change.budget, let failures,
      failures.key == keys.failures(budget.host, in: budget.period)
    else { return nil }
    return failures
  }

  /// Returns a lease that lasts longer than an answer must be kept.
  private func presentLease(until deadline: EngineDeadline) throws(EngineError) -> Int64 {
    if let lease, SuspendingClock.now < lease.end { return lease.id }
    let end = EngineDeadline.after(.seconds(configuration.leaseSeconds / 3))
    let granted: Lease = try session.call(
      "lease/grant", ["TTL": "\(configuration.leaseSeconds)"], until: deadline, repeatable: true)
    lease = (granted.id, end)
    return granted.id
  }

  private struct Lease: Decodable {
    @PositiveInteger var id: Int64

    private enum CodingKeys: String, CodingKey { case id = "ID" }
  }

  /// Takes note of a commit that took effect. Throws if it was in another database than that of the realm.
  private func acknowledge(
    _ draft: EtcdChange, _ reply: EtcdReply, until deadline: EngineDeadline
  ) throws(EngineError) {
    failures = draft.nextFailures ?? failures
    logEnd = nil
    let isNew = verified != session.generation
    if let seen, seen.realm == draft.realm, reply.header.revision > seen.revision, !isNew,
      reply.header.cluster == EtcdIncarnation(draft.realm.incarnation.span)?.cluster
    {
      self.seen = (draft.realm, reply.header.revision)
      return
    }
    // The connection was replaced, so that the database may be another one since the realm was read.
    self.realm = nil
    let before = seen?.revision ?? 0
    guard reply.header.revision > before else { throw .refused }
    _ = try readRealm([], until: deadline)
    guard self.realm == draft.realm else {
      ownMessage = "the database was replaced"
      throw .refused
    }
  }

  /// Replaces the state of the realm, if it still has this epoch.
  package func replaceRealm(epoch: UInt64, with state: RealmState) throws(EngineError) -> Bool {
    ownMessage = ""
    let deadline = EngineDeadline.after(configuration.commitDeadline)
    let read = try readRealm([], until: deadline)
    realm = nil
    guard read.realm.epoch == epoch else { return false }
    guard state.incarnation.count <= 255 else { throw .refused }
    let transaction = EtcdTransaction(
      compare: [.value(keys.realm, read.realm.bytes)],
      success: [
        .put(keys.realm, EtcdRealm(state).bytes, lease: 0),
        .put(keys.configuration, EtcdKeys.big(state.configuration), lease: 0),
      ])
    let generation = session.generation
    let reply = try session.send(transaction, until: deadline, repeatable: false)
    // A commit over another connection may be in another database.
    guard session.generation == generation else { throw .unreachable }
    return reply.succeeded
  }

  // MARK: - Lists

  /// The number of keys or lines in one answer.
  private static var page: Int { 500 }

  /// Returns what `element` makes of entries in order, at most `most` of them. `range` returns the keys after an element
  /// that was read, or all keys.
  private func pages<Element>(
    most: Int, keysOnly: Bool,
    range: (_ last: Element?) -> (first: [UInt8], end: [UInt8]),
    _ element: (EtcdEntry) throws(EngineError) -> Element
  ) throws(EngineError) -> [Element] {
    var found: [Element] = []
    while found.count < most {
      let count = min(most - found.count, Self.page)
      let (first, end) = range(found.last)
      let entries = try list(.range(first, end, most: count, keysOnly: keysOnly))
      for entry in entries { found.append(try element(entry)) }
      guard entries.count == count else { return found }
    }
    return found
  }

  /// Returns lines of the audit log in order.
  package func logLines(after number: UInt32, most: Int) throws(EngineError) -> [EngineLogLine] {
    guard number < .max else { return [] }
    return try pages(
      most: most, keysOnly: false,
      range: { last in (keys.line((last?.number ?? number) &+ 1), keys.endOfLines) }
    ) { entry throws(EngineError) in try EtcdChange.line(entry, keys) }
  }

  /// Returns the last line of the audit log.
  package func lastLine() throws(EngineError) -> EngineLogLine? {
    let entries = try list(.last(keys.line(0), keys.endOfLines))
    return try entries.last.map { entry throws(EngineError) in try EtcdChange.line(entry, keys) }
  }

  /// Returns keys of rows of one kind in the order of their ids.
  package func keys(
    _ kind: EngineKey.Kind, after id: [UInt8], most: Int
  ) throws(EngineError) -> [EngineKey] {
    try pages(
      most: most, keysOnly: true, range: { last in keys.rows(kind, after: last?.id ?? id) }
    ) { entry throws(EngineError) in
      guard let id = keys.id(of: entry.key, kind), let key = EngineKey(kind, id) else {
        throw .refused
      }
      return key
    }
  }

  private func list(
    _ operation: EtcdTransaction.Operation
  ) throws(EngineError) -> [EtcdEntry] {
    ownMessage = ""
    let reply = try session.send(
      EtcdTransaction(success: [operation]),
      until: EngineDeadline.after(configuration.loadDeadline), repeatable: true)
    guard let entries = reply.results.first else { throw .refused }
    return entries
  }
}
