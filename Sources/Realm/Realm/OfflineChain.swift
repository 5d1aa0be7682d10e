import MFACrypto
import MFABase

/// The chain over the records of a host's queue: each value is HMAC-SHA-256 of a record with the value before
/// it as the key. A record that is removed, changed or moved changes all values after it.
///
/// The chain has no secret. It shows a verifier what happened to a queue after a part of it was reported, and
/// shows a relay that its file is not as it wrote it; it does not stop an attacker who can write the file.
package enum OfflineChain {
  /// The value before the first record.
  package static var beginning: [UInt8] { [UInt8](repeating: 0, count: OfflineReport.chainLength) }

  /// Returns the value after a record.
  package static func value(
    after chain: [UInt8], _ record: [UInt8]
  ) throws(OfflineStoreError) -> [UInt8] {
    do throws(CryptographyError) {
      var hash = try HMAC(algorithm: .sha256, key: chain.span)
      let tag = try hash.tag(of: record.span)
      return Self.bytes(tag)
    } catch {
      throw .cryptography
    }
  }

  private static func bytes(_ tag: borrowing SecretBytes) -> [UInt8] {
    var bytes: [UInt8] = []
    for index in tag.span.indices { bytes.append(tag.span[index]) }
    return bytes
  }
}
