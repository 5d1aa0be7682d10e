import MFARealm
import MFARealmStore
import MFAStore
import MFABase

/// An engine whose calls are counted and timed.
struct MeasuredEngine<Engine: StoreEngine>: StoreEngine {
  private let engine: Engine
  private let counters: DecisionCounters

  init(_ engine: Engine, _ counters: DecisionCounters) {
    self.engine = engine
    self.counters = counters
  }

  func load(_ key: EngineKey, _ context: EngineContext) throws(EngineError) -> EngineSnapshot {
    let snapshot = try measured(.load) { () throws(EngineError) in
      try engine.load(key, context)
    }
    let now = Clock.nanoseconds() / 1_000_000_000
    switch DatabaseClock.Difference(of: now, from: snapshot.time)?.effect {
    case .limits: counters.add(.clockAhead)
    case .denies: counters.add(.clockTooFarAhead)
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

  func findings() throws(EngineError) -> [String]? {
    try counted { () throws(EngineError) in try engine.findings() }
  }

  private func measured<Result>(
    _ timing: DecisionTiming, _ body: () throws(EngineError) -> Result
  ) throws(EngineError) -> Result {
    let begin = ContinuousClock.now
    defer {
      let (seconds, attoseconds) = (ContinuousClock.now - begin).components
      counters.add(
        timing,
        microseconds: UInt64(clamping: seconds &* 1_000_000 &+ attoseconds / 1_000_000_000_000))
    }
    return try counted(body)
  }

  private func counted<Result>(
    _ body: () throws(EngineError) -> Result
  ) throws(EngineError) -> Result {
    do throws(EngineError) { return try body() } catch {
      counters.add(Self.counter(of: error))
      throw error
    }
  }

  private static func counter(of error: EngineError) -> DecisionCounter {
    switch error {
    case .conflict: .conflict
    case .budgetUsedUp: .budgetUsedUp
    case .abandoned: .abandoned
    case .unreachable: .unreachable
    case .deadline: .deadline
    case .notPrimary: .notPrimary
    case .notice: .notice
    // The store compares the clocks, and not an engine.
    case .refused, .clock: .refused
    }
  }
}
