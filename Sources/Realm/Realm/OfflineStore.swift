import MFAAttempt
import MFABase
import MFACrypto
import MFAMessages
import MFAModel
import Synchronization

/// What a host keeps for the time in which no verifier answers: the permits of users who have signed in here, and
/// the queue of what was decided meanwhile. The files are in one folder, which only the relay's user can read.
///
/// MUST 1: an attempt is counted before its code is compared, and a code is marked as used before it is
/// accepted, each on disk. (Tests/Fleet: `killed between mark and answer`)
/// MUST 2: with a queue that was truncated, changed or removed, nothing is allowed until a verifier has been told.
/// (Tests/Fleet: `offline queue is changed`)
/// MUST 3: a code is accepted once at this host, also if a verifier sends a permit that still has it.
/// (Tests/Fleet: `offline with codes`)
package final class OfflineStore: Sendable {
  private let folder: TrustedPath
  private let state: Mutex<State>

  private struct State {
    /// Nil if the file is damaged.
    var queue: OfflineQueue?
    var file: PermitFile
    /// Why the permits could not be read.
    var permitFailure: RealmError?
  }

  private static var queueName: StaticString { "queue" }
  private static var permitsName: StaticString { "permits" }

  /// Opens the files in a folder, or creates them in an empty one.
  ///
  /// - Throws: an error if the folder cannot be used at all. A damaged file is not an error.
  package init(_ path: [UInt8]) throws(RealmError) {
    guard let folder = TrustedPath(path) else { throw .untrusted }
    self.folder = folder
    let directory = try Self.open(folder)
    var file = PermitFile()
    var failure: RealmError?
    var hadPermits = true
    do throws(RealmError) {
      if let bytes = try Self.read(Self.permitsName, in: directory) {
        file = try PermitFile(bytes)
      } else {
        hadPermits = false
      }
    } catch {
      failure = error
    }
    let queue: OfflineQueue?
    do throws(RealmError) {
      queue = try Self.openQueue(in: directory, mayCreate: !hadPermits)
    } catch {
      guard error == .damaged else { throw error }
      queue = nil
    }
    if let records = queue?.records {
      for code in records.compactMap(\.code) { file.spend(code) }
    }
    if !hadPermits { try Self.write(try file.encoded(), as: Self.permitsName, in: directory) }
    state = Mutex(State(queue: queue, file: file, permitFailure: failure))
  }

  // MARK: Deciding

  private static func circumstances(
    _ state: State, _ attempt: OfflineAccess.Attempt, _ phase: RelayState.Phase
  ) -> OfflineAccess.Circumstances {
    let records = state.queue?.records ?? []
    return OfflineAccess.Circumstances(
      phase: phase, isQueueSound: state.queue != nil, roomInQueue: state.queue?.room ?? 0,
      latestTime: state.queue?.latestTime ?? .max,
      failures: OfflineFailures.counted(of: attempt.user, in: records))
  }

  private static func decide(
    _ state: State, _ attempt: OfflineAccess.Attempt, _ phase: RelayState.Phase
  ) -> OfflineAccess.Decision {
    OfflineAccess.decide(
      attempt, permit: state.file.permits[attempt.user], circumstances(state, attempt, phase))
  }

  /// The language of a user with a permit, or nil if it is not known.
  package func language(of user: [UInt8]) -> Language? {
    state.withLock { $0.file.permits[user]?.permit.language }
  }

  /// Decides, without recording anything.
  package func decide(
    _ attempt: OfflineAccess.Attempt, _ phase: RelayState.Phase
  ) -> OfflineAccess.Decision {
    state.withLock { Self.decide($0, attempt, phase) }
  }

  /// Decides, and records a sign-in that is allowed without a code. Returns the decision, which holds only if
  /// nothing was thrown.
  package func decideRecording(
    _ attempt: OfflineAccess.Attempt, _ phase: RelayState.Phase, from source: [UInt8]
  ) throws(RealmError) -> OfflineAccess.Decision {
    try state.withLock { state throws(RealmError) in
      let decision = Self.decide(state, attempt, phase)
      switch decision {
      case .remembered: try Self.append(.remembered, nil, attempt, source, &state)
      case .breakGlass: try Self.append(.breakGlass, nil, attempt, source, &state)
      case .denied, .code: break
      }
      return decision
    }
  }

  /// What came of a code.
  package enum CodeResult: Equatable, Sendable {
    /// The code was accepted, and is used up. This many are left.
    case accepted(left: Int)
    /// The code was wrong or used.
    case wrong
    /// Nothing was compared.
    case denied(OfflineAccess.Denial)
  }

  /// Counts an attempt, compares the code, and marks it as used if it is right.
  package func verify(
    _ code: borrowing RecoveryCode, _ attempt: OfflineAccess.Attempt, _ phase: RelayState.Phase,
    from source: [UInt8]
  ) throws(RealmError) -> CodeResult {
    let typed = SecretBytes(copying: code.bytes.span)
    return try state.withLock { state throws(RealmError) in
      let set: OfflineCodeSet
      switch Self.decide(state, attempt, phase) {
      case .code(let codes): set = codes
      case .denied(let denial): return .denied(denial)
      case .remembered, .breakGlass: return .denied(.notPermitted)
      }
      try Self.append(.attempt, nil, attempt, source, &state)
      guard let number = try Self.number(of: typed, in: set) else { return .wrong }
      let used = OfflineCodeID(set: set.id, number: number)
      guard !state.file.spent.contains(used) else { return .wrong }
      try Self.append(.code, used, attempt, source, &state)
      state.file.spend(used)
      return .accepted(left: set.codes.count - 1)
    }
  }

  /// Returns the number of the code in the set, or nil. Compares with every hash.
  private static func number(
    of code: borrowing SecretBytes, in set: OfflineCodeSet
  ) throws(RealmError) -> UInt8? {
    let hash: SecretBytes
    do throws(SystemError) {
      hash = try SlowHash.hash(
        code.span, salt: set.salt, costLog2: set.costLog2, count: OfflineCodeSet.hashLength)
    } catch {
      throw .cryptography
    }
    var found: UInt8?
    for candidate in set.codes where constantTimeEquals(candidate.hash.span, hash.span) {
      found = candidate.number
    }
    return found
  }

  private static func append(
    _ kind: OfflineRecord.Kind, _ code: OfflineCodeID?, _ attempt: OfflineAccess.Attempt,
    _ source: [UInt8], _ state: inout State
  ) throws(RealmError) {
    guard let number = state.queue?.nextNumber else { throw .damaged }
    try state.queue?.append(
      OfflineRecord(
        number: number, time: attempt.now, kind: kind, user: attempt.user,
        service: attempt.service, source: source, code: code))
  }

  // MARK: Permits

  /// Keeps a permit, in the place of the user's earlier one. Without an origin, that of the earlier one stays.
  package func keep(
    _ permit: OfflinePermit, origin: [UInt8]?, isSignIn: Bool
  ) throws(RealmError) {
    try change { file in
      let earlier = file.permits[permit.user]
      // A permit that was renewed meanwhile must not replace the one of a later sign-in.
      guard isSignIn || earlier.map({ $0.permit.signedInAt <= permit.signedInAt }) ?? false else {
        return
      }
      file.keep(HeldPermit(permit: permit, origin: isSignIn ? origin : earlier?.origin))
    }
  }

  /// Removes the permit of a user.
  package func withdraw(_ user: [UInt8]) throws(RealmError) {
    try change { $0.permits[user] = nil }
  }

  /// Removes permits that have expired at `now`.
  package func removeExpired(at now: Int64) throws(RealmError) {
    try change { file in file.permits = file.permits.filter { $0.value.permit.expiresAt > now } }
  }

  /// The users with a permit, and the tokens of the permits, in the order of the names.
  package var tokens: [(user: [UInt8], token: [UInt8])] {
    state.withLock { state in
      state.file.permits.values.map { ($0.permit.user, $0.permit.token) }
        .sorted { $0.user.lexicographicallyPrecedes($1.user) }
    }
  }

  private func change(_ body: (inout PermitFile) -> Void) throws(RealmError) {
    try state.withLock { state throws(RealmError) in
      var next = state.file
      body(&next)
      guard next != state.file || state.permitFailure != nil else { return }
      try Self.write(try next.encoded(), as: Self.permitsName, in: try Self.open(folder))
      state.file = next
      state.permitFailure = nil
    }
  }

  // MARK: Reporting

  /// The next report for a verifier, or nil if there is nothing to report.
  package var report: OfflineReport? {
    state.withLock { state in
      guard let report = state.queue?.report else {
        return OfflineReport(
          isDamaged: true, base: 0, chain: OfflineChain.beginning, records: [])
      }
      return report.records.isEmpty ? nil : report
    }
  }

  /// Removes the records up to this number, which the realm has. After a damaged queue was reported, begins a new
  /// queue, without any permit.
  package func acknowledge(
    _ number: UInt64, chain: [UInt8], at now: Int64
  ) throws(RealmError) {
    try state.withLock { state throws(RealmError) in
      let directory = try Self.open(folder)
      var file = state.file
      let left: [OfflineRecord]
      if let queue = state.queue {
        guard number >= queue.base.number, number <= queue.position.number else { throw .damaged }
        left = queue.records.filter { $0.number > number }
      } else {
        file.permits = [:]
        left = []
      }
      // The used codes are in this file before their records go.
      try Self.write(try file.encoded(), as: Self.permitsName, in: directory)
      state.file = file
      state.permitFailure = nil
      let latest = max(now, state.queue?.latestTime ?? now)
      state.queue = try Self.replaceQueue(
        in: directory, after: (number, chain), with: left, latestTime: latest)
    }
  }

  /// Records that a time is over, so that a clock that goes back is noticed.
  package func note(_ time: Int64) throws(RealmError) {
    try state.withLock { state throws(RealmError) in try state.queue?.note(time) }
  }

  /// The condition of the files.
  package struct Condition: Equatable, Sendable {
    /// The number of permits.
    package let permits: Int
    /// The number of records that no verifier has.
    package let records: Int
    /// Whether the queue is as the relay wrote it.
    package let isQueueSound: Bool
    /// Whether the permits could be read.
    package let arePermitsSound: Bool
  }

  /// The condition of the files.
  package var condition: Condition {
    state.withLock { state in
      Condition(
        permits: state.file.permits.count, records: state.queue?.records.count ?? 0,
        isQueueSound: state.queue != nil, arePermitsSound: state.permitFailure == nil)
    }
  }

  // MARK: Files

  private static func open(_ folder: TrustedPath) throws(RealmError) -> Directory {
    do throws(SystemError) { try folder.checkParents() } catch {
      throw error.distrust == nil ? .system : .untrusted
    }
    let directory = try RealmError.onFiles { () throws(SystemError) in try folder.lastDirectory() }
    let status = try RealmError.onFiles { () throws(SystemError) in try directory.status() }
    guard status.owner == 0 || status.owner == ProcessIdentity.current.user,
      !status.isWritableByOthers
    else { throw .untrusted }
    return directory
  }

  private static func name(_ name: StaticString) throws(RealmError) -> FileName {
    guard let name = FileName(name) else { throw .untrusted }
    return name
  }

  /// Reads a file. Returns nil if there is none.
  private static func read(
    _ name: StaticString, in directory: borrowing Directory
  ) throws(RealmError) -> [UInt8]? {
    let name = try Self.name(name)
    do throws(SystemError) {
      let file = try directory.fileForReading(name)
      let status = try file.status()
      guard status.kind == .regular, status.size <= PermitFile.longest else { return [] }
      return try file.read(count: Int(clamping: status.size))
    } catch {
      guard error.isNotFound else { throw .system }
      return nil
    }
  }

  /// Replaces a file as a whole.
  private static func write(
    _ bytes: [UInt8], as name: StaticString, in directory: borrowing Directory
  ) throws(RealmError) {
    let (next, name) = (try Self.name(".next"), try Self.name(name))
    try RealmError.onFiles { () throws(SystemError) in
      try directory.replace(name, with: bytes, by: next)
    }
  }

  /// How long an earlier relay may take to end, in seconds.
  private static var restart: Int64 { 8 }

  private static func openQueue(
    in directory: borrowing Directory, mayCreate: Bool
  ) throws(RealmError) -> OfflineQueue {
    let name = try Self.name(queueName)
    do throws(SystemError) { _ = try directory.status(of: name) } catch {
      guard error.isNotFound else { throw .system }
      guard mayCreate else { throw .damaged }
      return try replaceQueue(
        in: directory, after: (0, OfflineChain.beginning), with: [], latestTime: 0)
    }
    let file = try RealmError.onFiles { () throws(SystemError) in
      try directory.fileForUpdating(name)
    }
    let isLocked = try RealmError.onFiles { () throws(SystemError) in
      try file.lock(seconds: restart)
    }
    guard isLocked else { throw .inUse }
    return try OfflineQueue(reading: file)
  }

  /// Puts a new queue in the place of the present one.
  private static func replaceQueue(
    in directory: borrowing Directory, after base: (number: UInt64, chain: [UInt8]),
    with records: [OfflineRecord], latestTime: Int64
  ) throws(RealmError) -> OfflineQueue {
    let (next, name) = (try Self.name(".queue"), try Self.name(queueName))
    let file = try RealmError.onFiles { () throws(SystemError) -> File in
      try directory.unlinkIfPresent(next)
      let created = try directory.create(next)
      guard try created.lock(seconds: 0) else { throw .forbidden(.lock) }
      return created
    }
    let queue = try OfflineQueue(creating: file, after: base, latestTime: latestTime)
    for record in records { try queue.append(record) }
    try RealmError.onFiles { () throws(SystemError) in
      try directory.rename(next, to: name)
      try directory.sync()
    }
    return queue
  }
}

extension Directory {
  /// Replaces a file as a whole, by a new one that only its owner may read.
  package func replace(
    _ name: FileName, with bytes: [UInt8], by temporary: FileName
  ) throws(SystemError) {
    try unlinkIfPresent(temporary)
    let file = try create(temporary)
    try file.write(bytes)
    try file.sync()
    try rename(temporary, to: name)
    try sync()
  }

  /// Removes a file, if there is one.
  func unlinkIfPresent(_ name: FileName) throws(SystemError) {
    do throws(SystemError) { try unlink(name) } catch {
      guard error.isNotFound else { throw error }
    }
  }
}

// Why the files for offline sign-ins cannot be used, in a word for the log.
extension RealmError {
  /// A call to the system failed.
  static let system = RealmError("system")
  /// The folder, or a folder above it, belongs to another user, or another user may write to it.
  static let untrusted = RealmError("untrusted")
  /// Another relay uses the files.
  static let inUse = RealmError("in-use")
  /// A file, or the reply of a verifier, is not as the program wrote it.
  package static let damaged = RealmError("damaged")
  /// libcrypto failed.
  static let cryptography = RealmError("cryptography")

  /// Runs code that uses the files.
  static func onFiles<Result: ~Copyable>(
    _ body: () throws(SystemError) -> Result
  ) throws(RealmError) -> Result {
    do throws(SystemError) { return try body() } catch { throw .system }
  }
}
