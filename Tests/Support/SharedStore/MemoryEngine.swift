import MFAStore
import Synchronization

@testable import MFARealmStore

/// An engine in memory, for several threads. It can lose its newest commits, as a database does that
/// fails over to a standby that was behind, and fails on demand.
package final class MemoryEngine: StoreEngine, Sendable {
  /// A fault to plant, which a correct engine does not have.
  package enum Fault: Sendable {
    /// Commits do not compare versions.
    case ignoresVersions
    /// Commits do not compare the incarnation.
    case ignoresIncarnation
    /// A commit that brought a notice is acknowledged.
    case ignoresNotices
  }

  struct State {
    var rows: [EngineKey: EngineRow] = [:]
    var realm = RealmState(
      epoch: 1, incarnation: [1], fence: 0, fenceIntervals: 0, configuration: 0,
      format: RealmState.currentFormat)
    var incarnation: [UInt8] = [1]
    var time: Int64 = 0
    var lines: [EngineLogLine] = []
    var hostFailures: [HostPeriod: UInt32] = [:]
    var answers: [[UInt8]: [UInt8]] = [:]
    var commits = 0
    var loads = 0
    var logReads = 0
    /// How the next commits end after they took effect, the next one last.
    var uncertainEndings: [EngineError] = []
    var fault: Fault?
    var beforeCommit: (@Sendable () -> Void)?
    /// How many changes that give way find another change at the end of the audit log.
    var contenders = 0
  }

  struct HostPeriod: Hashable {
    let host: [UInt8]
    let period: Int64
  }

  private let state = Mutex(State())

  /// Creates an empty realm.
  package init() {}

  /// The content of an engine at one moment.
  package struct Copy: Sendable {
    let state: State
    /// The incarnation of the database.
    package var incarnation: [UInt8] { state.incarnation }
  }

  /// Returns a copy of all content, as a backup does.
  package func copy() -> Copy { Copy(state: state.withLock { $0 }) }

  /// Loses everything since `copy` was made, and begins another incarnation, as a restore does.
  package func restore(_ copy: Copy) {
    state.withLock {
      let incarnation = $0.incarnation
      $0 = copy.state
      $0.incarnation = incarnation + [1]
    }
  }

  /// The number of commits that took effect.
  package var commits: Int { state.withLock { $0.commits } }

  /// The number of loads.
  package var loads: Int { state.withLock { $0.loads } }

  /// How often the audit log was read.
  package var logReads: Int { state.withLock { $0.logReads } }

  /// The rows.
  package var rows: [EngineKey: EngineRow] {
    get { state.withLock { $0.rows } }
    set { state.withLock { $0.rows = newValue } }
  }

  /// The state of the realm.
  package var realm: RealmState {
    get { state.withLock { $0.realm } }
    set { state.withLock { $0.realm = newValue } }
  }

  /// The time by the engine's clock, in seconds since the epoch; 0, as at first, for none.
  package var time: Int64 {
    get { state.withLock { $0.time } }
    set { state.withLock { $0.time = newValue } }
  }

  /// The lines of the audit log.
  package var lines: [EngineLogLine] {
    get { state.withLock { $0.lines } }
    set { state.withLock { $0.lines = newValue } }
  }

  /// The stored answers by their nonces.
  package var answers: [[UInt8]: [UInt8]] {
    get { state.withLock { $0.answers } }
    set { state.withLock { $0.answers = newValue } }
  }

  /// Makes the next commit take effect, and end with an error.
  package func endNextCommit(with error: EngineError) {
    state.withLock { $0.uncertainEndings.append(error) }
  }

  /// Plants a fault.
  package func plant(_ fault: Fault) { state.withLock { $0.fault = fault } }

  /// Calls `body` once, before the next commit, as another verifier would act then.
  package func beforeNextCommit(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.beforeCommit = body }
  }

  /// Lets the next changes that give way find another change at the end of the audit log.
  package func contendForLines(_ count: Int) { state.withLock { $0.contenders = count } }

  /// Returns a row and the state of the realm.
  package func load(
    _ key: EngineKey, _ context: EngineContext
  ) throws(EngineError) -> EngineSnapshot {
    state.withLock { state in
      state.loads += 1
      return EngineSnapshot(
        row: state.rows[key] ?? .none, realm: state.realm, incarnation: state.incarnation,
        time: state.time,
        hostFailures: context.host.flatMap {
          state.hostFailures[HostPeriod(host: $0, period: context.period)]
        } ?? 0,
        answer: context.nonce.flatMap { state.answers[$0] })
    }
  }

  /// Makes a change.
  package func commit(
    _ change: EngineChange, entering: ((_ end: [UInt8]) -> EngineLogLine?)?
  ) throws(EngineError) {
    guard change.otherRow == nil || entering != nil else { throw .refused }
    let before = state.withLock { state in
      defer { state.beforeCommit = nil }
      return state.beforeCommit
    }
    before?()
    let failure = state.withLock { state -> EngineError? in
      guard state.fault == .ignoresVersions || change.epoch == state.realm.epoch,
        state.fault == .ignoresIncarnation || state.incarnation == state.realm.incarnation
      else { return .conflict }
      for row in change.rows {
        guard max(row.record.count, row.attempts.count) <= EngineRow.longestPart else {
          return .refused
        }
        guard
          state.fault == .ignoresVersions
            || row.version == (state.rows[row.key] ?? .none).version
        else { return .conflict }
      }
      if let (from, _) = change.configuration, from != state.realm.configuration {
        return .conflict
      }
      if let answer = change.answer, state.answers[answer.nonce] != nil { return .conflict }
      if let budget = change.budget {
        let place = HostPeriod(host: budget.host, period: budget.period)
        guard state.hostFailures[place, default: 0] < budget.limit else { return .budgetUsedUp }
      }
      if let entering {
        if change.givesWay, state.contenders > 0 {
          state.contenders -= 1
          return .conflict
        }
        let last = state.lines.last
        guard let line = entering(last?.end ?? []) else { return .abandoned }
        guard line.number == (last?.number ?? 0) + 1 else { return .refused }
        state.lines.append(line)
      }
      if let budget = change.budget, budget.isFailure {
        state.hostFailures[HostPeriod(host: budget.host, period: budget.period), default: 0] += 1
      }
      for row in change.rows {
        state.rows[row.key] = EngineRow(
          version: row.version + 1, record: row.record, attempts: row.attempts)
      }
      if let (_, to) = change.configuration { state.realm.configuration = to }
      if let answer = change.answer { state.answers[answer.nonce] = answer.answer }
      state.commits += 1
      guard let ending = state.uncertainEndings.popLast() else { return nil }
      return state.fault == .ignoresNotices && ending == .notice ? nil : ending
    }
    if let failure { throw failure }
  }

  /// Replaces the state of the realm.
  package func replaceRealm(epoch: UInt64, with next: RealmState) throws(EngineError) -> Bool {
    state.withLock { state in
      guard state.realm.epoch == epoch else { return false }
      state.realm = next
      return true
    }
  }

  /// Returns lines of the audit log.
  package func logLines(after number: UInt32, most: Int) throws(EngineError) -> [EngineLogLine] {
    state.withLock { $0.logReads += 1 }
    return Array(lines.filter { $0.number > number }.prefix(most))
  }

  /// Returns the last line of the audit log.
  package func lastLine() throws(EngineError) -> EngineLogLine? {
    state.withLock { $0.logReads += 1 }
    return lines.last
  }

  /// Returns keys of rows.
  package func keys(
    _ kind: EngineKey.Kind, after id: [UInt8], most: Int
  ) throws(EngineError) -> [EngineKey] {
    let keys = rows.keys.filter { $0.kind == kind && id.lexicographicallyPrecedes($0.id) }
    return Array(keys.sorted { $0.id.lexicographicallyPrecedes($1.id) }.prefix(most))
  }
}

/// An engine that does not tell the time, for tests whose time is not the present one.
package struct EngineWithoutClock<Engine: StoreEngine>: StoreEngine {
  private let engine: Engine

  /// Uses another engine.
  package init(_ engine: Engine) { self.engine = engine }

  /// Returns a row and the state of the realm.
  package func load(
    _ key: EngineKey, _ context: EngineContext
  ) throws(EngineError) -> EngineSnapshot {
    var snapshot = try engine.load(key, context)
    snapshot.time = 0
    return snapshot
  }

  /// Makes a change.
  package func commit(
    _ change: EngineChange, entering: ((_ end: [UInt8]) -> EngineLogLine?)?
  ) throws(EngineError) { try engine.commit(change, entering: entering) }

  /// Replaces the state of the realm.
  package func replaceRealm(epoch: UInt64, with state: RealmState) throws(EngineError) -> Bool {
    try engine.replaceRealm(epoch: epoch, with: state)
  }

  /// Returns lines of the audit log.
  package func logLines(after number: UInt32, most: Int) throws(EngineError) -> [EngineLogLine] {
    try engine.logLines(after: number, most: most)
  }

  /// Returns the last line of the audit log.
  package func lastLine() throws(EngineError) -> EngineLogLine? { try engine.lastLine() }

  /// Returns keys of rows.
  package func keys(
    _ kind: EngineKey.Kind, after id: [UInt8], most: Int
  ) throws(EngineError) -> [EngineKey] { try engine.keys(kind, after: id, most: most) }
}

/// An engine that fails at one call, and at each later one: the verifier that uses it is killed, or cannot reach the
/// database any more. The call may have had its effect.
package final class InterruptedEngine<Engine: StoreEngine>: StoreEngine {
  private let engine: Engine
  private let failing: Int
  private let hasEffect: Bool
  /// The number of calls so far.
  package private(set) var calls = 0

  /// Uses another engine, until the call with this number.
  package init(_ engine: Engine, failingAt number: Int, hasEffect: Bool) {
    self.engine = engine
    failing = number
    self.hasEffect = hasEffect
  }

  /// Whether the call that fails was made.
  package var isInterrupted: Bool { calls >= failing }

  private func interrupted<Result>(
    _ body: () throws(EngineError) -> Result
  ) throws(EngineError) -> Result {
    calls += 1
    guard calls >= failing else { return try body() }
    if calls == failing, hasEffect { _ = try body() }
    throw .unreachable
  }

  /// Returns a row and the state of the realm.
  package func load(
    _ key: EngineKey, _ context: EngineContext
  ) throws(EngineError) -> EngineSnapshot {
    try interrupted { () throws(EngineError) in try engine.load(key, context) }
  }

  /// Makes a change.
  package func commit(
    _ change: EngineChange, entering: ((_ end: [UInt8]) -> EngineLogLine?)?
  ) throws(EngineError) {
    try interrupted { () throws(EngineError) in try engine.commit(change, entering: entering) }
  }

  /// Replaces the state of the realm.
  package func replaceRealm(epoch: UInt64, with state: RealmState) throws(EngineError) -> Bool {
    try interrupted { () throws(EngineError) in try engine.replaceRealm(epoch: epoch, with: state) }
  }

  /// Returns lines of the audit log.
  package func logLines(after number: UInt32, most: Int) throws(EngineError) -> [EngineLogLine] {
    try interrupted { () throws(EngineError) in try engine.logLines(after: number, most: most) }
  }

  /// Returns the last line of the audit log.
  package func lastLine() throws(EngineError) -> EngineLogLine? {
    try interrupted { () throws(EngineError) in try engine.lastLine() }
  }

  /// Returns keys of rows.
  package func keys(
    _ kind: EngineKey.Kind, after id: [UInt8], most: Int
  ) throws(EngineError) -> [EngineKey] {
    try interrupted { () throws(EngineError) in try engine.keys(kind, after: id, most: most) }
  }
}

// Engines of tests have no servers and no messages.
extension StoreEngine {
  package var lastMessage: String { "" }

  package func servers() throws(EngineError) -> EngineServers? { nil }

  package func findings() throws(EngineError) -> [String] { [] }
}
