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
  ) throws(EnrollmentError) -> EnrolledInSignIn {
    try Machine.Store.deciding(unless: { !$0.isConflict }) { () throws(EnrollmentError) in
      try commitOnce(confirmed)
    }
  }

  private func commitOnce(
    _ confirmed: ConfirmedDraft
  ) throws(EnrollmentError) -> EnrolledInSignIn {
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
    let factor = try factor(of: confirmed, at: now, in: record, entry)
    do throws(FactorRecord.ChangeRefusal) {
      try record.add(factor)
    } catch {
      throw .pause(.store(.damaged(.record)))
    }
    var digests: [RecoveryCodeDigest] = []
    let codes = try recoveryCodes(for: record, entry, &digests)
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

  func factor(
    of confirmed: ConfirmedDraft, at now: Int64, in record: FactorRecord,
    _ entry: Machine.Store.Entry
  ) throws(EnrollmentError) -> Factor {
    do throws(EnrollmentDraft.Refusal) {
      return try confirmed.draft.factor(
        named: confirmed.name, at: now, in: record, sealedBy: entry)
    } catch {
      switch error {
      case .notACode, .wrongCode, .cryptography: throw .pause(.store(.cryptography))
      case .store(let error): throw .pause(.store(error))
      }
    }
  }

  func recoveryCodes(
    for record: FactorRecord, _ entry: Machine.Store.Entry, _ digests: inout [RecoveryCodeDigest]
  ) throws(EnrollmentError) -> SecretBytes {
    do throws(FactorStoreError) {
      return try RecoveryCodeSet.make(for: record, by: entry, digests: &digests)
    } catch {
      throw .pause(.store(error))
    }
  }

  // MARK: Error conversion

  func newDraft() throws(EnrollmentError) -> EnrollmentDraft {
    do throws(CryptographyError) {
      return try EnrollmentDraft(.standard)
    } catch {
      throw .pause(.store(.cryptography))
    }
  }

  func now() throws(EnrollmentError) -> Int64 {
    do throws(SystemError) { return try signIn.host.now() } catch { throw .pause(.clock(error)) }
  }

  func storing<Result>(
    _ body: () throws(FactorStoreError) -> Result
  ) throws(EnrollmentError) -> Result {
    do throws(FactorStoreError) { return try body() } catch { throw .pause(.store(error)) }
  }
}
