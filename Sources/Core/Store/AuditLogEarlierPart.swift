import MFABase
import MFACrypto

/// The beginning of the audit log, up to the entry before the last change of the key. Its entries
/// cannot be verified with the present key one by one: a checksum covers all of them.
///
/// MUST 1: a part that was changed in any byte, truncated or extended is detected.
/// (`RekeyTests.earlierPart`)
struct AuditLogEarlierPart: Equatable, Sendable {
  /// The end of the chain at that time.
  let chain: AuditLogChain
  /// The checksum of the text.
  let checksum: [UInt8]
  /// The identity of the key that made the checksum.
  let keyIdentity: [UInt8]

  init(chain: AuditLogChain, checksum: [UInt8], keyIdentity: [UInt8]) {
    self.chain = chain
    self.checksum = checksum
    self.keyIdentity = keyIdentity
  }

  /// A running checksum of a text that is read in portions of `portion` bytes.
  struct Digest {
    /// The number of bytes in each portion but the last one.
    static var portion: Int { 65_536 }

    private(set) var value = [UInt8](repeating: 0, count: SealingKey.checksumLength)

    /// Covers the next portion.
    mutating func add(_ bytes: [UInt8], _ key: inout SealingKey) throws(FactorStoreError) {
      let message = value + bytes
      value = try cryptographic { () throws(CryptographyError) in
        try key.checksum(of: message, purpose: .auditLogEarlierPart)
      }
    }
  }

  // MARK: Binary form

  func encode(to writer: inout ByteWriter) {
    writer.write(chain.count)
    writer.write(chain.length)
    writer.write(chain.value)
    writer.write(checksum)
    writer.write(keyIdentity)
  }

  /// Parses the binary form. Returns nil if it is invalid.
  init?(_ reader: inout ByteReader) {
    guard let count = reader.read(UInt32.self), let length = reader.read(Int64.self), length >= 0,
      let value = reader.read(count: SealingKey.checksumLength),
      let checksum = reader.read(count: SealingKey.checksumLength),
      let identity = reader.read(count: SealingKey.identityLength)
    else { return nil }
    self.init(
      chain: AuditLogChain(count: count, length: length, value: value), checksum: checksum,
      keyIdentity: identity)
  }
}
