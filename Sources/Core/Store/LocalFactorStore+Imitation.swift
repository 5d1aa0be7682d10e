import MFACrypto
import MFAModel

// Work without an effect. No lock is taken and nothing is written, because the user has no file.
extension LocalFactorStore {
  /// Does the cryptographic work of an attempt with a factor.
  package func imitateAttempt(
    _ code: Code, now: Int64, adjacentIntervals: UInt8
  ) throws(FactorStoreError) {
    var key = try key()
    try cryptographic { () throws(CryptographyError) in
      try Imitation.attempt(code, now: now, adjacentIntervals: adjacentIntervals, &key)
    }
  }

  /// Does the cryptographic work of reading a record and its attempt state.
  package func imitateSnapshot() throws(FactorStoreError) {
    var key = try key()
    try cryptographic { () throws(CryptographyError) in try Imitation.snapshot(&key) }
  }
}
