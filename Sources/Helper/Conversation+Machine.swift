import FactorStore
import Factors
import HelperProtocol
import Policy
import Secrets
import SignIn
import System

// What the conversation asks of the machine, with each failure logged in full and told in short.
extension Conversation {
  func configuration() throws(HelperFailure) -> Configuration {
    do throws(ConfigurationFile.Failure) {
      return try host.configuration(at: nil)
    } catch {
      report(.configuration(error))
      throw .configurationInvalid
    }
  }

  /// What the configuration says for the caller.
  func settings() throws(HelperFailure) -> Settings { settings(try configuration()) }

  /// What a configuration says for the caller.
  func settings(_ configuration: Configuration) -> Settings {
    configuration.settings(
      for: Subject(
        user: caller.name, service: ("mfa-enroll" as StaticString).bytes, address: nil
      ) { group in host.isMember(caller, of: group) })
  }

  /// Gives up the caller's identity, so that the caller can no longer stop this process, and records in
  /// the audit log that the configuration changed, if it did. Every lock is taken after this.
  func leaveCaller() throws(HelperFailure) {
    guard proof.retire() else { throw .internalError }
    note(try configuration())
  }

  /// Records in the audit log that the configuration changed, if it did. Does nothing without a store:
  /// whatever needs the store reports that.
  private func note(_ configuration: Configuration) {
    let store: Machine.Store
    do throws(FactorStoreError) { store = try host.store() } catch { return }
    let somebody = ConfigurationChange.somebody(seenBy: ("mfa-helper" as StaticString).bytes)
    if let (priority, line) = ConfigurationChange.note(
      configuration.edition, in: store, on: host, by: somebody)
    {
      log(priority, line)
    }
  }

  /// What is stored for the caller. The store reads without a lock, and with the caller's lock where
  /// another process changed the files between two reads. That lock needs `leaveCaller`, after which no
  /// password can be proven, so the read is repeated a few times first.
  func snapshot() throws(HelperFailure) -> FactorSnapshot? {
    var triesLeft = 3
    while true {
      do throws(FactorStoreError) {
        return try host.store().snapshot(of: caller)
      } catch {
        guard case .system(.attempts, let cause) = error, cause.isNotPermitted, triesLeft > 0 else {
          throw failure(error)
        }
      }
      triesLeft -= 1
      if triesLeft == 0 { try leaveCaller() }
    }
  }

  func entry(creating: Bool, _ session: Session) throws(HelperFailure) -> Machine.Store.Entry {
    let entry: Machine.Store.Entry
    do throws(FactorStoreError) {
      entry = try host.store().entry(of: caller, creating: creating)
    } catch {
      throw failure(error)
    }
    try require(session, entry.kept)
    return entry
  }

  /// Checks, under the user's lock, that a session has not ended: by its deadline, or by a change of the
  /// record that the session did not make.
  func require(_ session: Session, _ kept: FactorRecord?) throws(HelperFailure) {
    guard try bootTime() < session.deadline else { throw .sessionExpired }
    guard kept?.id == session.record, kept?.generation ?? 0 == session.generation else {
      throw .requiresRecentLogin
    }
  }

  /// Returns the caller's attempt state with one more change of this hour, or refuses the change.
  func countedChange(
    _ entry: Machine.Store.Entry, at now: Int64
  ) throws(HelperFailure) -> AttemptState {
    guard let state = entry.attempts.countingOwnChange(at: now) else {
      throw .tooManyChanges(
        seconds: Self.seconds(entry.attempts.ownChanges.secondsLeft(at: now)))
    }
    return state
  }

  /// What is kept for the caller now, with factors or without; nil when nothing is. Takes no lock.
  func keptRecord() throws(HelperFailure) -> FactorRecord? {
    do throws(FactorStoreError) {
      return try host.store().kept(for: caller)
    } catch {
      throw failure(error)
    }
  }

  /// What is kept for the caller, or a new record.
  func record(_ entry: Machine.Store.Entry) throws(HelperFailure) -> FactorRecord {
    do throws(FactorStoreError) {
      return try entry.keptOrNew(for: caller)
    } catch {
      throw .internalError
    }
  }

  func replace(
    _ entry: Machine.Store.Entry, _ record: FactorRecord, _ attempts: AttemptState,
    entering event: LedgerEvent
  ) throws(HelperFailure) -> LedgerMark? {
    do throws(FactorStoreError) {
      return try entry.replace(record: record, attempts: attempts, entering: event)
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

  /// The caller, as who changes something.
  var actor: LedgerEvent.Actor {
    LedgerEvent.Actor(
      name: caller.name, uid: caller.uid, program: Self.program, source: source)
  }

  private static var program: [UInt8] { ("mfa-helper" as StaticString).bytes }

  /// The circumstances of an attempt of the caller's.
  func circumstances(
    factor: FactorID? = nil, counter: AttemptState.Counter
  ) throws(HelperFailure) -> Attempt.Circumstances {
    Attempt.Circumstances(
      settings: try settings(), clock: host.attemptClock, source: source, program: Self.program,
      factor: factor, counter: counter)
  }

  func now() throws(HelperFailure) -> Int64 {
    do throws(SystemError) {
      return try host.now()
    } catch {
      report(.clock(error))
      throw .internalError
    }
  }

  func bootTime() throws(HelperFailure) -> Int64 {
    guard let time = sinceBoot() else { throw .internalError }
    return time
  }

  static func hostName() -> [UInt8] {
    do throws(SystemError) { return try HostName.current() } catch { return [] }
  }

  /// Seconds as a message carries them.
  static func seconds(_ seconds: Int64) -> UInt32 { UInt32(clamping: seconds) }

  // MARK: The log

  func failure(_ error: FactorStoreError) -> HelperFailure {
    report(.store(error))
    return .storeUnavailable
  }

  private func report(_ failure: Outcome.Failure) {
    report(.failed(failure), state: .enabled)
  }

  /// Has the log say what came of a code, and the audit trail where it was judged.
  func report(_ outcome: Outcome, state: Configuration.State) {
    let request = SignInRequest(user: caller.name, service: ("mfa-enroll" as StaticString).bytes)
    let event = Event(outcome: outcome, request: request, account: caller, state: state)
    if let (priority, line) = event.logLine { log(priority, line) }
    guard let succeeded = outcome.judgement else { return }
    audit(.authentication, outcome.auditedOperation.bytes, succeeded)
  }

  /// Has the log and the audit trail say that something was changed.
  func logChange(_ result: StaticString, _ factor: Factor?, _ mark: LedgerMark?) {
    write(result, factor, mark)
    audit(.management, Self.operation(result), true)
  }

  /// Has the log and the audit trail say that the caller was not recognised.
  func logFailure(_ result: StaticString) {
    write(result, nil, nil)
    audit(.authentication, Self.operation(result), false)
  }

  private static func operation(_ result: StaticString) -> [UInt8] {
    ("mfa:" as StaticString).bytes + result.bytes
  }

  private func write(_ result: StaticString, _ factor: Factor?, _ mark: LedgerMark?) {
    var line = LogLine()
    line.add("result", result)
    line.add("user", escaping: caller.name)
    line.add("service", "mfa-enroll")
    if let factor {
      line.add("factor", escaping: factor.id.hexadecimal)
      line.add("name", escaping: factor.displayName.utf8)
    }
    if let mark { line.add("ledger", escaping: mark.text) }
    log(.notice, line)
  }
}
