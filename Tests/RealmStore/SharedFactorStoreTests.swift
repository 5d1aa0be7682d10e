import MFAAttempt
import MFABase
import MFAModel
import MFASharedStoreTestSupport
import MFASignInTestSupport
import MFAStore
import Testing

@testable import MFARealmStore

@Suite("A shared store")
struct SharedFactorStoreTests {
  typealias Store = SharedFactorStore<MemoryEngine>

  private let engine = MemoryEngine()
  private let account = Account(name: Array("alice".utf8), uid: 1000)
  private let now: Int64 = 1_800_000_000

  private var realm: TestRealm<MemoryEngine> { TestRealm(engine) }

  private var conformance: FactorStoreConformance<Store> {
    let realm = realm
    return FactorStoreConformance { realm.store() }
  }

  /// Makes an attempt as a request of its own.
  private func attempt(
    _ code: String, _ store: Store? = nil, at time: Int64? = nil, by account: Account? = nil
  ) throws -> Attempt.Result {
    try Self.attempt(code, by: account ?? self.account, in: store ?? realm.store(at: time ?? now))
  }

  private static func attempt<Engine: StoreEngine>(
    _ code: String, by account: Account, in store: SharedFactorStore<Engine>
  ) throws -> Attempt.Result {
    try Attempt.make(
      TypedCodes(whole: Array(code.utf8).span), by: account, in: store,
      Attempt.Context(
        settings: .defaults, clock: { () throws(FactorStoreError) in try store.now() })
    ).result
  }

  private func isAccepted(_ result: Attempt.Result) -> Bool {
    if case .accepted = result { true } else { false }
  }

  private func failures() throws -> UInt32? {
    try realm.store().snapshot(of: account)?.attempts.failures
  }

  @Test("an attempt is one commit, whether the code is right or wrong")
  func oneCommitForEachAttempt() throws {
    try conformance.enroll()
    for code in [try KnownFactor.wrongCode(at: now), try KnownFactor.code(at: now)] {
      let before = (engine.commits, engine.loads)
      _ = try attempt(code, realm.store(nonce: UInt8(before.0)))
      #expect(engine.commits == before.0 + 1)
      #expect(engine.loads == before.1 + 1)
    }
  }

  @Test("users are known by their name, whatever uid a host gives them")
  func otherUID() throws {
    try conformance.enroll()
    let elsewhere = Account(name: account.name, uid: 4711)
    #expect(isAccepted(try attempt(try KnownFactor.code(at: now), by: elsewhere)))
    #expect(!isAccepted(try attempt(try KnownFactor.code(at: now))))
  }

  @Test(
    "a commit that may or may not have taken effect denies, and the code is used up",
    arguments: [EngineError.deadline, .notice, .unreachable, .refused])
  func uncertainCommitDenies(_ error: EngineError) throws {
    try conformance.enroll()
    let code = try KnownFactor.code(at: now)
    engine.endNextCommit(with: error)
    #expect(throws: FactorStoreError.engine(error)) { _ = try attempt(code) }
    #expect(!isAccepted(try attempt(code)))
  }

  @Test("after a conflict the decision is made anew")
  func conflict() throws {
    try conformance.enroll()
    let code = try KnownFactor.code(at: now)
    let (engine, now) = (engine, now)
    engine.beforeNextCommit {
      do {
        _ = try Attempt.make(
          TypedCodes(whole: Array(code.utf8).span),
          by: Account(name: Array("alice".utf8), uid: 1), in: TestRealm(engine).store(),
          Attempt.Context(settings: .defaults, clock: { now }))
      } catch { Issue.record("\(error)") }
    }
    // The other attempt used the code.
    guard case .rejected(.repeated(.used)) = try attempt(code) else {
      Issue.record("a code that was used meanwhile was accepted")
      return
    }
    #expect(try failures() == 0)
  }

  @Test("after four conflicts in a row the sign-in is denied, and nothing was committed")
  func fourConflicts() throws {
    try conformance.enroll()
    let store = realm.store()
    var decisions = 0
    #expect(throws: FactorStoreError.engine(.conflict)) {
      try store.deciding { () throws(FactorStoreError) in
        decisions += 1
        let entry = try store.entry(of: account, creating: false)
        let other = try realm.store().entry(of: account, creating: false)
        try other.sync()
        try entry.sync()
      }
    }
    #expect(decisions == 4)
  }

  // MARK: The fence

  @Test("after a restore no code is accepted that could have been accepted before")
  func fence() throws {
    try conformance.enroll()
    let backup = engine.copy()
    #expect(isAccepted(try attempt(try KnownFactor.code(at: now, steps: 5))))
    engine.restore(backup)
    // The watermark of the accepted code is lost. The window has at most 10 intervals.
    let rows = engine.rows
    for steps: Int64 in -5...5 {
      #expect(!isAccepted(try attempt(try KnownFactor.code(at: now, steps: steps))))
      engine.rows = rows
    }
    let later = now + 11 * 30
    #expect(!isAccepted(try attempt(try KnownFactor.code(at: later, steps: -1), at: later)))
    #expect(isAccepted(try attempt(try KnownFactor.code(at: later), at: later)))
  }

  @Test(
    "a code that a verifier accepted while its clock was ahead is not accepted again after a failover",
    arguments: [0, 5, 6, 40, 60, 61, 3600] as [Int64], [0, 24, 29] as [Int64])
  func verifierAhead(seconds: Int64, intoTheStep: Int64) throws {
    let now = now + intoTheStep
    var accepted = 0
    for steps: Int64 in -5...20 {
      let engine = MemoryEngine()
      let realm = TestRealm(engine)
      try FactorStoreConformance { realm.store() }.enroll()
      engine.time = now
      let backup = engine.copy()
      let code = try KnownFactor.code(at: now, steps: steps)
      let ahead = realm.store(at: now + seconds)
      guard seconds <= DatabaseClock.greatestDifference else {
        #expect(throws: FactorStoreError.engine(.clock)) { _ = try attempt(code, ahead) }
        continue
      }
      guard isAccepted(try attempt(code, ahead)) else { continue }
      accepted += 1
      engine.restore(backup)
      // The first request after the failover comes to a verifier with the right time, or one that is behind.
      let other = realm.store(at: now - steps, intervals: Settings.defaults.adjacentIntervals)
      _ = try other.snapshot(of: account)
      let rows = engine.rows
      for passed: Int64 in 0...20 {
        let later = now + passed * 30
        engine.time = later
        #expect(!isAccepted(try attempt(code, realm.store(at: later))))
        engine.rows = rows
      }
    }
    #expect(accepted == (seconds <= DatabaseClock.greatestDifference ? 11 : 0))
  }

  @Test("a difference of the clocks is found, also if it is too large for a decision")
  func clockFinding() throws {
    let unknown = try #require(try realm.store().clockFinding())
    #expect(unknown.hasPrefix("the database does not tell its time"))
    engine.time = now
    #expect(try realm.store(at: now + 5).clockFinding() == nil)
    for (seconds, text) in [(-9, "9 s behind"), (9, "9 s ahead of"), (3600, "3600 s ahead of")] {
      let finding = try #require(try realm.store(at: now + Int64(seconds)).clockFinding())
      #expect(finding.hasPrefix("the clock of this verifier is \(text) the database's clock"))
    }
  }

  @Test("the fence is raised once for each incarnation, and not lowered by a clock that is behind")
  func fenceStays() throws {
    try conformance.enroll()
    let backup = engine.copy()
    engine.restore(backup)
    _ = try realm.store(at: now).snapshot(of: account)
    #expect(engine.realm.epoch == 2)
    #expect(engine.realm.fence == now + 10)
    _ = try realm.store(at: now + 100).snapshot(of: account)
    #expect(engine.realm.epoch == 2)
    engine.restore(engine.copy())
    _ = try realm.store(at: now - 10_000, intervals: 0).snapshot(of: account)
    #expect(engine.realm.epoch == 3)
    #expect(engine.realm.fence == now + 10)
    #expect(engine.realm.fenceIntervals == 10)
  }

  @Test("a decision that began before a restore is not committed after it")
  func restoreDuringDecision() throws {
    try conformance.enroll()
    let code = try KnownFactor.code(at: now)
    let engine = engine
    engine.beforeNextCommit { engine.restore(engine.copy()) }
    #expect(!isAccepted(try attempt(code)))
    #expect(engine.realm.epoch == 2)
  }

  @Test("a restored row that is newer than the realm's state is refused")
  func olderRealm() throws {
    try conformance.enroll()
    let realmBefore = engine.realm
    engine.restore(engine.copy())
    _ = try realm.store().snapshot(of: account)
    #expect(isAccepted(try attempt(try KnownFactor.code(at: now + 330), at: now + 330)))
    engine.realm.epoch = realmBefore.epoch
    engine.realm.incarnation = engine.copy().incarnation
    #expect(throws: FactorStoreError.rolledBack(.directory)) {
      _ = try realm.store().snapshot(of: account)
    }
  }

  // MARK: Faulty engines

  @Test("an engine that compares no versions lets one code in twice, as `conflict` would find")
  func plantedVersions() throws {
    try conformance.enroll()
    engine.plant(.ignoresVersions)
    let code = try KnownFactor.code(at: now)
    let (engine, now) = (engine, now)
    engine.beforeNextCommit {
      do {
        let other = try Attempt.make(
          TypedCodes(whole: Array(code.utf8).span),
          by: Account(name: Array("alice".utf8), uid: 1), in: TestRealm(engine).store(),
          Attempt.Context(settings: .defaults, clock: { now })
        ).result
        guard case .accepted = other else {
          Issue.record("the other attempt was not accepted")
          return
        }
      } catch { Issue.record("\(error)") }
    }
    #expect(isAccepted(try attempt(code)))
  }

  @Test("an engine that compares no incarnation commits across a restore, as the tests would find")
  func plantedIncarnation() throws {
    try conformance.enroll()
    engine.plant(.ignoresIncarnation)
    let code = try KnownFactor.code(at: now)
    let engine = engine
    engine.beforeNextCommit { engine.restore(engine.copy()) }
    #expect(isAccepted(try attempt(code)))
  }

  @Test("an engine that ignores notices reports an uncertain commit, as the tests would find")
  func plantedNotice() throws {
    try conformance.enroll()
    engine.plant(.ignoresNotices)
    engine.endNextCommit(with: .notice)
    #expect(isAccepted(try attempt(try KnownFactor.code(at: now))))
  }

  // MARK: Integrity

  @Test("a change of any byte of a row is refused")
  func everyByteOfARow() throws {
    try conformance.enroll()
    let (key, row) = try #require(engine.rows.first)
    for index in row.record.indices {
      var changed = row
      changed.record[index] ^= 1
      engine.rows[key] = changed
      #expect(throws: FactorStoreError.self) { _ = try realm.store().snapshot(of: account) }
    }
    for index in row.attempts.indices {
      var changed = row
      changed.attempts[index] ^= 1
      engine.rows[key] = changed
      #expect(throws: FactorStoreError.self) { _ = try realm.store().snapshot(of: account) }
    }
  }

  @Test("a row of another user is refused, and so is a row without one of its parts")
  func movedRow() throws {
    try conformance.enroll()
    let (key, row) = try #require(engine.rows.first)
    let other = try #require(EngineKey(.user, Array("bob".utf8)))
    engine.rows = [other: row]
    #expect(throws: FactorStoreError.self) {
      _ = try realm.store().snapshot(of: Account(name: Array("bob".utf8), uid: 1))
    }
    for (record, attempts) in [([], row.attempts), (row.record, [])] {
      engine.rows = [key: EngineRow(version: row.version, record: record, attempts: attempts)]
      #expect(throws: FactorStoreError.self) { _ = try realm.store().snapshot(of: account) }
    }
  }

  @Test("parts of different versions are refused")
  func mixedRow() throws {
    try conformance.enroll()
    let (key, old) = try #require(engine.rows.first)
    try conformance.enroll("Second")
    let new = try #require(engine.rows[key])
    for mixed in [
      EngineRow(version: new.version, record: old.record, attempts: new.attempts),
      EngineRow(version: new.version, record: new.record, attempts: old.attempts),
      EngineRow(version: new.version, record: old.record, attempts: old.attempts),
    ] {
      engine.rows = [key: mixed]
      #expect(throws: FactorStoreError.self) { _ = try realm.store().snapshot(of: account) }
    }
  }

  // MARK: Repeated requests

  @Test("a request that is repeated gets the result that was committed")
  func repeatedRequest() throws {
    try conformance.enroll()
    let code = try KnownFactor.code(at: now)
    let wrong = try KnownFactor.wrongCode(at: now)
    for _ in 0..<2 {
      #expect(isAccepted(try attempt(code, realm.store(host: "web", nonce: 1))))
      #expect(!isAccepted(try attempt(wrong, realm.store(host: "web", nonce: 2))))
    }
    #expect(try failures() == 1)
    guard case .rejected(.repeated(.used)) = try attempt(code, realm.store(host: "web", nonce: 3))
    else {
      Issue.record("another request was taken for a repeated one")
      return
    }
  }

  /// What a user types.
  enum Typed: CaseIterable { case right, wrong, recovery }

  @Test(
    "a request that another verifier gets after a failure at any point counts once",
    arguments: Typed.allCases)
  func retriedAfterAnyFailure(typed: Typed) throws {
    for hasEffect in [false, true] {
      var number = 0
      var isInterrupted = true
      while isInterrupted {
        number += 1
        let engine = MemoryEngine()
        let healthy = TestRealm(engine)
        try FactorStoreConformance { healthy.store() }.enroll()
        let text: String
        switch typed {
        case .right: text = try KnownFactor.code(at: now)
        case .wrong: text = try KnownFactor.wrongCode(at: now)
        case .recovery:
          text = "gayt-emzu-gu3d-oobz"
          let entry = try healthy.store().entry(of: account, creating: false)
          var record = try #require(entry.record)
          let code = Array("0123456789".utf8)
          record.setRecoveryCodes(
            [try entry.digest(of: code.span, kind: .generated, in: record)], at: 1)
          _ = try entry.replace(record: record, attempts: entry.attempts, entering: nil)
        }
        let failing = InterruptedEngine(engine, failingAt: number, hasEffect: hasEffect)
        let first = TestRealm(failing).store(host: "web", nonce: 1)
        let title = "call \(number), effect: \(hasEffect)"
        do { _ = try Self.attempt(text, by: account, in: first) } catch {}
        isInterrupted = failing.isInterrupted
        let second = try Self.attempt(text, by: account, in: healthy.store(host: "web", nonce: 1))
        #expect(isAccepted(second) == (typed != .wrong), "\(title): \(second)")
        let failures = try healthy.store().snapshot(of: account)?.attempts.failures
        #expect(failures == (typed == .wrong ? 1 : 0), "\(title)")
        // Another request with the same answer is refused, and counts for nothing.
        let third = try Self.attempt(text, by: account, in: healthy.store(host: "web", nonce: 2))
        #expect(!isAccepted(third), "\(title): \(third)")
      }
      #expect(number > 2, "no call of the engine failed")
    }
  }

  @Test("an answer to another host, user or nonce is refused")
  func answerOfAnother() throws {
    try conformance.enroll()
    let bob = Account(name: Array("bob".utf8), uid: 1)
    try conformance.enroll("Phone", bob)
    let code = try KnownFactor.code(at: now)
    #expect(isAccepted(try attempt(code, realm.store(host: "web", nonce: 1))))
    #expect(throws: FactorStoreError.damaged(.attempts)) {
      _ = try attempt(code, realm.store(host: "db", nonce: 1))
    }
    #expect(throws: FactorStoreError.damaged(.attempts)) {
      _ = try attempt(code, realm.store(host: "web", nonce: 1), by: bob)
    }
    let answer = try #require(engine.answers.values.first)
    engine.answers = [[UInt8](repeating: 2, count: 16): answer]
    #expect(throws: FactorStoreError.damaged(.attempts)) {
      _ = try attempt(code, realm.store(host: "web", nonce: 2))
    }
  }

  @Test("the stored form of every result is read back")
  func everyAnswer() throws {
    try conformance.enroll()
    // Wrong codes until the factors are locked.
    var nonce: UInt8 = 0
    var time = now
    while nonce < 105 {
      nonce += 1
      let code = try KnownFactor.wrongCode(at: time)
      let first = try attempt(code, realm.store(nonce: nonce, at: time), at: time)
      let second = try attempt(code, realm.store(nonce: nonce, at: time), at: time)
      #expect("\(first)" == "\(second)")
      time += 100_000
    }
    #expect(try failures() == 100)
  }

  // MARK: Budgets of hosts

  @Test("a host whose failures are used up learns nothing, and other hosts are not affected")
  func hostBudget() throws {
    try conformance.enroll()
    let code = try KnownFactor.code(at: now)
    let wrong = try KnownFactor.wrongCode(at: now)
    for typed in [wrong, try KnownFactor.wrongCode(at: now)] {
      _ = try attempt(typed, realm.store(host: "bad", limit: 2))
    }
    for typed in [wrong, code] {
      #expect(throws: FactorStoreError.engine(.budgetUsedUp)) {
        _ = try attempt(typed, realm.store(host: "bad", limit: 2))
      }
    }
    #expect(try failures() == 2)
    #expect(isAccepted(try attempt(code, realm.store(host: "good", limit: 2))))
    // The next hour.
    let later = now + 3600
    #expect(
      isAccepted(
        try attempt(
          try KnownFactor.code(at: later), realm.store(host: "bad", limit: 2, at: later), at: later)
      ))
  }

  @Test("an address that one host remembers is not remembered at another")
  func placesOfAnotherHost() throws {
    try conformance.enroll()
    let place = SignInOrigin(.address, Array("192.0.2.1".utf8))
    let record = try #require(try realm.store().snapshot(of: account)).record
    let web = try realm.store(host: "web").digests(of: [place], in: record)
    #expect(try realm.store(host: "web").digests(of: [place], in: record) == web)
    #expect(try realm.store(host: "db").digests(of: [place], in: record) != web)
    let entry = try realm.store(host: "web").entry(of: account, creating: false)
    #expect(try entry.digests(of: [place], in: record) == web)
    let code = try #require(TypedCodes(whole: Array("123456".utf8).span).code(of: .six))
    let factor = try #require(record.factors.first).id
    let sent = try entry.digest(ofSent: code, to: factor, for: place, in: record)
    let other = try realm.store(host: "db").entry(of: account, creating: false)
    #expect(try other.digest(ofSent: code, to: factor, for: place, in: record) != sent)
  }

  @Test("attempts for unknown users use up the host's failures, too")
  func unknownUsers() throws {
    func attempt() throws {
      let store = realm.store(host: "bad", limit: 2)
      try Attempt.makeOnDecoy(
        TypedCodes(whole: Array("123456".utf8).span), like: nil, in: store,
        Attempt.Context(settings: .defaults, clock: { () throws(FactorStoreError) in now }))
    }
    for _ in 0..<2 { try attempt() }
    #expect(throws: FactorStoreError.engine(.budgetUsedUp)) { try attempt() }
  }
}

@Suite("A shared store conforms")
struct SharedStoreConformanceTests {
  private let engine = MemoryEngine()

  private var conformance: FactorStoreConformance<SharedFactorStore<MemoryEngine>> {
    let realm = TestRealm(engine)
    return FactorStoreConformance { realm.store() }
  }

  @Test(arguments: FactorStoreCheck.allCases)
  func conforms(_ check: FactorStoreCheck) throws { try conformance.run(check) }

  @Test("the engine in memory conforms", arguments: StoreEngineCheck.allCases)
  func engineConforms(_ check: StoreEngineCheck) throws {
    engine.realm.fence = 1_700_000_000
    try StoreEngineConformance { [engine] in engine }.run(check)
  }
}
