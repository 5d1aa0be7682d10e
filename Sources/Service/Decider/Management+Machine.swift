import MFAAttempt
import MFABase
import MFAModel
import MFAStore
import MFAWire

// Calls to the host. The log has the details of each failure, and the client receives only its
// kind.
extension Management {
  func configuration() throws(HelperFailure) -> Configuration {
    do throws(ConfigurationError) {
      return try host.configuration(at: nil)
    } catch {
      reportFailure { $0.add(error) }
      throw .configurationInvalid
    }
  }

  /// Returns the settings for the caller.
  func settings() throws(HelperFailure) -> Settings { settings(try configuration()) }

  /// Returns the settings for the caller in a configuration.
  func settings(_ configuration: Configuration) -> Settings {
    settings(configuration, at: ("mfa-enroll" as StaticString).bytes)
  }

  /// Returns the settings for the caller's sign-ins at a service.
  func settings(_ configuration: Configuration, at service: [UInt8]) -> Settings {
    configuration.settings(
      for: Subject(user: caller.name, service: service, address: nil) { group in
        host.isMember(caller, of: group)
      })
  }

  /// Records in the audit log that the configuration changed, if it did. Does nothing if the configuration cannot
  /// be read or the store cannot be opened, because every request that needs them reports that.
  func noteConfiguration() {
    let store: Machine.Store
    let configuration: Configuration
    do throws(ConfigurationError) {
      configuration = try host.configuration(at: nil)
    } catch {
      return
    }
    do throws(FactorStoreError) { store = try host.store() } catch { return }
    let somebody = ConfigurationChange.somebody(seenBy: ("mfa-helper" as StaticString).bytes)
    if let (priority, line) = ConfigurationChange.note(
      configuration.fingerprint, in: store, by: somebody, at: host.changeTime)
    {
      log(priority, line)
    }
  }

  /// Returns the caller's record and attempt state, or nil if no factor is enrolled.
  func snapshot() throws(HelperFailure) -> FactorSnapshot? {
    guard let kept = try keptSnapshot(), kept.record.isEnrolled else { return nil }
    return kept
  }

  /// Returns what `snapshot` returns, even when the record has no factors.
  func keptSnapshot() throws(HelperFailure) -> FactorSnapshot? {
    try storing { () throws(FactorStoreError) in
      try host.store().keptSnapshot(of: caller)
    }
  }

  func entry(creating: Bool, _ session: Session) throws(HelperFailure) -> Machine.Store.Entry {
    let entry = try storing { () throws(FactorStoreError) in
      try host.store().entry(of: caller, creating: creating)
    }
    try require(session, entry.kept)
    return entry
  }

  /// Checks that a session has neither reached its deadline nor been ended
  /// by a change of the record that the session did not make.
  func require(_ session: Session, _ kept: FactorRecord?) throws(HelperFailure) {
    guard session.isOpen(at: try now()) else { throw .sessionExpired }
    guard kept?.id == session.record, kept?.generation ?? 0 == session.generation else {
      throw .requiresRecentLogin
    }
  }

  /// Returns the caller's attempt state with one more change in this hour. Throws if no further
  /// change is allowed.
  func countedChange(
    _ entry: Machine.Store.Entry, at now: Int64
  ) throws(HelperFailure) -> AttemptState {
    guard let state = entry.attempts.countingOwnChange(at: now) else {
      throw .tooManyChanges(
        seconds: Self.seconds(entry.attempts.ownChanges.secondsLeft(at: now)))
    }
    return state
  }

  /// Returns the caller's stored record, even when it has no factors, or nil. Takes no lock.
  func keptRecord() throws(HelperFailure) -> FactorRecord? {
    try storing { () throws(FactorStoreError) in
      try host.store().kept(for: caller)
    }
  }

  /// Returns the caller's stored record, or a new one.
  func record(_ entry: Machine.Store.Entry) throws(HelperFailure) -> FactorRecord {
    do throws(FactorStoreError) {
      return try entry.storedRecordOrNew()
    } catch {
      throw .internalError
    }
  }

  func replace(
    _ entry: Machine.Store.Entry, _ record: FactorRecord, _ attempts: AttemptState,
    entering event: AuditLogEvent
  ) throws(HelperFailure) -> CommittedChange {
    var changed = record
    changed.setLanguage(language)
    let next = changed
    do throws(FactorStoreError) {
      let checkpoint = try entry.replace(record: next, attempts: attempts, entering: event)
      return CommittedChange(record: record, kept: entry.kept, checkpoint: checkpoint)
    } catch {
      throw failure(error)
    }
  }

  func change<Result>(
    _ body: () throws(FactorRecord.ChangeRefusal) -> Result
  ) throws(HelperFailure) -> Result {
    do throws(FactorRecord.ChangeRefusal) {
      return try body()
    } catch {
      throw Self.failure(error)
    }
  }

  static func failure(_ refusal: FactorRecord.ChangeRefusal) -> HelperFailure {
    switch refusal {
    case .tooManyFactors: .maximumSecondFactorCountExceeded
    case .nameTaken: .secondFactorAlreadyEnrolled
    case .noSuchFactor: .factorNotFound
    }
  }

  /// The caller, as the actor in the audit log.
  var actor: AuditLogEvent.Actor {
    AuditLogEvent.Actor(
      name: caller.name, uid: caller.uid, program: Self.program, source: source)
  }

  private static var program: [UInt8] { ("mfa-helper" as StaticString).bytes }

  /// Returns the context for an attempt by the caller.
  func context(
    factor: FactorID? = nil, counter: AttemptState.Counter, showsClockHint: Bool = false
  ) throws(HelperFailure) -> Attempt.Context {
    Attempt.Context(
      settings: try settings(), clock: host.attemptClock, source: source,
      client: SignInOrigin(.session, Self.program + [0] + source.text), program: Self.program,
      factor: factor, showsClockHint: showsClockHint, searchesOtherTimes: showsClockHint,
      counter: counter,
      session: { [state] in
        state.sendingSession.isEmpty ? nil : SignInOrigin(.session, state.sendingSession)
      })
  }

  func now() throws(HelperFailure) -> Int64 {
    do throws(SystemError) {
      return try host.now()
    } catch {
      reportFailure { line in
        line.add("part", "clock")
        line.add(error)
      }
      throw .internalError
    }
  }

  static func hostName() -> [UInt8] {
    do throws(SystemError) { return try HostName.current() } catch { return [] }
  }

  /// Converts seconds to the type used in messages.
  static func seconds(_ seconds: Int64) -> UInt32 { UInt32(clamping: seconds) }

  // MARK: Logging

  func failure(_ error: FactorStoreError) -> HelperFailure {
    conflict.hasOccurred = error == .engine(.conflict)
    reportFailure { $0.add(error) }
    // An account whose name is too long for a file cannot have factors.
    return error == .nameTooLong ? .notPermitted : .storeUnavailable
  }

  /// Logs a failure of this machine, with the pairs that `details` adds.
  private func reportFailure(_ details: (inout LogLine) -> Void) {
    var line = LogLine()
    line.add("result", "error")
    addCaller(to: &line)
    details(&line)
    log(.error, line)
  }

  /// Writes the result of an attempt to the log and, if a code was verified, to the kernel's audit
  /// trail.
  func report(_ result: Attempt.Result, state: Configuration.State) {
    var line = LogLine()
    var details = LogLine()
    let priority = result.describe(in: &line, details: &details)
    addCaller(to: &line)
    line.append(details)
    if state == .observe { line.add("state", "observe") }
    log(priority, line)
    guard let succeeded = result.auditedSuccess else { return }
    audit(.authentication, result.auditedOperation.bytes, succeeded)
  }

  /// Writes to the log and to the kernel's audit trail that a test recognised a code.
  func reportRecognized(_ code: UnusedCode) {
    var line = LogLine()
    switch code {
    case .recoveryCode: line.add("result", "recovery-code-tested")
    case .bypassCode: line.add("result", "bypass-code-tested")
    }
    addCaller(to: &line)
    log(.notice, line)
    audit(.authentication, ("mfa:code-tested" as StaticString).bytes, true)
  }

  func addCaller(to line: inout LogLine) {
    line.addSignIn(
      user: caller.name, service: ("mfa-enroll" as StaticString).bytes, remoteHost: nil,
      terminal: nil)
  }

  /// Writes a change to the log and to the kernel's audit trail.
  func logChange(_ result: StaticString, _ factor: Factor?, _ checkpoint: AuditLogCheckpoint?) {
    write(result, factor, checkpoint)
    audit(.management, Self.operation(result), true)
  }

  /// Writes a failed authentication to the log and to the kernel's audit trail.
  func logFailure(_ result: StaticString) {
    write(result, nil, nil)
    audit(.authentication, Self.operation(result), false)
  }

  private static func operation(_ result: StaticString) -> [UInt8] {
    ("mfa:" as StaticString).bytes + result.bytes
  }

  private func write(_ result: StaticString, _ factor: Factor?, _ checkpoint: AuditLogCheckpoint?) {
    var line = LogLine()
    line.add("result", result)
    line.add("user", escaping: caller.name)
    line.add("service", "mfa-enroll")
    if let factor {
      line.add("factor", escaping: factor.id.hexadecimal)
      line.add("name", escaping: factor.displayName.utf8)
    }
    if let checkpoint { line.add("checkpoint", escaping: checkpoint.text) }
    log(.notice, line)
  }
}

/// A flag that tells whether a conflict caused the last failure of the store. `HelperFailure` does not tell.
final class CommitConflict {
  var hasOccurred = false
}

extension Management {
  /// Calls `decide`, which loads the caller's entry, decides and commits. Calls it again if the data
  /// changed between its load and its commit: see `FactorStore.deciding`.
  func deciding<Result>(
    _ decide: () throws(HelperFailure) -> Result
  ) throws(HelperFailure) -> Result {
    let conflict = conflict
    return try Machine.Store.deciding(unless: { _ in !conflict.hasOccurred }) {
      () throws(HelperFailure) in
      conflict.hasOccurred = false
      return try decide()
    }
  }
}

/// A committed change of the caller's record.
struct CommittedChange {
  /// The record as it was changed.
  let record: FactorRecord
  /// The stored record after the commit.
  let kept: FactorRecord?
  /// The audit log entry.
  let checkpoint: AuditLogCheckpoint?
}

extension HelperFailure {
  /// Converts the reason for which an attempt was rejected.
  init(_ rejected: Attempt.Rejected) {
    switch rejected {
    case .wrong(0), .repeated(.rejected): self = .invalidVerificationCode
    case .ofAnotherTime(let secondsAhead, 0):
      self = .codeOfAnotherTime(secondsAhead: Int32(clamping: secondsAhead))
    case .replayed(_, 0), .repeated(.used): self = .codeAlreadyUsed
    case .notYet(_, let seconds): self = .codeNotYetAccepted(seconds: UInt32(clamping: seconds))
    case .typeNotAllowed(_, .totp): self = .totpNotSupported
    case .typeNotAllowed(_, .phone): self = .phonesNotSupported
    case .wrong(let wait), .ofAnotherTime(_, let wait), .replayed(_, let wait),
      .throttled(let wait):
      self = .tooManyAttempts(seconds: UInt32(clamping: wait))
    case .locked, .lockedNow: self = .factorsLocked
    case .notACode: self = .notACode
    case .notEnrolled: self = .factorNotFound
    }
  }
}
