import MFABytes
import MFACrypto
import MFAFactors
import MFAStoreFiles

/// A user's attempt state as a shared store keeps it: the state, the version of its row, the epoch in which
/// it was committed, the identity of the record that was committed with it, and a checksum that also
/// covers the user's id.
struct SealedAttempts {
  /// The attempt state.
  let state: AttemptState
  /// The version of the row.
  let version: UInt64
  /// The epoch of the realm in which the state was committed.
  let epoch: UInt64
  /// `SealedRecord.identity` of the record in the same row; 0 if there is none.
  let record: UInt64

  /// How a row in `format` begins after format 1, in which it begins with the attempt state itself.
  private static let magic: [UInt8] = [0x4D, 0x46, 0x41, 0x52]  // MFAR

  /// Returns the row in a format of the realm.
  func sealed(
    for user: [UInt8], format: UInt16, _ key: inout SealingKey
  ) throws(FactorStoreError) -> [UInt8] {
    let encoded = state.encoded(
      sequence: version, inEarlierForm: format == RealmFormats.first)
    var writer = ByteWriter()
    if format == RealmFormats.first {
      writer.write(encoded)
      writer.write(epoch)
      writer.write(record)
    } else {
      writer.write(Self.magic)
      writer.write(format)
      writer.write(epoch)
      writer.write(record)
      writer.write(encoded.span.part(from: 0, count: Self.unpaddedLength(encoded)).copied())
    }
    let content = writer.bytes
    return content
      + (try cryptographic { () throws(CryptographyError) in
        try key.checksum(of: content + user, purpose: .sharedAttemptState)
      })
  }

  /// Returns the length of an encoded state without the zeros at its end.
  private static func unpaddedLength(_ encoded: [UInt8]) -> Int {
    encoded.lastIndex { $0 != 0 }.map { $0 &+ 1 } ?? 0
  }

  /// Verifies the checksum and returns the content. `newest` is the newest format that is read.
  ///
  /// - Throws: `.otherVersion` if the row is valid and its format is newer.
  static func opened(
    _ bytes: [UInt8], for user: [UInt8], newest: UInt16, _ key: inout SealingKey
  ) throws(FactorStoreError) -> SealedAttempts {
    let length = bytes.count &- SealingKey.checksumLength
    guard length >= 0 else { throw .damaged(.attempts) }
    let content = bytes.span.part(from: 0, count: length).copied()
    let checksum = bytes.span.part(from: length, count: SealingKey.checksumLength)
    let isValid = try cryptographic { () throws(CryptographyError) in
      try key.verifies(checksum, of: content + user, purpose: .sharedAttemptState)
    }
    guard isValid else { throw .damaged(.attempts) }
    if content.starts(with: magic) { return try unpadded(content, newest: newest) }
    let stateLength = AttemptState.claimedLength(of: content.span)
    guard length == stateLength &+ 16 else { throw .damaged(.attempts) }
    var reader = ByteReader(content.span.part(from: stateLength, count: 16))
    guard
      let (state, version) = AttemptState.decode(
        content.span.part(from: 0, count: stateLength)),
      let epoch = reader.read(UInt64.self), let record = reader.read(UInt64.self)
    else { throw .damaged(.attempts) }
    return SealedAttempts(state: state, version: version, epoch: epoch, record: record)
  }

  /// Reads a row in a format after the first one.
  private static func unpadded(
    _ content: [UInt8], newest: UInt16
  ) throws(FactorStoreError) -> SealedAttempts {
    var reader = ByteReader(content.span)
    guard reader.read(count: magic.count) != nil, let format = reader.read(UInt16.self),
      format > RealmFormats.first
    else { throw .damaged(.attempts) }
    guard format <= newest else { throw .otherVersion(format) }
    let header = magic.count &+ 18
    let length = content.count &- header
    let encoded = content.span.part(from: header, count: max(length, 0)).copied()
    guard let epoch = reader.read(UInt64.self), let record = reader.read(UInt64.self),
      content.last != 0, let (state, version) = AttemptState.decode(unpadded: encoded)
    else {
      throw .damaged(.attempts)
    }
    return SealedAttempts(state: state, version: version, epoch: epoch, record: record)
  }
}
