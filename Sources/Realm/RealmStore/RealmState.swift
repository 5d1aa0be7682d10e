import MFABase
import MFACrypto
import MFAStore

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
  package var format: UInt16

  /// The format that this program writes.
  package static var currentFormat: UInt16 { 1 }

  /// Creates a state.
  package init(
    epoch: UInt64, incarnation: [UInt8], fence: Int64, fenceIntervals: UInt8,
    configuration: UInt64, format: UInt16 = currentFormat
  ) {
    self.epoch = epoch
    self.incarnation = incarnation
    self.fence = fence
    self.fenceIntervals = fenceIntervals
    self.configuration = configuration
    self.format = format
  }
}

/// The encoding of rows that are not about a user.
enum RegistryRow {
  /// How most rows begin, so that no other row, and no other version of the same row, is taken for it.
  struct Header {
    /// The format of what follows.
    let format: UInt8
    /// The version that the row has, or will have once it is committed.
    let version: UInt64
    /// What the row is about, at most 255 bytes.
    let id: [UInt8]

    /// Returns a writer that has written the header.
    func written() -> ByteWriter {
      var writer = ByteWriter()
      writer.write(format)
      writer.write(version)
      writer.writeShort(id)
      return writer
    }

    /// Reads a header. Returns whether it is this one.
    func isRead(from reader: inout ByteReader) -> Bool {
      reader.read(UInt8.self) == format && reader.read(UInt64.self) == version
        && reader.readShort() == id
    }
  }

  /// Returns the content with its checksum.
  static func sealed(
    _ content: [UInt8], _ purpose: ChecksumPurpose, _ key: inout SealingKey
  ) throws(FactorStoreError) -> [UInt8] {
    content
      + (try cryptographic { () throws(CryptographyError) in
        try key.checksum(of: content, purpose: purpose)
      })
  }

  /// Verifies the checksum and returns the content.
  static func opened(
    _ sealed: [UInt8], _ purpose: ChecksumPurpose, _ key: inout SealingKey
  ) throws(FactorStoreError) -> [UInt8] {
    let length = sealed.count &- SealingKey.checksumLength
    guard length >= 0 else { throw .damaged(.record) }
    let content = sealed.span.part(from: 0, count: length).copied()
    let checksum = sealed.span.part(from: length, count: SealingKey.checksumLength)
    let isValid = try cryptographic { () throws(CryptographyError) in
      try key.verifies(checksum, of: content, purpose: purpose)
    }
    guard isValid else { throw .damaged(.record) }
    return content
  }

  /// Reads a list of at most `most` byte strings.
  static func list(_ reader: inout ByteReader, most: Int) -> [[UInt8]]? {
    guard let count = reader.read(UInt8.self), Int(count) <= most else { return nil }
    var list: [[UInt8]] = []
    for _ in 0..<count {
      guard let element = reader.readShort() else { return nil }
      list.append(element)
    }
    return list
  }
}
