import MFAStore
import MFAAttempt
import MFAModel
import MFABase
import MFAWire

// Recovery codes, resynchronisation, and factors from other programs.
extension Management {
  // MARK: Account status

  func status() throws(HelperFailure) -> AccountStatus {
    let settings = try settings()
    let kept = try keptSnapshot()
    let snapshot = kept.flatMap { $0.record.isEnrolled ? $0 : nil }
    let codes = snapshot?.record.recoveryCodes ?? []
    return AccountStatus(
      enrollment: AccountStatus.Enrollment(settings),
      state: AccountStatus.State(settings.state),
      recoveryCodesLeft: UInt8(clamping: codes.count),
      importedRecoveryCodesLeft: UInt8(clamping: codes.count { $0.kind == .imported }),
      recoveryCodeUnlocks: snapshot.map { settings.mayUnlock($0.record, .locked) } ?? false,
      standing: AccountStatus.Standing(
        snapshot?.attempts.standing(settings.throttle, now: try now(), counter: .ownProcess)
          ?? .open),
      activity: try activity(kept, settings), endsSessions: settings.endsSessionsOnUnenrolling)
  }

  private func activity(
    _ snapshot: FactorSnapshot?, _ settings: Settings
  ) throws(HelperFailure) -> AccountStatus.Activity {
    guard let snapshot else { return AccountStatus.Activity() }
    let attempts = snapshot.attempts
    let (failures, overflow) = attempts.failures.addingReportingOverflow(
      attempts.ownProcessFailures.failures)
    return AccountStatus.Activity(
      standing: AccountStatus.Standing(
        attempts.standing(settings.throttle, now: try now(), counter: .signIn)),
      failedAttempts: overflow ? .max : failures,
      rememberedSignIns: UInt8(clamping: attempts.remembered.entries.count),
      pendingNotices: UInt8(clamping: try notices(of: snapshot).count))
  }

  // MARK: Recovery codes

  /// Replaces the recovery codes with a new set.
  mutating func generateRecoveryCodes(_ session: Session) throws(HelperFailure) -> RecoveryCodeList
  {
    guard try snapshot() != nil else { throw .factorNotFound }
    var text = SecretBytes(count: 0)
    var isFirst = false
    let committed = try deciding { () throws(HelperFailure) -> CommittedChange in
      let entry = try entry(creating: false, session)
      guard var record = entry.record else { throw .factorNotFound }
      var digests: [RecoveryCodeDigest] = []
      text = try newCodes(for: record, entry, &digests)
      let hadNone = record.recoveryCodes.isEmpty
      let now = try now()
      record.setRecoveryCodes(digests, at: now)
      // Codes created with the first factor replace nothing that the user had before.
      isFirst = state.isFirstEnrollment && record.factors.count == 1 && hadNone
      record.note(
        .recoveryCodesMade, about: isFirst ? .account : .recoveryCodes, from: source, at: now)
      let event = AuditLogEvent(.recoveryCodesMade, by: actor, at: now)
      return try replace(entry, record, try countedChange(entry, at: now), entering: event)
    }
    state.session?.advance(to: committed.kept)
    logChange("recovery-codes-made", nil, committed.checkpoint)
    // The mail about the first factor is enough.
    if !isFirst { deliverInBackground() }
    return RecoveryCodeList(text: text)
  }

  /// Replaces the offline recovery codes for a group of hosts. Before the codes are stored, the change is counted, entered
  /// in the audit log, and noted for the user's next sign-in.
  func generateOfflineCodes(
    _ name: [UInt8], _ session: Session
  ) throws(HelperFailure) -> RecoveryCodeList {
    guard try snapshot() != nil else { throw .factorNotFound }
    guard let group = host.offlineCodeGroup(for: caller, named: name) else {
      throw .invalidArgument
    }
    let checkpoint = try deciding { () throws(HelperFailure) in
      let entry = try entry(creating: false, session)
      guard var record = entry.record else { throw .factorNotFound }
      let now = try now()
      let attempts = try countedChange(entry, at: now)
      record.note(.recoveryCodesMade, about: .recoveryCodes, from: source, at: now)
      let event = AuditLogEvent(.offlineCodesMade, detail: group, by: actor, at: now)
      return try replace(entry, record, attempts, entering: event).checkpoint
    }
    let text = try storing { () throws(FactorStoreError) in
      try host.newOfflineCodes(for: caller, group: group)
    }
    logChange("offline-codes-made", nil, checkpoint)
    return RecoveryCodeList(text: text)
  }

  private func newCodes(
    for record: FactorRecord, _ entry: Machine.Store.Entry, _ digests: inout [RecoveryCodeDigest]
  ) throws(HelperFailure) -> SecretBytes {
    try storing { () throws(FactorStoreError) in
      try RecoveryCodeSet.make(for: record, by: entry, digests: &digests)
    }
  }

  // MARK: Resynchronisation

  /// Takes the first code of a resynchronisation, which counts as an attempt.
  func beginResynchronizing(
    _ request: borrowing ResyncRequest, _ session: Session
  ) throws(HelperFailure) -> PendingResync {
    let context = try context(for: session)
    let first = TypedCodes(whole: request.code.span)
    let arrival = try now()
    let start = try storing { () throws(FactorStoreError) in
      try Attempt.beginResynchronizing(
        request.factor, first: first, by: caller, in: try host.store(), context)
    }
    switch start {
    case .counted(let unreported):
      return PendingResync(
        factor: request.factor, first: PrivateText(copying: request.code.span), arrival: arrival,
        unreported: unreported)
    case .refused(let standing): throw HelperFailure(Attempt.Rejected(standing))
    case .notACode: throw .notACode
    case .noSuchFactor: throw .factorNotFound
    case .superseded: throw .requiresRecentLogin
    }
  }

  /// Returns the context for a resynchronisation. It requires the version of the record that the
  /// session knows.
  private func context(
    for session: Session
  ) throws(HelperFailure) -> Attempt.Context {
    guard session.isOpen(at: try now()) else { throw .sessionExpired }
    let context = try context(counter: session.basis.counter)
    context.expect(id: session.record, generation: session.generation)
    return context
  }

  /// Takes the second code, and determines from both how far the clock of a factor's authenticator
  /// is off.
  mutating func resynchronize(
    _ pending: PendingResync?, second: borrowing SecretBytes, _ session: Session
  ) throws(HelperFailure) {
    guard let pending else { throw .codesNotConsecutive }
    let context = try context(for: session)
    let pair = Attempt.CodePair(
      first: pending.first.withSpan { TypedCodes(whole: $0) },
      second: TypedCodes(whole: second.span), elapsed: try now() &- pending.arrival,
      unreported: pending.unreported)
    let result = try storing { () throws(FactorStoreError) in
      try Attempt.resynchronize(
        pending.factor, with: pair, by: caller, in: try host.store(), context)
    }
    switch result {
    case .done(let factor, let generation, let checkpoint):
      state.session?.generation = generation
      logChange("resynchronized", factor, checkpoint)
      deliverInBackground()
    case .superseded: throw .requiresRecentLogin
    case .tooManyChanges(let wait): throw .tooManyChanges(seconds: Self.seconds(wait))
    case .wrong(let wait):
      logFailure("resynchronization-failed")
      guard wait == 0 else { throw .tooManyAttempts(seconds: Self.seconds(wait)) }
      throw .codesNotConsecutive
    case .notACode: throw .notACode
    case .noSuchFactor: throw .factorNotFound
    }
  }

  // MARK: Import

  /// Enrols a factor from another program.
  mutating func importFactor(
    _ request: borrowing ImportRequest, _ session: Session
  ) throws(HelperFailure) -> Factor {
    guard request.key.count >= ImportRequest.shortestKey else { throw .secretTooShort }
    let description = Importing.Description(
      displayName: request.displayName, parameters: request.parameters,
      timeOffset: request.timeOffset,
      usedUntil: request.watermark == .min ? nil : request.watermark)
    let (key, recoveryCodes) = (request.key.span, request.recoveryCodes.span)
    let (result, kept) = try deciding {
      () throws(HelperFailure) -> (Importing.Result, FactorRecord?) in
      let entry = try entry(creating: true, session)
      let now = try now()
      let allowed = try countedChange(entry, at: now)
      do throws(FactorStoreError) {
        let result = try Importing.add(
          description, key: key, recoveryCodes: recoveryCodes, to: entry, attempts: allowed,
          now: now, from: source, by: actor)
        return (result, entry.kept)
      } catch {
        throw failure(error)
      }
    }
    switch result {
    case .imported(let factor, _, let checkpoint):
      state.session?.advance(to: kept)
      logChange("imported", factor, checkpoint)
      deliverInBackground()
      return factor
    case .present: throw .alreadyImported
    case .refused(let refusal): throw Self.failure(refusal)
    }
  }
}

extension AccountStatus.Enrollment {
  fileprivate init(_ settings: Settings) {
    self =
      switch settings.enrollment {
      case .selfService: .selfService
      // Nothing is offered that the host refuses.
      case .offered: settings.canEnroll ? .offered : .selfService
      case .required: .required
      }
  }
}

extension AccountStatus.State {
  fileprivate init(_ state: Configuration.State) {
    self =
      switch state {
      case .enabled: .enabled
      case .disabled: .disabled
      case .observe: .observe
      }
  }
}

extension AccountStatus.Standing {
  fileprivate init(_ standing: AttemptState.Standing) {
    self =
      switch standing {
      case .open: .open
      case .throttled(let seconds): .throttled(seconds: UInt32(clamping: seconds))
      case .locked: .locked
      }
  }
}
