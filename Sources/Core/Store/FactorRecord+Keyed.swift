import MFABase
import MFACrypto
import MFAModel

// What stores compute with the sealing key for a record. Everything is bound to the user and the record.
extension FactorRecord {
  /// Seals a secret with its parameters, or a phone number.
  package func seal(
    _ secret: Span<UInt8>, for factor: FactorID, parameters: TOTPParameters?,
    _ key: inout SealingKey
  ) throws(FactorStoreError) -> [UInt8] {
    let associated = associatedData(factor: factor, parameters: parameters)
    return try cryptographic { () throws(SystemError) in
      try key.seal(secret, associated: associated)
    }
  }

  /// Returns a digest of a recovery code.
  package func digest(
    of recoveryCode: Span<UInt8>, kind: RecoveryCodeDigest.Kind, _ key: inout SealingKey
  ) throws(FactorStoreError) -> RecoveryCodeDigest {
    let context = [kind.rawValue] + recoveryCodeContext()
    let bytes: [UInt8]
    if let digestKeys = try digestKeys(&key) {
      bytes = try cryptographic { () throws(SystemError) in
        try SealingKey.digest(of: recoveryCode, context: context, through: digestKeys)
      }
    } else {
      bytes = try cryptographic { () throws(SystemError) in
        try key.digest(of: recoveryCode, context: context)
      }
    }
    guard let digest = RecoveryCodeDigest(kind: kind, bytes: bytes) else { throw .cryptography }
    return digest
  }

  /// Returns the beginning of a digest of a code that was typed.
  package func digest(
    ofTyped code: Code, _ key: inout SealingKey
  ) throws(FactorStoreError) -> UInt64 {
    try Self.digest(of: code, context: recoveryCodeContext(), purpose: .failedCode, &key)
  }

  /// Returns the beginning of a digest of a code that is sent to a phone for a sign-in in this session.
  package func digest(
    ofSent code: Code, to factor: FactorID, for session: SignInOrigin, _ key: inout SealingKey
  ) throws(FactorStoreError) -> UInt64 {
    var writer = ByteWriter()
    writer.write(recoveryCodeContext())
    writer.write(factor.bytes)
    writer.write(session.kind.rawValue)
    writer.write(session.identity)
    return try Self.digest(of: code, context: writer.bytes, purpose: .sentCode, &key)
  }

  private static func digest(
    of code: Code, context: [UInt8], purpose: ChecksumPurpose, _ key: inout SealingKey
  ) throws(FactorStoreError) -> UInt64 {
    let digits = code.written()
    let bytes = try cryptographic { () throws(SystemError) in
      try key.digest(of: digits.span, context: context, purpose: purpose)
    }
    var reader = ByteReader(bytes.span)
    guard let digest = reader.read(UInt64.self) else { throw .cryptography }
    return digest
  }

  /// Returns the record's fingerprint for the audit log. Every record and every change of a record has a
  /// different fingerprint, except that marking notices as mailed does not change the fingerprint.
  package func fingerprint(_ key: inout SealingKey) throws(FactorStoreError) -> [UInt8] {
    let encoded = encodedForAuditLog()
    let checksum = try cryptographic { () throws(SystemError) in
      try key.checksum(of: encoded, purpose: .recordFingerprint)
    }
    return checksum.span.part(from: 0, count: Self.fingerprintLength).copied()
  }

  /// The length of a record's fingerprint in bytes.
  private static let fingerprintLength = 8
}
