import MFACrypto
import MFAModel
import MFABase

/// Cryptographic work without an effect, for stores. A sign-in takes the same time for users with and without
/// a factor, so that its duration does not reveal whether a user is enrolled.
package enum Imitation {
  /// The number of attempt states to encode and authenticate. This work takes as long as reading
  /// the record and the attempt state and writing the new state in a real attempt
  /// (EndToEnd/TimingTests.swift).
  private static var checksumsOfAttempt: Int { 6 }

  /// The number of attempt states whose work takes as long as reading a record and its attempt
  /// state.
  private static var checksumsOfSnapshot: Int { 2 }

  /// The length in bytes of a sealed secret of 20 bytes: a nonce, the secret and a tag.
  private static var sealedSecret: Int { 12 + 20 + 16 }

  /// Does the work of an attempt with a factor: reading a record and its attempt state, writing an attempt
  /// state with the digest of the code, and comparing every time step of the window around `now`, in seconds
  /// since the epoch.
  package static func attempt(
    _ code: Code, now: Int64, adjacentIntervals: UInt8, _ key: inout SealingKey
  ) throws(CryptographyError) {
    let secret = [UInt8](repeating: 0, count: HashAlgorithm.sha1.outputLength)
    try sign(checksumsOfAttempt, &key)
    // Decryption fails, after as much work as a successful one.
    _ = try key.open([UInt8](repeating: 0, count: sealedSecret), associated: secret)
    _ = try Verification.latestMatch(
      of: code, secret: secret.span, parameters: .standard, now: now,
      adjacentIntervals: adjacentIntervals)
    let digits = code.written()
    // The code and the source.
    for _ in 0..<2 { _ = try key.digest(of: digits.span, context: secret, purpose: .imitation) }
  }

  /// Does the work of writing an attempt state twice, and of comparing a code with every time step of each factor
  /// of `record`.
  package static func comparison(
    _ code: Code, with record: FactorRecord, now: Int64, adjacentIntervals: UInt8,
    _ key: inout SealingKey
  ) throws(CryptographyError) {
    try sign(2, &key)
    for factor in record.factors {
      guard let parameters = factor.parameters else { continue }
      let secret = [UInt8](repeating: 0, count: parameters.algorithm.outputLength)
      _ = try key.open([UInt8](repeating: 0, count: sealedSecret), associated: secret)
      _ = try Verification.latestMatch(
        of: code, secret: secret.span, parameters: parameters, now: now,
        adjacentIntervals: adjacentIntervals)
    }
  }

  /// Does the work of reading a record and its attempt state.
  package static func snapshot(_ key: inout SealingKey) throws(CryptographyError) {
    try sign(checksumsOfSnapshot, &key)
  }

  private static func sign(_ count: Int, _ key: inout SealingKey) throws(CryptographyError) {
    for _ in 0..<count {
      let state = AttemptState(record: .zero).encoded(sequence: 0)
      _ = try key.checksum(of: state, purpose: .imitation)
    }
  }
}
