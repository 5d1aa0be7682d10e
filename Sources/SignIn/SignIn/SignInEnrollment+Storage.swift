import MFAWire
import MFAStore
import MFAAttempt
import MFABase
import MFACrypto
import MFAModel

/// The factor that was enrolled during a sign-in, and the recovery codes to show.
final class EnrolledInSignIn {
  let factor: Factor
  let codes: SecretBytes
  /// The audit log entry.
  let checkpoint: AuditLogCheckpoint?

  init(_ factor: Factor, codes: consuming SecretBytes, _ checkpoint: AuditLogCheckpoint?) {
    self.factor = factor
    self.checkpoint = checkpoint
    self.codes = codes
  }
}

/// A new device whose code was typed, and its name.
struct ConfirmedDraft {
  enum Device {
    /// A secret, and the time step of the code.
    case app(EnrollmentDraft, step: Int64)
    case phone(PhoneDraft)
  }

  let device: Device
  let name: DisplayName
}

// What an enrolment during a sign-in stores.
extension SignInEnrollment {
  /// Enrols the confirmed factor, unless a factor has been enrolled in the
  /// meantime.
  func commit(
    _ confirmed: ConfirmedDraft
  ) throws(Pause) -> EnrolledInSignIn {
    try Machine.Store.deciding(unless: { !$0.isConflict }) { () throws(Pause) in
      try commitOnce(confirmed)
    }
  }

  private func commitOnce(
    _ confirmed: ConfirmedDraft
  ) throws(Pause) -> EnrolledInSignIn {
    let now = try now()
    let entry = try storing { () throws(FactorStoreError) in
      try store.entry(of: account, creating: true)
    }
    try checkUnchanged(entry)
    var record = try storing { () throws(FactorStoreError) in
      try entry.storedRecordOrNew()
    }
    let (factor, step) = try factor(confirmed, in: record, entry, at: now)
    do throws(FactorRecord.ChangeRefusal) {
      try record.add(factor)
    } catch {
      throw .store(.damaged(.record))
    }
    var digests: [RecoveryCodeDigest] = []
    let codes = try storing { () throws(FactorStoreError) in
      try RecoveryCodeSet.make(for: record, by: entry, digests: &digests)
    }
    record.setRecoveryCodes(digests, at: now)
    record.setLanguage(settings.language)
    record.note(
      .enrolled, factor.displayName.utf8, about: record.subject(of: factor.id), from: source,
      at: now)
    let attempts = entry.attempts.beginning(record)
    let next = attempts.keeping(record).adding(factor.id, confirmedAt: step)
    let complete = record
    let actor = AuditLogEvent.Actor(
      name: account.name, uid: account.uid, program: signIn.request.service, source: source)
    let checkpoint = try storing { () throws(FactorStoreError) in
      try entry.replace(
        record: complete, attempts: next,
        entering: AuditLogEvent(.enrolled, factor, by: actor, at: now))
    }
    return EnrolledInSignIn(factor, codes: codes, checkpoint)
  }

  /// Refuses a draft from before another change, such as an enrolment or a revocation.
  func checkUnchanged(_ entry: Machine.Store.Entry) throws(Pause) {
    guard entry.record == nil else { throw .obstacle(.enrolledMeanwhile) }
    guard RecordVersion(entry.kept) == resolved.continuation.record else {
      throw .obstacle(.abandoned)
    }
  }

  /// Returns the new factor, and its first watermark.
  private func factor(
    _ confirmed: ConfirmedDraft, in record: FactorRecord, _ entry: Machine.Store.Entry,
    at now: Int64
  ) throws(Pause) -> (Factor, watermark: Int64) {
    let name = confirmed.name
    switch confirmed.device {
    case .app(let draft, let step):
      let factor = try storing { () throws(FactorStoreError) in
        try draft.factor(named: name, at: now, in: record, sealedBy: entry)
      }
      return (factor, step)
    case .phone(let draft):
      let times = PhoneDraft.Times(
        of: draft, in: entry, settings, otherProof: .nothing, now: now)
      let factor = try storing { () throws(FactorStoreError) in
        try draft.factor(named: name, at: times, in: record, sealedBy: entry)
      }
      return (factor, now)
    }
  }

  private var source: Source { signIn.host.located(signIn.request.source) }

  // MARK: Error conversion

  func now() throws(Pause) -> Int64 {
    do throws(SystemError) { return try signIn.host.now() } catch { throw .clock(error) }
  }

  func storing<Result: ~Copyable>(
    _ body: () throws(FactorStoreError) -> Result
  ) throws(Pause) -> Result {
    do throws(FactorStoreError) { return try body() } catch { throw .store(error) }
  }
}
