import MFARealm
import MFARealmStore
import MFAStore
import MFABase

/// The engine of a realm, whose calls are counted and timed.
struct MeasuredEngine: StoreEngine {
  private let engine: any StoreEngine
  /// Nil to count nothing.
  private let counters: DecisionCounters?

  init(_ engine: any StoreEngine, _ counters: DecisionCounters?) {
    self.engine = engine
    self.counters = counters
  }

  /// Creates the engine that the configuration of a verifier names, which does not connect yet.
  init(_ configuration: DecisionConfiguration, _ counters: DecisionCounters? = nil) {
    switch configuration.engine {
    case .postgreSQL:
      let connection = String(decoding: configuration.database, as: UTF8.self)
      self.init(PostgreSQLEngine(PostgreSQLConfiguration(connection: connection)), counters)
    case .etcd: self.init(EtcdEngine(configuration.etcd), counters)
    }
  }

  var lastMessage: String { engine.lastMessage }

  func load(_ key: EngineKey, _ context: EngineContext) throws(EngineError) -> EngineSnapshot {
    let snapshot = try measured(.load) { () throws(EngineError) in
      try engine.load(key, context)
    }
    let now = Clock.nanoseconds() / 1_000_000_000
    switch DatabaseClock.Difference(of: now, from: snapshot.time)?.effect {
    case .limits: counters?.add(.clockAhead)
    case .denies: counters?.add(.clockTooFarAhead)
    case .tolerated, .mayReject, nil: break
    }
    return snapshot
  }

  func commit(
    _ change: EngineChange, entering: ((_ end: [UInt8]) -> EngineLogLine?)?
  ) throws(EngineError) {
    try measured(.commit) { () throws(EngineError) in
      try engine.commit(change, entering: entering)
    }
  }

  func replaceRealm(epoch: UInt64, with state: RealmState) throws(EngineError) -> Bool {
    try counted { () throws(EngineError) in try engine.replaceRealm(epoch: epoch, with: state) }
  }

  func logLines(after number: UInt32, most: Int) throws(EngineError) -> [EngineLogLine] {
    try counted { () throws(EngineError) in try engine.logLines(after: number, most: most) }
  }

  func lastLine() throws(EngineError) -> EngineLogLine? {
    try counted { () throws(EngineError) in try engine.lastLine() }
  }

  func keys(
    _ kind: EngineKey.Kind, after id: [UInt8], most: Int
  ) throws(EngineError) -> [EngineKey] {
    try counted { () throws(EngineError) in try engine.keys(kind, after: id, most: most) }
  }

  func servers() throws(EngineError) -> EngineServers? {
    try counted { () throws(EngineError) in try engine.servers() }
  }

  func findings() throws(EngineError) -> [String] {
    try counted { () throws(EngineError) in try engine.findings() }
  }

  private func measured<Result>(
    _ timing: DecisionTiming, _ body: () throws(EngineError) -> Result
  ) throws(EngineError) -> Result {
    let begin = ContinuousClock.now
    defer {
      let (seconds, attoseconds) = (ContinuousClock.now - begin).components
      counters?.add(
        timing,
        microseconds: UInt64(clamping: seconds &* 1_000_000 &+ attoseconds / 1_000_000_000_000))
    }
    return try counted(body)
  }

  private func counted<Result>(
    _ body: () throws(EngineError) -> Result
  ) throws(EngineError) -> Result {
    do throws(EngineError) { return try body() } catch {
      // The store compares the clocks, and not an engine.
      counters?.add(DecisionCounter(rawValue: "error=\(error.name)") ?? .refused)
      throw error
    }
  }
}
