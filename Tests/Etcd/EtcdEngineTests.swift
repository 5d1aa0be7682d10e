import MFAEtcdTestSupport
import MFASharedStore
import MFAStoreFiles
import MFASystem
import MFATestSupport
import Testing

@testable import MFAEtcd

/// The engine with a real cluster.
@Suite("etcd engine", .privateMachine)
struct EtcdEngineTests {
  let realm: EtcdRealmFixture
  let engine: EtcdEngine

  init() throws {
    realm = try EtcdRealmFixture()
    engine = realm.engine()
  }

  private func snapshot(_ name: String = "alice") throws -> EngineSnapshot {
    try engine.load(EtcdRealmFixture.key(name), EngineContext())
  }

  // MARK: - Rows

  @Test func missingRowIsLoadedAsNone() throws {
    let snapshot = try engine.load(
      EtcdRealmFixture.key(),
      EngineContext(host: [1], period: 7, nonce: [UInt8](repeating: 1, count: 16)))
    #expect(snapshot.row == .none)
    #expect(snapshot.realm.epoch == 1)
    #expect(snapshot.realm.fence == 1_700_000_000)
    #expect(snapshot.realm.fenceIntervals == 0)
    #expect(snapshot.realm.configuration == 0)
    #expect(snapshot.incarnation.count == 24)
    #expect(snapshot.incarnation == snapshot.realm.incarnation)
    #expect(snapshot.hostFailures == 0)
    #expect(snapshot.answer == nil)
  }

  @Test func prefixWithoutRealmIsRefused() throws {
    var configuration = realm.configuration
    configuration.prefix.append(1)
    let other = EtcdEngine(configuration)
    #expect(throws: EngineError.notPrimary) {
      try other.load(EtcdRealmFixture.key(), EngineContext())
    }
    #expect(other.lastMessage == "there is no realm with this prefix")
    #expect(throws: EngineError.notPrimary) {
      try other.commit(EtcdRealmFixture.change(version: 0), entering: nil)
    }
  }

  @Test func realmIsCreatedOnce() throws {
    let before = try snapshot().realm
    #expect(try !engine.initializeRealm(now: 1_800_000_000))
    #expect(try snapshot().realm == before)
  }

  @Test func rowIsInsertedAndUpdated() throws {
    try engine.commit(EtcdRealmFixture.change(version: 0, "one"), entering: nil)
    #expect(
      try snapshot().row
        == EngineRow(
          version: 1, record: Array("record of alice".utf8), attempts: Array("one".utf8)))
    try engine.commit(EtcdRealmFixture.change(version: 1, "two"), entering: nil)
    #expect(try snapshot().row.version == 2)
    #expect(try snapshot().row.attempts == Array("two".utf8))
    #expect(try snapshot("bob").row == .none)
  }

  @Test func rowsOfAnySizeAreKept() throws {
    var version: UInt64 = 0
    let largest = (0..<EngineRow.longestPart).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    for (record, attempts) in [([], []), (largest, [0]), (largest, largest), ([], largest)] {
      var change = try EtcdRealmFixture.change(version: version)
      (change.record, change.attempts) = (record, attempts)
      try engine.commit(change, entering: nil)
      version += 1
      #expect(
        try snapshot().row == EngineRow(version: version, record: record, attempts: attempts))
    }
    var change = try EtcdRealmFixture.change(version: version)
    change.record = largest + [0]
    #expect(throws: EngineError.refused) { try engine.commit(change, entering: nil) }
    #expect(try snapshot().row.version == version)
  }

  @Test func staleVersionConflicts() throws {
    try engine.commit(EtcdRealmFixture.change(version: 0), entering: nil)
    try engine.commit(EtcdRealmFixture.change(version: 1, "two"), entering: nil)
    let connections = engine.session.generation
    for version: UInt64 in [0, 1, 3, .max] {
      #expect(throws: EngineError.conflict) {
        try engine.commit(EtcdRealmFixture.change(version: version, "two"), entering: nil)
      }
    }
    #expect(throws: EngineError.conflict) {
      try engine.commit(EtcdRealmFixture.change("bob", version: 1), entering: nil)
    }
    #expect(try snapshot().row.version == 2)
    #expect(
      engine.session.generation == connections, "a conflict does not cost the connection")
  }

  @Test func otherEpochConflicts() throws {
    var change = try EtcdRealmFixture.change(version: 0)
    for epoch: UInt64 in [0, 2, .max] {
      change.epoch = epoch
      #expect(throws: EngineError.conflict) { try engine.commit(change, entering: nil) }
    }
    #expect(try snapshot().row == .none)
  }

  @Test func otherIncarnationConflicts() throws {
    var state = try snapshot().realm
    state.incarnation[0] ^= 1
    #expect(try engine.replaceRealm(epoch: 1, with: state))
    #expect(throws: EngineError.conflict) {
      try engine.commit(EtcdRealmFixture.change(version: 0), entering: nil)
    }
    #expect(try snapshot().incarnation != state.incarnation)
    #expect(try snapshot().row == .none)
  }

  @Test func replacedRealmConflictsForEnginesThatLoadedItBefore() throws {
    let other = realm.engine()
    _ = try other.load(EtcdRealmFixture.key(), EngineContext())
    var state = try snapshot().realm
    state.epoch = 2
    state.fence += 600
    #expect(try engine.replaceRealm(epoch: 1, with: state))
    #expect(try !engine.replaceRealm(epoch: 1, with: state), "the epoch was replaced once")
    var change = try EtcdRealmFixture.change(version: 0)
    #expect(throws: EngineError.conflict) { try other.commit(change, entering: nil) }
    change.epoch = 2
    try other.commit(change, entering: nil)
    #expect(try snapshot().realm == state)
  }

  @Test(arguments: [UInt64(0), 1])
  func oneOfManyCommitsOfAVersionWins(version: UInt64) throws {
    if version == 1 { try engine.commit(EtcdRealmFixture.change(version: 0), entering: nil) }
    let changes = try (0..<12).map {
      try EtcdRealmFixture.change(version: version, "thread \($0)")
    }
    let errors = EtcdRealmFixture.inThreads(12) { [realm] index in
      let engine = realm.engine()
      return EtcdRealmFixture.error { () throws(EngineError) in
        try engine.commit(changes[index], entering: nil)
      }
    }
    #expect(errors.count { $0 == nil } == 1)
    #expect(errors.count { $0 == .conflict } == 11)
    #expect(try snapshot().row.version == version + 1)
  }

  @Test func keysAreListedInPages() throws {
    for name in ["d", "a", "c", "b"] {
      try engine.commit(EtcdRealmFixture.change(name, version: 0), entering: nil)
    }
    let names = { (keys: [EngineKey]) in keys.map { String(decoding: $0.id, as: UTF8.self) } }
    #expect(names(try engine.keys(.user, after: [], most: 3)) == ["a", "b", "c"])
    #expect(names(try engine.keys(.user, after: Array("c".utf8), most: 3)) == ["d"])
    #expect(try engine.keys(.host, after: [], most: 3) == [])
  }

  // MARK: - Host budgets, answers, configuration

  private func change(
    _ name: String, host: [UInt8] = [9], period: Int64 = 5, limit: UInt32 = 2,
    isFailure: Bool = true
  ) throws -> EngineChange {
    var change = try EtcdRealmFixture.change(name, version: 0)
    change.budget = HostBudget(host: host, period: period, limit: limit, isFailure: isFailure)
    return change
  }

  private func failures(_ period: Int64 = 5) throws -> UInt32 {
    try engine.load(EtcdRealmFixture.key(), EngineContext(host: [9], period: period)).hostFailures
  }

  @Test func hostBudgetIsCountedAndRefused() throws {
    try engine.commit(change("a", isFailure: false), entering: nil)
    #expect(try failures() == 0)
    try engine.commit(change("b"), entering: nil)
    try engine.commit(change("c"), entering: nil)
    #expect(try failures() == 2)
    for isFailure in [true, false] {
      for engine in [engine, realm.engine()] {
        #expect(throws: EngineError.budgetUsedUp) {
          try engine.commit(change("d", isFailure: isFailure), entering: nil)
        }
      }
    }
    #expect(try snapshot("d").row == .none)
    #expect(try failures() == 2)
    try engine.commit(change("d", host: [8]), entering: nil)
    try engine.commit(change("e", period: 6), entering: nil)
    #expect(try failures(6) == 1)
    #expect(throws: EngineError.budgetUsedUp) {
      try engine.commit(change("f", period: 7, limit: 0), entering: nil)
    }
  }

  @Test func failuresOfOtherVerifiersCount() throws {
    let other = realm.engine()
    #expect(try failures() == 0)
    _ = try other.load(EtcdRealmFixture.key(), EngineContext(host: [9], period: 5))
    try engine.commit(change("a"), entering: nil)
    try other.commit(change("b", isFailure: false), entering: nil)
    try engine.commit(change("c"), entering: nil)
    #expect(throws: EngineError.budgetUsedUp) {
      try other.commit(change("d", isFailure: false), entering: nil)
    }
    #expect(throws: EngineError.budgetUsedUp) { try other.commit(change("d"), entering: nil) }
    #expect(try failures() == 2)
  }

  @Test func conflictDoesNotCountAFailure() throws {
    try engine.commit(change("a"), entering: nil)
    #expect(throws: EngineError.conflict) { try engine.commit(change("a"), entering: nil) }
    #expect(try failures() == 1)
  }

  @Test func parallelCommitsStayWithinTheHostBudget() throws {
    let changes = try (0..<12).map { try change("user \($0)", limit: 3) }
    let errors = EtcdRealmFixture.inThreads(12) { [realm] index in
      let engine = realm.engine()
      return EtcdRealmFixture.error { () throws(EngineError) in
        try engine.commit(changes[index], entering: nil)
      }
    }
    #expect(errors.count { $0 == nil } == 3)
    #expect(errors.count { $0 == .budgetUsedUp } == 9)
    #expect(try failures() == 3)
    #expect(try engine.keys(.user, after: [], most: 20).count == 3)
  }

  private func count(_ name: String) throws -> Int {
    let prefix = String(decoding: realm.configuration.prefix, as: UTF8.self)
    let text = try realm.cluster.controlled("get", "--prefix", "--keys-only", prefix + name)
    return text.split(separator: "\n").count { $0.hasPrefix(prefix) }
  }

  @Test func oldPeriodsAreRemoved() throws {
    // The bytes of keys are printed as they are: no period and no host has a line feed in it.
    for period in Int64(100)...119 {
      try engine.commit(change("user \(period)", host: [65], period: period), entering: nil)
    }
    #expect(try count("failures/") == 3)
  }

  private func answering(_ name: String, nonce: UInt8) throws -> EngineChange {
    var change = try EtcdRealmFixture.change(name, version: 0)
    change.answer = EngineAnswer(
      nonce: [UInt8](repeating: nonce, count: 16), answer: Array("answer of \(name)".utf8),
      expires: 4_000_000_000)
    return change
  }

  @Test func answerIsStoredOnce() throws {
    let nonce = [UInt8](repeating: 3, count: 16)
    try engine.commit(answering("alice", nonce: 3), entering: nil)
    let key = try EtcdRealmFixture.key()
    #expect(
      try engine.load(key, EngineContext(nonce: nonce)).answer == Array("answer of alice".utf8))
    #expect(throws: EngineError.conflict) {
      try engine.commit(answering("bob", nonce: 3), entering: nil)
    }
    #expect(try snapshot("bob").row == .none)
    #expect(
      try engine.load(key, EngineContext(host: [9], period: 5, nonce: nonce)).answer
        == Array("answer of alice".utf8))
  }

  @Test func oneOfManyCommitsWithANonceWins() throws {
    let changes = try (0..<12).map { try answering("user \($0)", nonce: 4) }
    let errors = EtcdRealmFixture.inThreads(12) { [realm] index in
      let engine = realm.engine()
      return EtcdRealmFixture.error { () throws(EngineError) in
        try engine.commit(changes[index], entering: nil)
      }
    }
    #expect(errors.count { $0 == nil } == 1)
    #expect(errors.count { $0 == .conflict } == 11)
    #expect(try engine.keys(.user, after: [], most: 20).count == 1)
  }

  @Test func answersEndWithTheirLease() throws {
    var configuration = realm.configuration
    configuration.leaseSeconds = 2
    let hasty = EtcdEngine(configuration)
    for nonce in UInt8(65)...70 {
      try hasty.commit(answering("user \(nonce)", nonce: nonce), entering: nil)
    }
    #expect(try Deadline.usual.waits { try count("answer/") == 0 })
    #expect(try hasty.keys(.user, after: [], most: 20).count == 6, "rows stay")
  }

  @Test func lostLeaseIsReplaced() throws {
    try engine.commit(answering("a", nonce: 65), entering: nil)
    let leases = try realm.cluster.controlled("lease", "list").split(separator: "\n")
    // Other tests have leases, too, and replace them.
    for lease in leases where lease.count == 16 {
      _ = try realm.cluster.control(["lease", "revoke", String(lease)])
    }
    try engine.commit(answering("b", nonce: 66), entering: nil)
    #expect(try snapshot("b").row.version == 1)
  }

  @Test func configurationIsReplacedOnce() throws {
    var change = EngineChange(epoch: 1)
    change.configuration = (0, .max - 1)
    try engine.commit(change, entering: nil)
    #expect(try snapshot().realm.configuration == .max - 1)
    change.configuration = (0, 5)
    #expect(throws: EngineError.conflict) { try engine.commit(change, entering: nil) }
    #expect(try snapshot().realm.configuration == .max - 1)
  }

  // MARK: - Audit log

  /// Returns the line after a log's end: the number of the line and a checksum over all lines.
  private static func line(_ text: String, after end: [UInt8]) -> EngineLogLine {
    let number = end.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) } + 1
    var sum = end.dropFirst(4).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    for byte in text.utf8 { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return EngineLogLine(
      number: number, text: Array(text.utf8), end: EtcdKeys.big(number) + EtcdKeys.big(sum))
  }

  @Test func linesOfParallelCommitsFormOneChain() throws {
    let errors = EtcdRealmFixture.inThreads(6) { [realm] thread in
      let engine = realm.engine()
      return (0..<10).compactMap { index -> EngineError? in
        guard let change = try? EtcdRealmFixture.change("\(thread) \(index)", version: 0) else {
          return .refused
        }
        return EtcdRealmFixture.error { () throws(EngineError) in
          try engine.commit(change) { Self.line("thread \(thread) line \(index)\n", after: $0) }
        }
      }
    }
    // A commit that others were always faster than has changed nothing.
    let conflicts = errors.flatMap { $0 }
    #expect(conflicts.allSatisfy { $0 == .conflict }, "\(conflicts)")
    let lines =
      try engine.logLines(after: 0, most: 40) + engine.logLines(after: 40, most: 40)
    #expect(lines.count == 60 - conflicts.count)
    var end: [UInt8] = []
    for line in lines {
      #expect(line == Self.line(String(decoding: line.text, as: UTF8.self), after: end))
      end = line.end
    }
    #expect(try engine.keys(.user, after: [], most: 100).count == lines.count)
  }

  @Test func refusedChangeAppendsNoLine() throws {
    #expect(throws: EngineError.conflict) {
      try engine.commit(EtcdRealmFixture.change(version: 7)) { Self.line("a\n", after: $0) }
    }
    #expect(throws: EngineError.refused) {
      try engine.commit(EtcdRealmFixture.change(version: 0)) {
        var line = Self.line("a\n", after: $0)
        line.number = 2
        return line
      }
    }
    #expect(try engine.logLines(after: 0, most: 9) == [])
    #expect(try snapshot().row == .none)
  }

  @Test func abandonedCommitChangesNothing() throws {
    #expect(throws: EngineError.abandoned) {
      try engine.commit(EtcdRealmFixture.change(version: 0)) { _ in nil }
    }
    #expect(try snapshot().row == .none)
    #expect(try engine.logLines(after: 0, most: 9) == [])
    try engine.commit(EtcdRealmFixture.change(version: 0)) { Self.line("a\n", after: $0) }
    #expect(try snapshot().row.version == 1)
  }

  @Test func longLogIsListedInPages() throws {
    var end: [UInt8] = []
    var number: UInt32 = 0
    while number < 4 {
      try engine.commit(EngineChange(epoch: 1)) {
        let line = Self.line("line\n", after: $0)
        (number, end) = (line.number, line.end)
        return line
      }
    }
    #expect(try engine.logLines(after: 0, most: 3).map(\.number) == [1, 2, 3])
    #expect(try engine.logLines(after: 3, most: 3).map(\.end) == [end])
    #expect(try engine.logLines(after: .max, most: 3) == [])
  }

  @Test func copyOfTheProcessOpensItsOwnConnection() async throws {
    let configuration = realm.configuration
    let strings =
      configuration.endpoints
      + [configuration.certificate, configuration.key, configuration.authority].compactMap { $0 }
      + [String(decoding: configuration.prefix, as: UTF8.self)]
    // Only the test's thread exists in the process of an exit test, so that it may be copied.
    await #expect(processExitsWith: .success) { [strings = strings as [String]] in
      let engine = EtcdEngine(
        EtcdConfiguration(
          endpoints: [strings[0]], certificate: strings[3], key: strings[4],
          authority: strings[5], prefix: Array(strings[6].utf8)))
      let key = try EtcdRealmFixture.key()
      _ = try engine.load(key, EngineContext())
      try #require(engine.session.generation == 1)
      switch try WorkerProcess.start() {
      case .copy(let process):
        try #require(ExitStatus.ofChild(process) == .exited(7))
      case .thisProcess:
        Alarm.set(seconds: 20)
        do throws(EngineError) { _ = try engine.load(key, EngineContext()) } catch {
          WorkerProcess.leave(1)
        }
        WorkerProcess.leave(engine.session.generation == 2 ? 7 : 2)
      }
      // Nothing tells the server to end the connection of the process that was copied.
      _ = try engine.load(key, EngineContext())
      try #require(engine.session.generation == 1)
    }
  }
}
