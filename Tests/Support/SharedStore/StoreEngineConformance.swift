import MFAStore
import Testing

@testable import MFARealmStore

/// What every engine must do, whatever its database is. `open` returns an engine with a connection of its own to one
/// realm, as another verifier would have.
package struct StoreEngineConformance<Engine: StoreEngine & SendableMetatype>: @unchecked Sendable {
  private let open: () -> Engine
  private let engine: Engine
  /// Whether parallel commits to the audit log wait for each other. With other engines, one of them can conflict.
  private let waitsForLines: Bool

  /// Creates the checks for a realm without rows, whose state is that of `initializeRealm(now: 1_700_000_000)`.
  package init(waitsForLines: Bool = true, _ open: @escaping () -> Engine) {
    self.open = open
    self.waitsForLines = waitsForLines
    engine = open()
  }

  /// Runs a check, which requires a realm without rows.
  package func run(_ check: StoreEngineCheck) throws {
    switch check {
    case .missingRow: try missingRow()
    case .insertedRow: try insertedRow()
    case .rowsOfAnySize: try rowsOfAnySize()
    case .staleVersion: try staleVersion()
    case .otherEpoch: try otherEpoch()
    case .otherIncarnation: try otherIncarnation()
    case .replacedRealm: try replacedRealm()
    case .parallelInsertions: try parallelCommits(ofVersion: 0)
    case .parallelUpdates: try parallelCommits(ofVersion: 1)
    case .keys: try keys()
    case .hostBudget: try hostBudget()
    case .failuresAtOtherVerifiers: try failuresAtOtherVerifiers()
    case .conflictWithBudget: try conflictWithBudget()
    case .parallelFailures: try parallelFailures()
    case .answers: try answers()
    case .parallelAnswers: try parallelAnswers()
    case .configuration: try configuration()
    case .parallelLines: try parallelLines()
    case .refusedLine: try refusedLine()
    case .abandonedLine: try abandonedLine()
    case .longLog: try longLog()
    case .twoRows: try twoRows()
    case .conflictOfTwoRows: try conflictOfTwoRows()
    }
  }

  private func snapshot(_ name: String = "alice") throws -> EngineSnapshot {
    try engine.load(EngineSample.key(name), EngineContext())
  }

  private func commit(_ change: EngineChange) throws { try engine.commit(change, entering: nil) }

  /// Commits these changes at the same time, each with an engine of its own, and returns the errors.
  private func commitTogether(_ changes: [EngineChange]) -> [EngineError?] {
    EngineSample.inThreads(changes.count) { index in
      EngineSample.error { () throws(EngineError) in
        try self.open().commit(changes[index], entering: nil)
      }
    }
  }

  // MARK: - Rows

  private func missingRow() throws {
    let context = EngineContext(host: [1], period: 7, nonce: [UInt8](repeating: 1, count: 16))
    let snapshot = try engine.load(EngineSample.key(), context)
    #expect(snapshot.row == .none)
    #expect(snapshot.realm.epoch == 1)
    #expect(snapshot.realm.fence == 1_700_000_000)
    #expect(snapshot.realm.fenceIntervals == 0)
    #expect(snapshot.realm.configuration == 0)
    #expect(!snapshot.incarnation.isEmpty)
    #expect(snapshot.incarnation == snapshot.realm.incarnation)
    #expect(snapshot.hostFailures == 0)
    #expect(snapshot.answer == nil)
  }

  private func insertedRow() throws {
    try commit(EngineSample.change(version: 0, "one"))
    let first = EngineRow(
      version: 1, record: Array("record of alice".utf8), attempts: Array("one".utf8))
    #expect(try snapshot().row == first)
    try commit(EngineSample.change(version: 1, "two"))
    #expect(try snapshot().row.version == 2)
    #expect(try snapshot().row.attempts == Array("two".utf8))
    #expect(try snapshot("bob").row == .none)
  }

  private func rowsOfAnySize() throws {
    var version: UInt64 = 0
    let largest = (0..<EngineRow.longestPart).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    for (record, attempts) in [([], []), (largest, [0]), (largest, largest), ([], largest)] {
      var change = EngineSample.change(version: version)
      change.row?.record = record
      change.row?.attempts = attempts
      try commit(change)
      version += 1
      let expected = EngineRow(version: version, record: record, attempts: attempts)
      #expect(try snapshot().row == expected)
    }
    var change = EngineSample.change(version: version)
    change.row?.record = largest + [0]
    #expect(throws: EngineError.refused) { try commit(change) }
    #expect(try snapshot().row.version == version)
  }

  private func staleVersion() throws {
    try commit(EngineSample.change(version: 0))
    try commit(EngineSample.change(version: 1, "two"))
    for version: UInt64 in [0, 1, 3, .max] {
      #expect(throws: EngineError.conflict) {
        try commit(EngineSample.change(version: version, "stale"))
      }
    }
    #expect(throws: EngineError.conflict) { try commit(EngineSample.change("bob", version: 1)) }
    #expect(try snapshot().row.version == 2)
    #expect(try snapshot().row.attempts == Array("two".utf8))
  }

  private func otherEpoch() throws {
    var change = EngineSample.change(version: 0)
    for epoch: UInt64 in [0, 2, .max] {
      change.epoch = epoch
      #expect(throws: EngineError.conflict) { try commit(change) }
    }
    #expect(try snapshot().row == .none)
  }

  private func otherIncarnation() throws {
    var state = try snapshot().realm
    state.incarnation[0] ^= 1
    #expect(try engine.replaceRealm(epoch: 1, with: state))
    #expect(throws: EngineError.conflict) { try commit(EngineSample.change(version: 0)) }
    #expect(try snapshot().incarnation != state.incarnation)
    #expect(try snapshot().row == .none)
  }

  /// An engine notices if the realm was replaced after the engine loaded it.
  private func replacedRealm() throws {
    let other = open()
    _ = try other.load(EngineSample.key(), EngineContext())
    var state = try snapshot().realm
    state.epoch = 2
    state.fence += 600
    #expect(try engine.replaceRealm(epoch: 1, with: state))
    #expect(try !engine.replaceRealm(epoch: 1, with: state), "the epoch was replaced once")
    var change = EngineSample.change(version: 0)
    #expect(throws: EngineError.conflict) { try other.commit(change, entering: nil) }
    change.epoch = 2
    try other.commit(change, entering: nil)
    #expect(try snapshot().realm == state)
  }

  private func parallelCommits(ofVersion version: UInt64) throws {
    if version == 1 { try commit(EngineSample.change(version: 0)) }
    let errors = commitTogether(
      (0..<12).map { EngineSample.change(version: version, "thread \($0)") })
    #expect(errors.count { $0 == nil } == 1)
    #expect(errors.count { $0 == .conflict } == 11)
    #expect(try snapshot().row.version == version + 1)
  }

  private func keys() throws {
    for name in ["d", "a", "c", "b"] { try commit(EngineSample.change(name, version: 0)) }
    let names = { (keys: [EngineKey]) in keys.map { String(decoding: $0.id, as: UTF8.self) } }
    #expect(names(try engine.keys(.user, after: [], most: 3)) == ["a", "b", "c"])
    #expect(names(try engine.keys(.user, after: Array("c".utf8), most: 3)) == ["d"])
    #expect(try engine.keys(.host, after: [], most: 3) == [])
  }

  // MARK: - Host budgets, answers, configuration

  private func failures(_ period: Int64 = 5) throws -> UInt32 {
    try engine.load(EngineSample.key(), EngineContext(host: [9], period: period)).hostFailures
  }

  private func hostBudget() throws {
    try commit(EngineSample.failure("a", isFailure: false))
    #expect(try failures() == 0)
    try commit(EngineSample.failure("b"))
    try commit(EngineSample.failure("c"))
    #expect(try failures() == 2)
    for isFailure in [true, false] {
      for engine in [engine, open()] {
        #expect(throws: EngineError.budgetUsedUp) {
          try engine.commit(EngineSample.failure("d", isFailure: isFailure), entering: nil)
        }
      }
    }
    #expect(try snapshot("d").row == .none)
    #expect(try failures() == 2)
    try commit(EngineSample.failure("d", host: [8]))
    try commit(EngineSample.failure("e", period: 6))
    #expect(try failures(6) == 1)
    #expect(throws: EngineError.budgetUsedUp) {
      try commit(EngineSample.failure("f", period: 7, limit: 0))
    }
  }

  private func failuresAtOtherVerifiers() throws {
    let other = open()
    #expect(try failures() == 0)
    _ = try other.load(EngineSample.key(), EngineContext(host: [9], period: 5))
    try commit(EngineSample.failure("a"))
    try other.commit(EngineSample.failure("b", isFailure: false), entering: nil)
    try commit(EngineSample.failure("c"))
    for isFailure in [false, true] {
      #expect(throws: EngineError.budgetUsedUp) {
        try other.commit(EngineSample.failure("d", isFailure: isFailure), entering: nil)
      }
    }
    #expect(try failures() == 2)
  }

  private func conflictWithBudget() throws {
    try commit(EngineSample.failure("a"))
    #expect(throws: EngineError.conflict) { try commit(EngineSample.failure("a")) }
    #expect(try failures() == 1)
  }

  private func parallelFailures() throws {
    let errors = commitTogether((0..<12).map { EngineSample.failure("user \($0)", limit: 3) })
    #expect(errors.count { $0 == nil } == 3)
    #expect(errors.count { $0 == .budgetUsedUp } == 9)
    #expect(try failures() == 3)
    #expect(try engine.keys(.user, after: [], most: 20).count == 3)
  }

  private func answers() throws {
    let nonce = [UInt8](repeating: 3, count: 16)
    try commit(EngineSample.answering("alice", nonce: 3))
    let key = EngineSample.key()
    let stored = Array("answer of alice".utf8)
    #expect(try engine.load(key, EngineContext(nonce: nonce)).answer == stored)
    #expect(throws: EngineError.conflict) { try commit(EngineSample.answering("bob", nonce: 3)) }
    #expect(try snapshot("bob").row == .none)
    let context = EngineContext(host: [9], period: 5, nonce: nonce)
    #expect(try engine.load(key, context).answer == stored)
  }

  private func parallelAnswers() throws {
    let errors = commitTogether((0..<12).map { EngineSample.answering("user \($0)", nonce: 4) })
    #expect(errors.count { $0 == nil } == 1)
    #expect(errors.count { $0 == .conflict } == 11)
    #expect(try engine.keys(.user, after: [], most: 20).count == 1)
  }

  private func configuration() throws {
    var change = EngineChange(epoch: 1)
    change.configuration = (0, .max - 1)
    try commit(change)
    #expect(try snapshot().realm.configuration == .max - 1)
    change.configuration = (0, 5)
    #expect(throws: EngineError.conflict) { try commit(change) }
    #expect(try snapshot().realm.configuration == .max - 1)
  }

  // MARK: - Audit log

  private func parallelLines() throws {
    let errors = EngineSample.inThreads(6) { thread in
      let engine = self.open()
      return (0..<10).compactMap { index in
        EngineSample.error { () throws(EngineError) in
          try engine.commit(EngineSample.change("\(thread) \(index)", version: 0)) {
            EngineSample.line("thread \(thread) line \(index)\n", after: $0)
          }
        }
      }
    }
    // A commit that others were always faster than has changed nothing.
    let conflicts = errors.flatMap { $0 }
    #expect(conflicts.allSatisfy { $0 == .conflict && !waitsForLines }, "\(conflicts)")
    let lines = try engine.logLines(after: 0, most: 40) + engine.logLines(after: 40, most: 40)
    #expect(lines.count == 60 - conflicts.count)
    var end: [UInt8] = []
    for line in lines {
      #expect(line == EngineSample.line(String(decoding: line.text, as: UTF8.self), after: end))
      end = line.end
    }
    #expect(try engine.keys(.user, after: [], most: 100).count == lines.count)
  }

  private func refusedLine() throws {
    #expect(throws: EngineError.conflict) {
      try engine.commit(EngineSample.change(version: 7)) { EngineSample.line("a\n", after: $0) }
    }
    #expect(throws: EngineError.refused) {
      try engine.commit(EngineSample.change(version: 0)) {
        var line = EngineSample.line("a\n", after: $0)
        line.number = 2
        return line
      }
    }
    #expect(try engine.logLines(after: 0, most: 9) == [])
    #expect(try snapshot().row == .none)
  }

  private func abandonedLine() throws {
    #expect(throws: EngineError.abandoned) {
      try engine.commit(EngineSample.change(version: 0)) { _ in nil }
    }
    #expect(try snapshot().row == .none)
    #expect(try engine.logLines(after: 0, most: 9) == [])
    try engine.commit(EngineSample.change(version: 0)) { EngineSample.line("a\n", after: $0) }
    #expect(try snapshot().row.version == 1)
  }

  private func commitTwoRows(_ first: UInt64, _ second: UInt64, _ line: String) throws {
    var change = EngineSample.change("alice", version: first, line)
    change.otherRow = EngineSample.row("bob", version: second, line)
    try engine.commit(change) { EngineSample.line(line + "\n", after: $0) }
  }

  private func twoRows() throws {
    try commitTwoRows(0, 0, "one")
    try commitTwoRows(1, 1, "two")
    for name in ["alice", "bob"] {
      let row = try snapshot(name).row
      #expect(row.version == 2)
      #expect(row.attempts == Array("two".utf8))
    }
    #expect(try engine.logLines(after: 0, most: 9).count == 2)
    // What a host may cause is counted once for both rows, and refused for both.
    var counted = EngineSample.change("alice", version: 2)
    counted.otherRow = EngineSample.row("bob", version: 2)
    counted.budget = HostBudget(host: [9], period: 5, limit: 1, isFailure: true)
    try engine.commit(counted) { EngineSample.line("three\n", after: $0) }
    counted.row?.version = 3
    counted.otherRow?.version = 3
    #expect(throws: EngineError.budgetUsedUp) {
      try engine.commit(counted) { EngineSample.line("four\n", after: $0) }
    }
    #expect(try snapshot("bob").row.version == 3)
    #expect(try engine.logLines(after: 0, most: 9).count == 3)
    try commitTwoRows(3, 3, "four")
    var change = EngineSample.change("alice", version: 2)
    change.otherRow = EngineSample.row("bob", version: 2)
    #expect(throws: EngineError.refused) { try commit(change) }
    #expect(try snapshot("bob").row.version == 4)
  }

  private func conflictOfTwoRows() throws {
    try commitTwoRows(0, 0, "one")
    for (first, second): (UInt64, UInt64) in [(0, 1), (1, 0), (2, 1), (1, 2), (7, 7)] {
      #expect(throws: EngineError.conflict) { try commitTwoRows(first, second, "stale") }
    }
    for name in ["alice", "bob"] {
      let row = try snapshot(name).row
      #expect(row.version == 1)
      #expect(row.attempts == Array("one".utf8))
    }
    #expect(try engine.logLines(after: 0, most: 9).count == 1)
    try commitTwoRows(1, 1, "two")
    #expect(try snapshot("bob").row.version == 2)
  }

  private func longLog() throws {
    var end: [UInt8] = []
    var number: UInt32 = 0
    #expect(try engine.lastLine() == nil)
    while number < 4 {
      try engine.commit(EngineChange(epoch: 1)) {
        let line = EngineSample.line("line\n", after: $0)
        (number, end) = (line.number, line.end)
        return line
      }
    }
    #expect(try engine.logLines(after: 0, most: 3).map(\.number) == [1, 2, 3])
    #expect(try engine.logLines(after: 3, most: 3).map(\.end) == [end])
    #expect(try engine.logLines(after: .max, most: 3) == [])
    #expect(try engine.lastLine() == engine.logLines(after: 3, most: 1).first)
  }
}

/// The checks of `StoreEngineConformance`.
package enum StoreEngineCheck: CaseIterable, Sendable {
  case missingRow, insertedRow, rowsOfAnySize, staleVersion, otherEpoch, otherIncarnation,
    replacedRealm, parallelInsertions, parallelUpdates, keys
  case hostBudget, failuresAtOtherVerifiers, conflictWithBudget, parallelFailures, answers,
    parallelAnswers, configuration
  case parallelLines, refusedLine, abandonedLine, longLog, twoRows, conflictOfTwoRows
}
