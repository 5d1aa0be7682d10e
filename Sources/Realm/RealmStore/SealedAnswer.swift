import MFABase
import MFAModel
import MFAStore

/// What the stored result of a request is bound to.
struct SealedAnswer {
  let nonce: [UInt8]
  let host: [UInt8]
  let user: [UInt8]

  /// Returns what a checksum of `answer` covers.
  private func message(_ answer: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.writeShort(nonce)
    writer.writeShort(host)
    writer.writeShort(user)
    writer.write(answer)
    return writer.bytes
  }

  private static var checksum: Checksum { Checksum(.sharedAnswer, in: .attempts) }

  func sealed(_ answer: [UInt8], _ key: inout SealingKey) throws(FactorStoreError) -> [UInt8] {
    answer + (try Self.checksum.of(message(answer), &key))
  }

  /// Verifies the checksum and returns the answer.
  ///
  /// - Throws: `.damaged(.attempts)` if the answer belongs to another nonce, host or user.
  func opened(_ sealed: [UInt8], _ key: inout SealingKey) throws(FactorStoreError) -> [UInt8] {
    try Self.checksum.content(of: sealed, &key, covered: message)
  }
}

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

  private static let magic: [UInt8] = [0x4D, 0x46, 0x41, 0x41]  // MFAA
  private static var checksum: Checksum { Checksum(.sharedAttemptState, in: .attempts) }

  /// Returns the form in which the state is stored.
  func sealed(for user: [UInt8], _ key: inout SealingKey) throws(FactorStoreError) -> [UInt8] {
    let encoded = state.encoded(sequence: version)
    var writer = ByteWriter()
    writer.write(Self.magic)
    writer.write(RealmState.currentFormat)
    writer.write(epoch)
    writer.write(record)
    // The zeros at the end are left out, which saves 400 bytes in each commit.
    let length = encoded.lastIndex { $0 != 0 }.map { $0 &+ 1 } ?? 0
    writer.write(encoded.span.part(from: 0, count: length).copied())
    let content = writer.bytes
    return content + (try Self.checksum.of(content + user, &key))
  }

  /// Verifies the checksum and returns the content.
  ///
  /// - Throws: `.otherVersion` if the row is valid and has another format.
  static func opened(
    _ bytes: [UInt8], for user: [UInt8], _ key: inout SealingKey
  ) throws(FactorStoreError) -> SealedAttempts {
    let content = try checksum.content(of: bytes, &key) { $0 + user }
    var reader = ByteReader(content.span)
    guard reader.read(count: magic.count) == magic, let format = reader.read(UInt16.self) else {
      throw .damaged(.attempts)
    }
    guard format == RealmState.currentFormat else { throw .otherVersion(format) }
    let header = magic.count &+ 18
    let encoded = content.span.part(from: header, count: max(content.count &- header, 0)).copied()
    guard let epoch = reader.read(UInt64.self), let record = reader.read(UInt64.self),
      content.last != 0, let (state, version) = AttemptState.decode(unpadded: encoded)
    else {
      throw .damaged(.attempts)
    }
    return SealedAttempts(state: state, version: version, epoch: epoch, record: record)
  }
}
