import Factors
public import OneTimePassword
import Secrets

// Work that decides nothing: what takes as long for a user without a factor as for one who has one
// tells nobody who is enrolled. A lock is not taken and nothing is written, for there is no file.
extension LocalFactorStore {
  /// How many attempt states are encoded and signed, which takes as long as what an attempt does with
  /// the record, the state that is read and the one that is written (EndToEnd/TimingTests.swift).
  private static var checksumsOfAttempt: Int { 6 }

  /// The same of what it takes to read a record and its attempts.
  private static var checksumsOfSnapshot: Int { 2 }

  /// The length in bytes of a sealed secret of 20 bytes: a nonce, the secret and a tag.
  private static var sealedSecret: Int { 12 + 20 + 16 }

  /// Does the cryptographic work of an attempt with a factor: a record and its attempts are read, an
  /// attempt is written, and every step of the window is compared.
  public func imitateAttempt(
    _ code: Code, now: Int64, adjacentIntervals: UInt8
  ) throws(FactorStoreError) {
    var key = try key()
    let secret = [UInt8](repeating: 0, count: HashAlgorithm.sha1.outputLength)
    try cryptographic { () throws(CryptographyError) in
      try Self.sign(Self.checksumsOfAttempt, &key)
      // It does not open, after as much work as for one that does.
      _ = try key.open([UInt8](repeating: 0, count: Self.sealedSecret), associated: secret)
      _ = try Verification.latestMatch(
        of: code, secret: secret.span, parameters: .standard, now: now,
        adjacentIntervals: adjacentIntervals)
    }
  }

  /// Does the work of reading a record and its attempts, where there are none.
  public func imitateSnapshot() throws(FactorStoreError) {
    var key = try key()
    try cryptographic { () throws(CryptographyError) in
      try Self.sign(Self.checksumsOfSnapshot, &key)
    }
  }

  private static func sign(_ count: Int, _ key: inout SealingKey) throws(CryptographyError) {
    for _ in 0..<count {
      let state = AttemptState(record: .zero).encoded(sequence: 0)
      _ = try key.checksum(of: state, purpose: 0)
    }
  }
}
