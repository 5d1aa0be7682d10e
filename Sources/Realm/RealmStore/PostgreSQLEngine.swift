import MFABase
import MFAStore

/// The shared store of a realm in a PostgreSQL database.
///
/// An engine has one connection, which it opens on first use and again after an error. It has no
/// thread and is used by one thread. A forked copy of the process opens a new connection and does
/// not use or end the connection of its parent.
///
/// A commit that misses its deadline is not cancelled on the server: a cancelled wait for a standby
/// makes the commit visible although no standby has it. The server finishes the commit when the
/// standby is back. Until then the commit holds its locks, and later commits of the same row miss
/// their deadline, too.
///
/// A load is as current as the server that answers it. A server that was cut off from its standbys,
/// and was replaced by one of them, cannot commit, but it still answers loads with what it has. A
/// decision that rests on a load alone can therefore be older than the last commit of the realm.
///
/// MUST 1: no call waits for the server longer than its deadline
/// (`PostgreSQLEngineTests.deadlineOfACommitHolds`, `.deadlineOfAConnectionHolds`).
/// MUST 2: a commit that brings a notice throws: a commit that stops waiting for its standby
/// reports success with a warning (`PostgreSQLStandbyTests.cancelledCommitThrows`).
/// MUST 3: after an error, nothing of the old conversation is read as an answer to the next
/// statement (`PostgreSQLEngineTests.connectionIsClosedAfterAnError`, `.lostConnectionIsReplaced`,
/// `.lateAnswerIsNotReadAsTheNext`).
/// MUST 4: a load returns an answer only if the commit that stored it is on the standby
/// (`PostgreSQLStandbyTests.answerOfAnUncertainCommitIsWithheld`).
/// MUST 5: a verifier's role changes nothing except through the functions
/// (`PostgreSQLSchemaTests.verifierHasNoAccessToTables`).
/// MUST 6: while no standby is connected, commits are refused before they lock anything, because
/// each waiting commit occupies a connection of the server
/// (`PostgreSQLStandbyTests.commitWithoutStandbyIsRefusedAtOnce`).
/// MUST 7: a commit is refused after a promotion until the realm was replaced
/// (`PostgreSQLStandbyTests.promotionChangesTheIncarnation`).
package final class PostgreSQLEngine: StoreEngine {
  let configuration: PostgreSQLConfiguration
  private var session: PostgreSQLSession?
  /// The server's last error.
  private(set) var refusal: SQLRefusal?

  /// The message of the server or of libpq.
  package internal(set) var lastMessage = ""

  /// The version of the database's schema, if the engine has refused it.
  private(set) var foundVersion: Int64?

  /// The version of the schema of this program.
  package static var schemaVersion: Int64 { PostgreSQLSchema.version }

  /// Creates an engine, which does not connect yet.
  package init(_ configuration: PostgreSQLConfiguration) { self.configuration = configuration }

  // MARK: - StoreEngine

  /// Returns a row, the state of the realm, and what the realm knows of a host and an earlier
  /// answer.
  package func load(
    _ key: EngineKey, _ context: EngineContext
  ) throws(EngineError) -> EngineSnapshot {
    let deadline = EngineDeadline.after(configuration.loadDeadline)
    let reply = try exchange([Prepared.load(key, context)], until: deadline)
    let snapshot = try checked { () throws(EngineError) in try Self.snapshot(try reply.row()) }
    guard snapshot.answer != nil else { return snapshot }
    // The commit that stored the answer may be uncertain: visible, but on no standby.
    try committed(exchange([Prepared.settle.with()], until: deadline))
    return snapshot
  }

  /// Makes a change in one statement, or in a transaction if a line is appended to the audit log.
  package func commit(
    _ change: EngineChange, entering: ((_ end: [UInt8]) -> EngineLogLine?)?
  ) throws(EngineError) {
    let deadline = EngineDeadline.after(configuration.commitDeadline)
    guard let entering else {
      guard change.otherRow == nil else { throw .refused }
      return try committed(exchange([Prepared.commit(change, nil)], until: deadline))
    }
    do throws(EngineError) {
      try append(entering, with: change, until: deadline)
    } catch {
      guard change.givesWay, refusal?.isLockTimeout == true else { throw error }
      throw .conflict
    }
  }

  /// How long a change that gives way waits for a lock, such as that of the end of the audit log.
  private static var lockTimeout: SQLStatement { SQLStatement("SET LOCAL lock_timeout = '100ms'") }

  /// Makes a change in a transaction, and appends a line to the audit log.
  private func append(
    _ entering: (_ end: [UInt8]) -> EngineLogLine?, with change: EngineChange,
    until deadline: EngineDeadline
  ) throws(EngineError) {
    let limit = change.givesWay ? [Self.lockTimeout] : []
    let statements = [SQLStatement("BEGIN")] + limit + [Prepared.lockLogEnd.with()]
    let beginning = try exchange(statements, until: deadline)
    let end = try checked { () throws(EngineError) in
      var row = try permitted(beginning, ofStatement: statements.count - 1)
      return try row.bytes()
    }
    guard let line = entering(end) else {
      _ = try exchange([SQLStatement("ROLLBACK")], until: deadline, inTransaction: true)
      throw .abandoned
    }
    if let row = change.otherRow {
      var other = EngineChange(epoch: change.epoch)
      other.row = row
      let reply = try exchange([Prepared.commit(other, nil)], until: deadline, inTransaction: true)
      try committed(reply)
    }
    // A refusal must not be followed by COMMIT if the other row was replaced.
    let commit = SQLStatement("COMMIT")
    let together = change.otherRow == nil ? [commit] : []
    var reply = try exchange(
      [Prepared.commit(change, line)] + together, until: deadline, inTransaction: true)
    try committed(reply)
    if together.isEmpty {
      reply = try exchange([commit], until: deadline, inTransaction: true)
    }
    try checked { () throws(EngineError) in
      guard reply.notices.isEmpty else { throw .notice }
      guard reply.results.last?.tag == "COMMIT" else { throw .refused }
    }
  }

  /// Replaces the state of the realm, if it still has this epoch.
  package func replaceRealm(epoch: UInt64, with state: RealmState) throws(EngineError) -> Bool {
    let deadline = EngineDeadline.after(configuration.commitDeadline)
    do throws(EngineError) {
      try committed(exchange([Prepared.replaceRealm(epoch, state)], until: deadline))
    } catch .conflict {
      return false
    }
    return true
  }

  /// Returns lines of the audit log in order.
  package func logLines(after number: UInt32, most: Int) throws(EngineError) -> [EngineLogLine] {
    try lines(of: Prepared.logLines(after: number, most: most))
  }

  /// Returns the last line of the audit log.
  package func lastLine() throws(EngineError) -> EngineLogLine? {
    try lines(of: Prepared.lastLine.with()).last
  }

  private func lines(of statement: SQLStatement) throws(EngineError) -> [EngineLogLine] {
    let rows = try rows(of: statement)
    return try checked { () throws(EngineError) in
      var lines: [EngineLogLine] = []
      for var row in rows {
        lines.append(
          EngineLogLine(
            number: try row.number(as: UInt32.self), text: try row.bytes(), end: try row.bytes()))
      }
      return lines
    }
  }

  /// Returns keys of rows of one kind in the order of their ids.
  package func keys(
    _ kind: EngineKey.Kind, after id: [UInt8], most: Int
  ) throws(EngineError) -> [EngineKey] {
    let rows = try rows(of: Prepared.keys(kind, after: id, most: most))
    return try checked { () throws(EngineError) in
      var keys: [EngineKey] = []
      for var row in rows {
        guard let key = EngineKey(kind, try row.bytes()) else { throw .refused }
        keys.append(key)
      }
      return keys
    }
  }

  // MARK: - The conversation

  /// Returns the rows of a statement that changes nothing.
  func rows(of statement: SQLStatement) throws(EngineError) -> [SQLRow] {
    let reply = try exchange(
      [statement], until: EngineDeadline.after(configuration.loadDeadline))
    return try checked { () throws(EngineError) in
      guard let result = reply.results.first else { throw .refused }
      return result.rows
    }
  }

  /// Whether the server is on this machine or has a verified certificate; nil without a connection.
  var isServerVerified: Bool? { session?.connection.isServerVerified }

  /// Sends statements, and throws the server's error. With `inTransaction`, the statements need the
  /// connection with the open transaction; without it, they may be sent over a new connection.
  private func exchange(
    _ statements: [SQLStatement], until deadline: EngineDeadline, inTransaction: Bool = false
  ) throws(EngineError) -> SQLReply {
    if !inTransaction { (refusal, lastMessage) = (nil, "") }
    let reply = try checked { () throws(EngineError) in
      guard inTransaction else {
        return try connected(until: deadline).exchange(statements, until: deadline)
      }
      guard let session, session.connection.isInTransaction else { throw .unreachable }
      return try session.exchange(statements, until: deadline)
    }
    guard let refusal = reply.refusal else { return reply }
    self.refusal = refusal
    lastMessage = Self.printable(refusal.message)
    return try checked { () throws(EngineError) in
      // A commit that was cut short may report a warning before the error.
      guard reply.notices.isEmpty else { throw .notice }
      throw refusal.error
    }
  }

  /// Checks the answer to a change; see `permitted`.
  private func committed(_ reply: SQLReply) throws(EngineError) {
    _ = try checked { () throws(EngineError) in try permitted(reply) }
  }

  /// Returns the row of a function after its status. Throws if there was a notice, or the function
  /// refused.
  private func permitted(
    _ reply: SQLReply, ofStatement index: Int = 0
  ) throws(EngineError) -> SQLRow {
    if let notice = reply.notices.first {
      lastMessage = Self.printable(notice)
      throw .notice
    }
    var row = try reply.row(ofStatement: index)
    switch try row.number() {
    case PostgreSQLSchema.Status.done: return row
    case PostgreSQLSchema.Status.conflict: throw .conflict
    case PostgreSQLSchema.Status.budgetUsedUp: throw .budgetUsedUp
    case PostgreSQLSchema.Status.notPrimary: throw .notPrimary
    case PostgreSQLSchema.Status.noStandby:
      lastMessage = "no synchronous standby is connected"
      throw .refused
    default: throw .refused
    }
  }

  /// Closes the connection if `body` throws an error after which the conversation is uncertain, or
  /// leaves a transaction open.
  private func checked<Result>(
    _ body: () throws(EngineError) -> Result
  ) throws(EngineError) -> Result {
    do throws(EngineError) {
      return try body()
    } catch {
      switch error {
      case .conflict, .budgetUsedUp, .abandoned:
        if session?.connection.isIdle != true { session = nil }
      case .unreachable, .deadline, .notPrimary, .notice, .refused, .clock:
        if error == .unreachable, lastMessage.isEmpty, let session {
          lastMessage = Self.printable(session.connection.message)
        }
        session = nil
      }
      throw error
    }
  }

  /// Returns the session, or a new one if the server has closed it meanwhile.
  private func connected(
    until deadline: EngineDeadline
  ) throws(EngineError) -> PostgreSQLSession {
    if let session, session.connection.isUsable { return session }
    session = nil
    let session = try PostgreSQLSession(configuration, until: deadline) {
      lastMessage = Self.printable($0)
    }
    let reply = try session.exchange(Prepared.preparation, until: deadline)
    if let refusal = reply.refusal {
      self.refusal = refusal
      lastMessage = Self.printable(refusal.message)
      throw refusal.error
    }
    var row = try reply.row()
    let version = try row.number()
    foundVersion = PostgreSQLSchema.serves(version) ? nil : version
    guard foundVersion == nil else {
      lastMessage = "the schema mfa has another version"
      throw .refused
    }
    self.session = session
    return session
  }

  private static func snapshot(_ row: SQLRow) throws(EngineError) -> EngineSnapshot {
    var row = row
    guard try row.number() == PostgreSQLSchema.Status.done else { throw .notPrimary }
    let stored = EngineRow(
      version: try row.bits(), record: try row.bytes(), attempts: try row.bytes())
    let realm = RealmState(
      epoch: try row.bits(), incarnation: try row.bytes(), fence: try row.number(),
      fenceIntervals: try row.number(as: UInt8.self), configuration: try row.bits())
    var snapshot = EngineSnapshot(
      row: stored, realm: realm, incarnation: try row.bytes(), time: try row.number(),
      hostFailures: try row.number(as: UInt32.self), answer: try row.optionalBytes())
    snapshot.realm.format = try row.number(as: UInt16.self)
    return snapshot
  }
}
