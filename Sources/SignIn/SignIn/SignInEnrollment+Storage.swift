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

/// A new secret whose code was typed, and the name of the device.
struct ConfirmedDraft {
  let draft: EnrollmentDraft
  /// The time step of the code.
  let step: Int64
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
    guard entry.record == nil else { throw .obstacle(.enrolledMeanwhile) }
    // A draft from before another change, such as a revocation, enrols nothing.
    guard RecordVersion(entry.kept) == resolved.continuation.record else {
      throw .obstacle(.abandoned)
    }
    var record = try storing { () throws(FactorStoreError) in
      try entry.storedRecordOrNew()
    }
    let (draft, name, unnamed) = (confirmed.draft, confirmed.name, record)
    let factor = try storing { () throws(FactorStoreError) in
      try draft.factor(named: name, at: now, in: unnamed, sealedBy: entry)
    }
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
    let next = attempts.keeping(record).adding(factor.id, confirmedAt: confirmed.step)
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

  private var source: Source { signIn.host.located(signIn.request.source) }

  // MARK: Error conversion

  func newDraft() throws(Pause) -> EnrollmentDraft {
    try storing { () throws(FactorStoreError) in
      try cryptographic { () throws(SystemError) in try EnrollmentDraft(.standard) }
    }
  }

  func now() throws(Pause) -> Int64 {
    do throws(SystemError) { return try signIn.host.now() } catch { throw .clock(error) }
  }

  func storing<Result: ~Copyable>(
    _ body: () throws(FactorStoreError) -> Result
  ) throws(Pause) -> Result {
    do throws(FactorStoreError) { return try body() } catch { throw .store(error) }
  }
}
