import MFABase
import MFACrypto
import MFAModel

/// A record as stored: its binary form, the identity of the key, and a checksum of
/// both.
package struct SealedRecord {
  /// The binary form.
  package let bytes: [UInt8]

  private static let trailerLength = SealingKey.identityLength + SealingKey.checksumLength

  /// The longest sealed record in bytes.
  package static let maximumLength = FactorRecord.maximumLength + trailerLength

  /// Takes over bytes that were stored. Nothing is verified.
  package init(bytes: [UInt8]) { self.bytes = bytes }

  /// The first eight bytes of the checksum. The attempt state refers to the record by this value.
  package var identity: UInt64 {
    var reader = ByteReader(bytes.span)
    _ = reader.read(count: bytes.count &- SealingKey.checksumLength)
    return reader.read(UInt64.self) ?? 0
  }

  /// Encodes a record and computes the checksum.
  package init(_ record: FactorRecord, _ key: inout SealingKey) throws(SystemError) {
    let signed = record.encoded() + (try key.identity())
    bytes = signed + (try key.checksum(of: signed, purpose: .record))
  }

  /// Computes the checksum of a record that was not read.
  static func imitateOpening(
    _ record: FactorRecord, _ key: inout SealingKey
  ) throws(SystemError) {
    let signed = record.encoded() + [UInt8](repeating: 0, count: SealingKey.identityLength)
    _ = try key.checksum(of: signed, purpose: .record)
  }

  /// Verifies the checksum, the user's name and the uid, and returns the record. The checksum
  /// covers the record and the identity of the key. Returns nil for a record without factors that
  /// belongs to an earlier account with the same name.
  ///
  /// From then on, `key` seals with the key that the record was sealed with. A record stays under one
  /// key until `mfa-admin rekey` seals it with the next one.
  package func open(
    _ key: inout SealingKey, account: Account
  ) throws(FactorStoreError) -> FactorRecord? {
    let signedLength = bytes.count &- SealingKey.checksumLength
    guard signedLength >= SealingKey.identityLength else { throw .damaged(.record) }
    let signed = bytes.span.part(from: 0, count: signedLength).copied()
    let checksum = bytes.span.part(from: signedLength, count: SealingKey.checksumLength)
    let expected = try cryptographic { () throws(SystemError) in
      try key.select(Self.keyIdentity(in: signed))
      return try key.checksum(of: signed, purpose: .record)
    }
    guard constantTimeEquals(checksum, expected.span) else {
      let identity = try cryptographic { () throws(SystemError) in try key.identity() }
      throw diagnose(signed, identity)
    }
    let encoded = signed.span.part(from: 0, count: signedLength &- SealingKey.identityLength)
    guard let record = FactorRecord(encoded: encoded) else {
      let version = FactorRecord.version(ofEncoded: encoded) ?? FactorRecord.version
      throw version == FactorRecord.version ? .damaged(.record) : .otherVersion(version)
    }
    guard record.user.bytes == account.name, record.uid == account.uid else {
      guard record.isEnrolled else { return nil }
      throw .belongsToAnother
    }
    return record
  }

  /// Returns the identity of the key that the record was sealed with. It has not been verified.
  var keyIdentity: [UInt8] {
    Self.keyIdentity(
      in: bytes.span.part(from: 0, count: bytes.count &- SealingKey.checksumLength).copied())
  }

  private static func keyIdentity(in signed: [UInt8]) -> [UInt8] {
    signed.span.part(
      from: signed.count &- SealingKey.identityLength, count: SealingKey.identityLength
    ).copied()
  }

  /// Returns the account that the record names. It has not been verified.
  var claimedAccount: Account? {
    let length = bytes.count &- SealingKey.identityLength &- SealingKey.checksumLength
    return FactorRecord(encoded: bytes.span.part(from: 0, count: length)).map {
      Account(name: $0.user.bytes, uid: $0.uid)
    }
  }

  /// Returns the likely reason why the checksum does not match. Unverified content is used only for
  /// the log line.
  private func diagnose(_ signed: [UInt8], _ identity: [UInt8]) -> FactorStoreError {
    var reader = ByteReader(signed.span)
    _ = reader.read(count: 4)
    if let version = reader.read(UInt16.self), !(1...FactorRecord.version).contains(version) {
      return .otherVersion(version)
    }
    // The identity of the key comes last. In a truncated or extended record, other bytes are in its
    // place, and reporting a different key would mislead the administrator.
    let recordLength = signed.count &- SealingKey.identityLength
    guard
      signed.span.part(from: recordLength, count: SealingKey.identityLength).copied() != identity
    else {
      return .damaged(.record)
    }
    return FactorRecord(encoded: signed.span.part(from: 0, count: recordLength)) == nil
      ? .damaged(.record) : .otherKey
  }
}
