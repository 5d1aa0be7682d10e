import MFAStore
import MFAModel
import MFABase

// Unlocking by the user.
//
// The factors are locked because somebody guesses codes of six digits. A recovery code of 80 random
// bits cannot be guessed, so it may be compared without being counted (NIST SP 800-63B-4, section
// 3.1.2). An imported recovery code has 26 bits and is not compared.
extension Attempt {
  /// Returns the record's digest of the recovery code that was typed, if it unlocks the factors, or
  /// nil.
  static func unlockingCode<Entry: FactorStoreEntry>(
    _ codes: TypedCodes, of record: FactorRecord, _ entry: Entry, _ standing: AttemptState.Standing,
    _ context: Context
  ) throws(FactorStoreError) -> RecoveryCodeDigest? {
    guard context.factor == nil, codes.hasRecoveryCode,
      context.settings.mayUnlock(record, standing),
      let code = try recoveryCode(codes, of: record, entry), code.kind == .generated
    else { return nil }
    return code
  }
}

extension CountedAttempt {
  /// Removes the recovery code from the record and clears the failures, on the disk, before the code
  /// is reported as accepted.
  func unlock(with code: RecoveryCodeDigest) throws(FactorStoreError) -> Attempt.Report {
    try useUp(
      code, typedLength: RecoveryCode.writtenLength, leaving: before.unlocked(),
      RecoveryCodeUse(notice: .unlockedByRecoveryCode, event: .unlockedByRecoveryCode))
  }
}

/// How the use of a recovery code is told to the user and recorded in the audit log.
struct RecoveryCodeUse {
  let notice: Notice.Kind
  let event: AuditLogEvent.Kind

  /// A sign-in.
  static var signIn: RecoveryCodeUse {
    RecoveryCodeUse(notice: .recoveryCodeUsed, event: .recoveryCodeUsed)
  }
}
