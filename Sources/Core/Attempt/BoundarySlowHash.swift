import MFACCrypto
import MFACrypto
import MFABase

/// A hash that is slow to compute, and needs much memory, so that many guesses take long: scrypt (RFC 7914)
/// with r = 8 and p = 1.
package enum SlowHash {
  /// Returns `count` bytes. N is 2 to the power of `costLog2`, 10 to 17; the computation uses N KiB of memory.
  ///
  /// With N = 2^15, a hash uses 32 MiB, and took 140 ms on one core of a loaded machine.
  package static func hash(
    _ secret: Span<UInt8>, salt: [UInt8], costLog2: UInt8, count: Int
  ) throws(SystemError) -> SecretBytes {
    var hash = SecretBytes(count: count)
    let salt = salt.span
    let done = hash.withMutableSpan { hash in
      // SAFETY: the buffers are valid for the call, and libcrypto receives their lengths.
      unsafe hash.withUnsafeMutableBufferPointer { hash in
        unsafe secret.withUnsafeBufferPointer { secret in
          unsafe salt.withUnsafeBufferPointer { salt in
            guard let hashed = hash.baseAddress, let secretBase = secret.baseAddress,
              let saltBase = salt.baseAddress
            else { return false }
            return unsafe ccrypto_scrypt(
              secretBase, secret.count, saltBase, salt.count, UInt32(costLog2), hashed, hash.count)
              == 1
          }
        }
      }
    }
    guard done else { throw .cryptography }
    return hash
  }
}
