import MFAAuditLog
import MFABytes
import MFACrypto
import MFAFactorStore
import MFAFactors
import MFAOneTimePassword
import MFASecrets
import MFAStoreFiles
import MFASystem

// Recovery codes. The use of a code is on the disk before the code is reported as accepted.
extension Attempt {
  /// Returns the record's digest of the recovery code that was typed, or nil. All digests are
  /// compared.
  static func recoveryCode<Entry: FactorStoreEntry>(
    _ codes: TypedCodes, of record: FactorRecord, _ entry: Entry
  ) throws(FactorStoreError) -> RecoveryCodeDigest? {
    guard !record.recoveryCodes.isEmpty else { return nil }
    var typed: [RecoveryCodeDigest] = []
    if let code = codes.recoveryCode {
      let bytes = code.bytes()
      typed.append(try entry.digest(of: bytes.span, kind: .generated, in: record))
    }
    if let code = codes.code(of: .eight) {
      let written = code.written()
      typed.append(try entry.digest(of: written.span, kind: .imported, in: record))
    }
    var found: RecoveryCodeDigest?
    for code in typed {
      for kept in record.recoveryCodes
      where constantTimeEquals(kept.bytes.span, code.bytes.span) && kept.kind == code.kind {
        found = kept
      }
    }
    return found
  }

  /// Removes a recovery code from the record on the disk before the code is reported as accepted.
  static func spend<Entry: FactorStoreEntry>(
    _ spent: RecoveryCodeDigest, of record: FactorRecord, _ state: AttemptState, _ entry: Entry,
    _ context: Context
  ) throws(FactorStoreError) -> Result {
    var record = record
    var replacement: RecoveryCode?
    var digest: RecoveryCodeDigest?
    if context.showsMessages {
      let (code, itsDigest) = try newRecoveryCode(of: record, entry)
      replacement = code
      digest = itsDigest
    }
    record.spendRecoveryCode(spent, replacement: digest)
    record.note(
      .recoveryCodeUsed, about: .recoveryCodes, from: context.source, at: context.now)
    let event = AuditLogEvent(
      .recoveryCodeUsed, by: context.actor(record), at: context.now)
    let mark = try entry.replace(
      record: record, attempts: state, entering: event)
    return .recovered(
      Recovery(left: record.recoveryCodes.count, replacement: replacement, mark: mark))
  }

  /// Creates a recovery code for `record` and returns it with the digest to store.
  public static func newRecoveryCode<Entry: FactorStoreEntry>(
    of record: FactorRecord, _ entry: Entry
  ) throws(FactorStoreError) -> (code: RecoveryCode, digest: RecoveryCodeDigest) {
    let code = try randomCode()
    let bytes = code.bytes()
    return (code, try entry.digest(of: bytes.span, kind: .generated, in: record))
  }

  static func randomCode() throws(FactorStoreError) -> RecoveryCode {
    do throws(CryptographyError) {
      return try RecoveryCode.random()
    } catch {
      throw .cryptography
    }
  }
}
