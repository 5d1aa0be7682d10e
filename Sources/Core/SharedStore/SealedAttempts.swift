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

  func sealed(for user: [UInt8], _ key: inout SealingKey) throws(FactorStoreError) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(state.encoded(sequence: version))
    writer.write(epoch)
    writer.write(record)
    let content = writer.bytes
    return content
      + (try cryptographic { () throws(CryptographyError) in
        try key.checksum(of: content + user, purpose: .sharedAttemptState)
      })
  }

  /// Verifies the checksum and returns the content.
  static func opened(
    _ bytes: [UInt8], for user: [UInt8], _ key: inout SealingKey
  ) throws(FactorStoreError) -> SealedAttempts {
    let length = AttemptState.encodedLength &+ 16
    guard bytes.count == length &+ SealingKey.checksumLength else { throw .damaged(.attempts) }
    let content = bytes.span.part(from: 0, count: length).copied()
    let checksum = bytes.span.part(from: length, count: SealingKey.checksumLength)
    let isValid = try cryptographic { () throws(CryptographyError) in
      try key.verifies(checksum, of: content + user, purpose: .sharedAttemptState)
    }
    var reader = ByteReader(content.span.part(from: AttemptState.encodedLength, count: 16))
    guard isValid,
      let (state, version) = AttemptState.decode(
        content.span.part(from: 0, count: AttemptState.encodedLength)),
      let epoch = reader.read(UInt64.self), let record = reader.read(UInt64.self)
    else { throw .damaged(.attempts) }
    return SealedAttempts(state: state, version: version, epoch: epoch, record: record)
  }
}
