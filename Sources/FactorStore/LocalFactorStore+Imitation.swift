import Factors
public import OneTimePassword
import Secrets

// Work that decides nothing: what takes as long for a user without a factor as for one who has one
// tells nobody who is enrolled. A lock is not taken and nothing is written, for there is no file.
extension LocalFactorStore {
  /// The length in bytes of the sealed record that stands for one: one factor.
  private static var typicalRecord: Int { 192 }

  /// The length in bytes of a sealed secret of 20 bytes: a nonce, the secret and a tag.
  private static var sealedSecret: Int { 12 + 20 + 16 }

  /// Does the cryptographic work of an attempt with a factor: a record and its attempts are read, an
  /// attempt is written, and every step of the window is compared.
  public func imitateAttempt(
    _ code: Code, now: Int64, adjacentIntervals: UInt8
  ) throws(FactorStoreError) {
    var key = try key()
    try imitateChecksum(length: Self.typicalRecord, &key)
    try imitateState(&key)
    try imitateState(&key)
    let secret = [UInt8](repeating: 0, count: HashAlgorithm.sha1.outputLength)
    try cryptographic { () throws(CryptographyError) in
      // It does not open, after as much work as for one that does.
      _ = try key.open([UInt8](repeating: 0, count: Self.sealedSecret), associated: secret)
      _ = try Verification.latestMatch(
        of: code, secret: secret.span, parameters: .standard, now: now,
        adjacentIntervals: adjacentIntervals)
    }
  }

  private func imitateChecksum(
    length: Int, _ key: inout SealingKey
  ) throws(FactorStoreError) {
    try imitateChecksum(of: [UInt8](repeating: 0, count: length), &key)
  }

  /// Writes an attempt state and reads it, in memory.
  @inline(never)
  private func imitateState(_ key: inout SealingKey) throws(FactorStoreError) {
    let state = AttemptState(record: .zero).encoded(sequence: 0)
    try imitateChecksum(of: state, &key)
    _ = AttemptState.decode(state.span)
  }

  @inline(never)
  private func imitateChecksum(
    of bytes: [UInt8], _ key: inout SealingKey
  ) throws(FactorStoreError) {
    try cryptographic { () throws(CryptographyError) in
      _ = try key.checksum(of: bytes, purpose: 0)
    }
  }
}
