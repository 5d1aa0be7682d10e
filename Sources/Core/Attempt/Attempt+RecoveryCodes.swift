import MFAStore
import MFABase
import MFACrypto
import MFAModel

// Recovery codes. The use of a code is on the disk before the code is reported as accepted.
extension Attempt {
  /// Returns the record's digest of the recovery code that was typed, or nil. All digests are
  /// compared.
  static func recoveryCode<Entry: FactorStoreEntry>(
    _ codes: TypedCodes, of record: FactorRecord, _ entry: Entry
  ) throws(FactorStoreError) -> RecoveryCodeDigest? {
    guard !record.recoveryCodes.isEmpty else { return nil }
    var typed: [RecoveryCodeDigest] = []
    let generated = try codes.withRecoveryCode { code throws(FactorStoreError) in
      try digest(of: code, .generated, in: record, by: entry)
    }
    if let generated { typed.append(generated) }
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

  /// A new recovery code, with the digest to store.
  struct NewRecoveryCode: ~Copyable {
    let code: RecoveryCode
    let digest: RecoveryCodeDigest
  }

  /// Creates a recovery code for `record`.
  static func newRecoveryCode<Entry: FactorStoreEntry>(
    of record: FactorRecord, _ entry: Entry
  ) throws(FactorStoreError) -> NewRecoveryCode {
    let code = try randomCode()
    let digest = try digest(of: code, .generated, in: record, by: entry)
    return NewRecoveryCode(code: code, digest: digest)
  }

  /// Returns the digest that the record stores for a code.
  static func digest<Entry: FactorStoreEntry>(
    of code: borrowing RecoveryCode, _ kind: RecoveryCodeDigest.Kind, in record: FactorRecord,
    by entry: Entry
  ) throws(FactorStoreError) -> RecoveryCodeDigest {
    try entry.digest(of: code.bytes.span, kind: kind, in: record)
  }

  static func randomCode() throws(FactorStoreError) -> RecoveryCode {
    do throws(CryptographyError) {
      return try RecoveryCode.random()
    } catch {
      throw .cryptography
    }
  }
}
