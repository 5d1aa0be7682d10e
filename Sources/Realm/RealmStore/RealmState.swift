import MFABase
import MFACrypto
import MFARealm
import MFAStore
import MFAWire

/// The state of a realm.
package struct RealmState: Equatable, Sendable {
  /// A number that rises whenever the database may have lost commits.
  package var epoch: UInt64
  /// The incarnation of the database in which this epoch began.
  package var incarnation: [UInt8]
  /// The time at which this epoch began, in seconds since the epoch of Unix.
  package var fence: Int64
  /// The number of time steps after `fence` in which codes may have been accepted before.
  package var fenceIntervals: UInt8
  /// The fingerprint of the configuration last recorded in the audit log; 0 before the first one.
  package var configuration: UInt64
  /// The format in which rows are written. Programs refuse a realm of another format.
  package var format = currentFormat

  /// The format that this program writes.
  package static var currentFormat: UInt16 { 1 }
}

/// The content of a row that is not about a user. It lists its fields once.
protocol RegistryRecord {
  /// What the checksum of the row is for.
  var purpose: ChecksumPurpose { get }

  /// Reads or writes each field.
  mutating func fields(_ coder: inout Coder) throws(PacketError)
}

extension RegistryRecord {
  /// Returns the stored form: the beginning of the row, the fields and a checksum.
  func sealed(
    after beginning: [UInt8], _ key: inout SealingKey
  ) throws(FactorStoreError) -> [UInt8] {
    var record = self
    var coder = Coder()
    do throws(PacketError) { try record.fields(&coder) } catch { throw .nameTooLong }
    let content = beginning + coder.finish().span.copied()
    return content + (try Checksum(purpose).of(content, &key))
  }

  /// Verifies the checksum and the beginning of a row, and returns this record with the fields of the row.
  func opened(
    _ sealed: [UInt8], after beginning: [UInt8], _ key: inout SealingKey
  ) throws(FactorStoreError) -> Self {
    let content = try Checksum(purpose).content(of: sealed, &key)
    guard content.starts(with: beginning) else { throw .damaged(.record) }
    var record = self
    var coder = Coder(
      reading: SecretBytes(copying: content.span, in: beginning.count..<content.count))
    do throws(PacketError) { try record.fields(&coder) } catch { throw .damaged(.record) }
    guard coder.isAtEnd else { throw .damaged(.record) }
    return record
  }
}

extension LoadedRow {
  /// Returns how most rows begin, so that no other row, and no other version of the same row, is taken for this one: with
  /// the format of what follows, the version that the row has or will have, and its id.
  private func beginning(_ version: UInt64) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(UInt8(1))
    writer.write(version)
    writer.writeShort(key.id)
    return writer.bytes
  }

  /// Returns `empty` with what the row has.
  func opened<Record: RegistryRecord>(
    _ empty: Record, _ sealing: inout SealingKey
  ) throws(FactorStoreError) -> Record {
    try empty.opened(record, after: beginning(version), &sealing)
  }

  /// Returns the next version of the row.
  func next(
    _ record: some RegistryRecord, _ sealing: inout SealingKey
  ) throws(FactorStoreError) -> [UInt8] {
    try record.sealed(after: beginning(version &+ 1), &sealing)
  }
}

/// The checksum at the end of stored bytes.
struct Checksum {
  private let purpose: ChecksumPurpose
  private let part: FactorStoreError.Part

  /// Bytes of this part of the store have the checksum.
  init(_ purpose: ChecksumPurpose, in part: FactorStoreError.Part = .record) {
    self.purpose = purpose
    self.part = part
  }

  /// Returns the checksum of a message.
  func of(_ message: [UInt8], _ key: inout SealingKey) throws(FactorStoreError) -> [UInt8] {
    try cryptographic { () throws(SystemError) in
      try key.checksum(of: message, purpose: purpose)
    }
  }

  /// Returns the bytes before the checksum, which covers the message that `covered` makes of them.
  func content(
    of sealed: [UInt8], _ key: inout SealingKey, covered: ([UInt8]) -> [UInt8] = { $0 }
  ) throws(FactorStoreError) -> [UInt8] {
    let length = sealed.count &- SealingKey.checksumLength
    guard length >= 0 else { throw .damaged(part) }
    let content = sealed.span.part(from: 0, count: length).copied()
    let checksum = sealed.span.part(from: length, count: SealingKey.checksumLength)
    let message = covered(content)
    let isValid = try cryptographic { () throws(SystemError) in
      try key.verifies(checksum, of: message, purpose: purpose)
    }
    guard isValid else { throw .damaged(part) }
    return content
  }
}
