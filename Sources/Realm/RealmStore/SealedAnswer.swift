import MFABase
import MFACrypto
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

  func sealed(_ answer: [UInt8], _ key: inout SealingKey) throws(FactorStoreError) -> [UInt8] {
    let message = message(answer)
    return answer
      + (try cryptographic { () throws(CryptographyError) in
        try key.checksum(of: message, purpose: .sharedAnswer)
      })
  }

  /// Verifies the checksum and returns the answer.
  ///
  /// - Throws: `.damaged(.attempts)` if the answer belongs to another nonce, host or user.
  func opened(_ sealed: [UInt8], _ key: inout SealingKey) throws(FactorStoreError) -> [UInt8] {
    let length = sealed.count &- SealingKey.checksumLength
    guard length >= 0 else { throw .damaged(.attempts) }
    let answer = sealed.span.part(from: 0, count: length).copied()
    let checksum = sealed.span.part(from: length, count: SealingKey.checksumLength)
    let isValid = try cryptographic { () throws(CryptographyError) in
      try key.verifies(checksum, of: message(answer), purpose: .sharedAnswer)
    }
    guard isValid else { throw .damaged(.attempts) }
    return answer
  }
}
