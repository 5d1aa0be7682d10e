import MFAAttempt
import MFABase
import MFAModel
import MFAPAMStack
import MFAStore

/// A store for predictions, which reads the data of one user once, as long as no other user is asked about.
/// What it remembers of a user, errors included, is forgotten when the next user is asked about.
final class RememberedStore<Base: FactorStore>: FactorStore {
  private let base: Base
  private var user: Account?
  private var snapshot: Result<FactorSnapshot?, FactorStoreError>?
  private var keptSnapshot: Result<FactorSnapshot?, FactorStoreError>?
  /// Why the user has no entry.
  private var missingEntry: FactorStoreError?
  private var known: [UInt64: Bool] = [:]
  private var decoy: Result<Base.Entry, FactorStoreError>?

  /// Creates a store that asks `base`.
  init(_ base: Base) { self.base = base }

  static var mayConflict: Bool { Base.mayConflict }

  private func turn(to account: Account) {
    guard user != account else { return }
    user = account
    snapshot = nil
    keptSnapshot = nil
    missingEntry = nil
  }

  func snapshot(of account: Account) throws(FactorStoreError) -> FactorSnapshot? {
    turn(to: account)
    if let snapshot { return try snapshot.get() }
    let read = Result { () throws(FactorStoreError) in try base.snapshot(of: account) }
    snapshot = read
    return try read.get()
  }

  func keptSnapshot(of account: Account) throws(FactorStoreError) -> FactorSnapshot? {
    turn(to: account)
    if let keptSnapshot { return try keptSnapshot.get() }
    let read = Result { () throws(FactorStoreError) in try base.keptSnapshot(of: account) }
    keptSnapshot = read
    return try read.get()
  }

  /// Entries that exist are not remembered: each holds the lock of its user.
  func entry(of account: Account, creating: Bool) throws(FactorStoreError) -> Base.Entry {
    turn(to: account)
    if !creating, let missingEntry { throw missingEntry }
    do throws(FactorStoreError) {
      return try base.entry(of: account, creating: creating)
    } catch {
      if !creating { missingEntry = error }
      throw error
    }
  }

  func knows(configuration: UInt64) throws(FactorStoreError) -> Bool {
    if let known = known[configuration] { return known }
    let answer = try base.knows(configuration: configuration)
    known[configuration] = answer
    return answer
  }

  /// A decoy of no record is made once: it only takes time.
  func decoy(like record: FactorRecord?) throws(FactorStoreError) -> Base.Entry {
    guard record == nil else { return try base.decoy(like: record) }
    if let decoy { return try decoy.get() }
    let made = Result { () throws(FactorStoreError) in try base.decoy(like: nil) }
    decoy = made
    return try made.get()
  }

  // MARK: What a prediction asks at most once, or never

  func kept(for account: Account) throws(FactorStoreError) -> FactorRecord? {
    try base.kept(for: account)
  }

  func digests(
    of places: [SignInOrigin], in record: FactorRecord
  ) throws(FactorStoreError) -> [SignInOriginDigest] {
    try base.digests(of: places, in: record)
  }

  func seal(
    continuation: Span<UInt8>, binding: [UInt8]
  ) throws(FactorStoreError) -> [UInt8] {
    try base.seal(continuation: continuation, binding: binding)
  }

  func open(continuation: [UInt8], binding: [UInt8]) throws(FactorStoreError) -> SecretBytes? {
    try base.open(continuation: continuation, binding: binding)
  }

  func enrollmentSecret(binding: [UInt8]) throws(FactorStoreError) -> SecretBytes {
    try base.enrollmentSecret(binding: binding)
  }

  func enter(
    _ event: AuditLogEvent, configuration: UInt64
  ) throws(FactorStoreError) -> AuditLogCheckpoint? {
    try base.enter(event, configuration: configuration)
  }

  func committedAnswer(to account: Account) throws(FactorStoreError) -> [UInt8]? {
    try base.committedAnswer(to: account)
  }
}

/// The service files of a host, each of which is read once, and the `account` stacks, each of which is
/// evaluated once.
final class RememberedStacks<Base: StackSource>: StackSource {
  private let base: Base
  private var files: [[UInt8]: Result<StackFile?, StackRefusal>] = [:]
  private var accountStacks: [[UInt8]: Result<ServiceStack, StackRefusal>] = [:]

  /// Creates a source that asks `base`.
  init(_ base: Base) { self.base = base }

  func file(_ name: [UInt8]) throws(StackRefusal) -> StackFile? {
    if let known = files[name] { return try known.get() }
    let read = Result { () throws(StackRefusal) in try base.file(name) }
    files[name] = read
    return try read.get()
  }

  func accountStack(of service: [UInt8]) throws(StackRefusal) -> ServiceStack {
    if let known = accountStacks[service] { return try known.get() }
    let read = Result { () throws(StackRefusal) in
      try ServiceStack(.account, of: service, from: self)
    }
    accountStacks[service] = read
    return try read.get()
  }
}
