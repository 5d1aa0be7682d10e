import Dispatch
import MFAAttempt
import MFABase
import MFACrypto
import MFAModel
import MFASignInTestSupport
import MFAStore
import Synchronization
import Testing

/// What every store must do, whatever it keeps its data in. `open` returns another way to the same data,
/// as another process would have.
package struct FactorStoreConformance<Store: FactorStore & SendableMetatype>: @unchecked Sendable
where Store.Entry: SendableMetatype {
  let open: () throws -> Store
  /// Whether a record and an attempt state that are read are always from the same commit.
  private let isAtomic: Bool
  /// The user.
  package let account = Account(name: Array("alice".utf8), uid: 1000)
  /// The time of all operations, in seconds since the epoch.
  package static var now: Int64 { 1_800_000_000 }

  /// Creates the checks for a store without data.
  package init(isAtomic: Bool = true, _ open: @escaping () throws -> Store) {
    self.isAtomic = isAtomic
    self.open = open
  }

  /// Runs a check, which requires a store without data.
  package func run(_ check: FactorStoreCheck) throws {
    switch check {
    case .missingUser: try missingUser()
    case .enrolment: try enrolment()
    case .checkpoints: try checkpoints()
    case .failedCommit: try failedCommit()
    case .removal: try removal()
    case .separateUsers: try separateUsers()
    case .attempts: try attempts()
    case .oneCodeInParallel: try oneCodeInParallel()
    case .parallelCommits: try parallelCommits()
    case .snapshots: try snapshots()
    case .configuration: try configuration()
    case .changesOfMissingUser: try changesOfMissingUser()
    case .unlocking: try unlocking()
    case .rememberedSignIns: try rememberedSignIns()
    case .revocation: try revocation()
    case .grants: try grants()
    case .programPasswords: try programPasswords()
    }
  }

  /// The entry for the audit log that the checks use.
  package static var event: AuditLogEvent {
    AuditLogEvent(
      .renamed, ids: Array("0a1b".utf8), detail: Array("phone".utf8),
      by: AuditLogEvent.Actor(
        name: Array("root".utf8), uid: 0, program: Array("tests".utf8), source: Source([])),
      at: now)
  }

  /// Enrols a factor with a known secret. None of its codes has been used.
  @discardableResult
  package func enroll(_ name: String = "Phone", _ account: Account? = nil) throws -> Factor {
    let account = account ?? self.account
    let store = try open()
    return try store.deciding { () throws(FactorStoreError) in
      let entry = try store.entry(of: account, creating: true)
      guard let id = FactorID(bytes: Array((0..<16).map { _ in UInt8.random(in: 0...255) })) else {
        throw FactorStoreError.cryptography
      }
      var record = try entry.storedRecordOrNew()
      let attempts = entry.record == nil ? entry.attempts.beginning(record) : entry.attempts
      let secret = KnownFactor.secret
      let sealed = try entry.seal(
        secret.span, for: id, parameters: .standard, in: record)
      do {
        let factor = Factor(
          id: id, displayName: try #require(DisplayName(Array(name.utf8))), enrolledAt: Self.now,
          kind: .totp(.standard, sealedSecret: sealed))
        try record.add(factor)
        let complete = record
        _ = try entry.replace(
          record: complete, attempts: attempts.keeping(record).adding(id, confirmedAt: 10),
          entering: Self.event)
        return factor
      } catch let error as FactorStoreError {
        throw error
      } catch {
        throw FactorStoreError.damaged(.record)
      }
    }
  }

  /// Makes an attempt with a code, as a sign-in does.
  package func attempt(_ code: String, at now: Int64 = Self.now) throws -> Attempt.Result {
    try Attempt.make(
      TypedCodes(whole: Array(code.utf8).span), by: account, in: try open(),
      Attempt.Context(settings: .defaults, clock: { now })
    ).result
  }

  /// A user without data has no entry, and reading creates none.
  func missingUser() throws {
    let store = try open()
    #expect(try store.snapshot(of: account) == nil)
    #expect(try store.existingEntry(of: account) == nil)
    #expect(throws: FactorStoreError.self) {
      _ = try store.entry(of: account, creating: false)
    }
  }

  /// An enrolment is seen by others, with its record, its watermark and its audit log entry.
  func enrolment() throws {
    let factor = try enroll()
    let snapshot = try #require(try open().snapshot(of: account))
    #expect(snapshot.record.factors.map(\.id) == [factor.id])
    #expect(snapshot.record.generation == 1)
    #expect(snapshot.attempts.watermark(of: factor.id) == 10)
    let entry = try open().entry(of: account, creating: false)
    let stored = try #require(entry.record?.factor(factor.id))
    let secret = try entry.secret(of: stored)
    #expect(secret.withSpan { span in span.count } == KnownFactor.secret.count)
  }

  /// Events get checkpoints with rising numbers.
  func checkpoints() throws {
    try enroll()
    var numbers: [UInt32] = []
    for _ in 0..<3 {
      let entry = try open().entry(of: account, creating: false)
      numbers.append(try entry.write(entry.attempts, entering: Self.event).number)
    }
    #expect(numbers == [2, 3, 4])
    #expect(try open().snapshot(of: account)?.record.generation == 4)
  }

  /// What a failed decision set is not committed.
  func failedCommit() throws {
    try enroll()
    let before = try #require(try open().snapshot(of: account))
    let store = try open()
    #expect(throws: FactorStoreError.cryptography) {
      try store.deciding { () throws(FactorStoreError) in
        let entry = try store.entry(of: account, creating: false)
        guard entry.record != nil else { return }
        throw .cryptography
      }
    }
    #expect(try open().snapshot(of: account) == before)
  }

  /// A removed record leaves no factor, and the next enrolment begins anew.
  func removal() throws {
    let factor = try enroll()
    var entry: Store.Entry? = try open().entry(of: account, creating: false)
    var record = try #require(entry?.record)
    _ = try record.remove(factor.id)
    let attempts = try #require(entry?.attempts)
    _ = try entry?.replace(record: record, attempts: attempts, entering: Self.event)
    #expect(entry?.kept?.isEnrolled ?? false == false)
    entry = nil
    #expect(try open().snapshot(of: account) == nil)
    let next = try enroll("Another")
    #expect(try open().snapshot(of: account)?.record.factors.map(\.id) == [next.id])
    guard case .accepted = try attempt(try KnownFactor.code(at: Self.now)) else {
      Issue.record("the code of the new factor was not accepted")
      return
    }
  }

  /// The users' data are separate.
  func separateUsers() throws {
    let other = Account(name: Array("bob".utf8), uid: 1001)
    try enroll()
    try enroll("Other", other)
    _ = try attempt(try KnownFactor.wrongCode(at: Self.now))
    #expect(try open().snapshot(of: account)?.attempts.failures == 1)
    #expect(try open().snapshot(of: other)?.attempts.failures == 0)
  }

  /// A wrong code is counted, an accepted one clears the failures, and is not accepted again.
  func attempts() throws {
    try enroll()
    guard case .rejected(.wrong) = try attempt(try KnownFactor.wrongCode(at: Self.now)) else {
      Issue.record("a wrong code was not rejected")
      return
    }
    #expect(try open().snapshot(of: account)?.attempts.failures == 1)
    let code = try KnownFactor.code(at: Self.now)
    guard case .accepted(.factor) = try attempt(code) else {
      Issue.record("the right code was not accepted")
      return
    }
    #expect(try open().snapshot(of: account)?.attempts.failures == 0)
    guard case .rejected(.repeated(.used)) = try attempt(code) else {
      Issue.record("a used code was not rejected")
      return
    }
  }

  /// Of parallel attempts with one code, exactly one is accepted.
  func oneCodeInParallel() throws {
    try enroll()
    let code = try KnownFactor.code(at: Self.now)
    let accepted = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 16) { _ in
      do {
        if case .accepted = try attempt(code) { accepted.withLock { $0 += 1 } }
      } catch {
        // A conflict denies.
      }
    }
    #expect(accepted.withLock { $0 } == 1)
  }

  /// No parallel commit is lost: each one that succeeded counts.
  func parallelCommits() throws {
    try enroll()
    let committed = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 16) { _ in
      do {
        let store = try open()
        try store.deciding { () throws(FactorStoreError) in
          let entry = try store.entry(of: account, creating: false)
          try entry.write(entry.attempts.countingPostponedSignIn())
          try entry.sync()
        }
        committed.withLock { $0 += 1 }
      } catch {
        // A conflict, several times in a row.
      }
    }
    let count = committed.withLock { $0 }
    #expect(count > 0)
    #expect(try open().snapshot(of: account)?.attempts.postponedSignIns == UInt32(count))
  }

  /// A record and an attempt state that are read belong together, also during changes.
  func snapshots() throws {
    try enroll()
    let isOver = Mutex(false)
    let mismatches = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 3) { number in
      do {
        if number == 0 {
          for index in 0..<20 {
            let entry = try open().entry(of: account, creating: false)
            guard var record = entry.record, let first = record.factors.first else { return }
            try record.rename(first.id, to: try #require(DisplayName(Array("\(index)".utf8))))
            let attempts = entry.attempts.countingPostponedSignIn()
            _ = try entry.replace(record: record, attempts: attempts, entering: Self.event)
          }
          isOver.withLock { $0 = true }
          return
        }
        while !isOver.withLock({ $0 }) {
          guard let snapshot = try open().snapshot(of: account) else { return }
          let count = snapshot.attempts.postponedSignIns + 1
          let isSame =
            count == snapshot.record.generation
            || !isAtomic && count + 1 == snapshot.record.generation
          let isComplete = snapshot.record.factors.allSatisfy {
            snapshot.attempts.watermark(of: $0.id) != nil
          }
          if !isSame || !isComplete || snapshot.attempts.record != snapshot.record.id {
            mismatches.withLock { $0 += 1 }
          }
        }
      } catch {
        isOver.withLock { $0 = true }
        Issue.record("\(error)")
      }
    }
    #expect(mismatches.withLock { $0 } == 0)
  }

  /// A changed configuration is entered once.
  func configuration() throws {
    #expect(try open().knows(configuration: 77) == false)
    #expect(try open().enter(Self.event, configuration: 77) != nil)
    #expect(try open().knows(configuration: 77))
    #expect(try open().enter(Self.event, configuration: 77) == nil)
  }
}

/// The checks of `FactorStoreConformance`.
package enum FactorStoreCheck: CaseIterable, Sendable {
  case missingUser, enrolment, checkpoints, failedCommit, removal, separateUsers, attempts,
    oneCodeInParallel, parallelCommits, snapshots, configuration, changesOfMissingUser, unlocking,
    rememberedSignIns, revocation, grants, programPasswords
}
