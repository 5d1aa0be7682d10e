import MFABase
import MFACCrypto

/// Authenticated encryption with AES-256-GCM (NIST SP 800-38D): 32-byte keys, 12-byte nonces,
/// 16-byte tags.
package enum AES256GCM {
  /// The length of a key in bytes.
  package static let keyLength = 32
  /// The length of a nonce in bytes.
  package static let nonceLength = 12
  /// The length of a tag in bytes.
  package static let tagLength = 16

  /// Encrypts `plaintext` with a new random nonce, and returns the nonce, the ciphertext and the
  /// tag, in this order. `associated` is authenticated but not stored. An empty `plaintext` is
  /// refused, because `open` would refuse the result.
  package static func seal(
    _ plaintext: Span<UInt8>, key: Span<UInt8>, associated: Span<UInt8>
  ) throws(SystemError) -> [UInt8] {
    guard key.count == keyLength, !plaintext.isEmpty, plaintext.count <= maximumLength else {
      throw .cryptography
    }
    let nonce = try randomBytes(count: nonceLength)
    var sealed = nonce + [UInt8](repeating: 0, count: plaintext.count + tagLength)
    // SAFETY: `sealed` has room for exactly nonce, ciphertext and tag; the key has 32 bytes and the
    // nonce 12, as the C function expects.
    let done = unsafe sealed.withUnsafeMutableBufferPointer { sealed in
      unsafe key.withUnsafeBufferPointer { key in
        unsafe associated.withUnsafeBufferPointer { associated in
          unsafe plaintext.withUnsafeBufferPointer { plaintext in
            guard let base = sealed.baseAddress, let key = key.baseAddress,
              let text = plaintext.baseAddress
            else { return false }
            let ciphertext = unsafe base + nonceLength
            return unsafe ccrypto_seal(
              key, base, associated.baseAddress, associated.count, text, plaintext.count,
              ciphertext, ciphertext + plaintext.count) == 1
          }
        }
      }
    }
    guard done else { throw .cryptography }
    return sealed
  }

  /// Returns the plaintext given to `seal`, or nil if the key, the associated data or any bit of
  /// `sealed` differs, or if libcrypto fails.
  package static func open(
    _ sealed: Span<UInt8>, key: Span<UInt8>, associated: Span<UInt8>
  ) -> SecretBytes? {
    let count = sealed.count - nonceLength - tagLength
    guard key.count == keyLength, count > 0, count <= maximumLength else { return nil }
    var plaintext = SecretBytes(count: count)
    let done = plaintext.withMutableSpan { plaintext in
      // SAFETY: as in `seal`; `plaintext` has room for exactly the ciphertext's length.
      unsafe plaintext.withUnsafeMutableBufferPointer { plaintext in
        unsafe key.withUnsafeBufferPointer { key in
          unsafe associated.withUnsafeBufferPointer { associated in
            unsafe sealed.withUnsafeBufferPointer { sealed in
              guard let base = plaintext.baseAddress, let key = key.baseAddress,
                let nonce = sealed.baseAddress
              else { return false }
              let ciphertext = unsafe nonce + nonceLength
              return unsafe ccrypto_open(
                key, nonce, associated.baseAddress, associated.count, ciphertext, count,
                ciphertext + count, base) == 1
            }
          }
        }
      }
    }
    guard done else { return nil }
    return plaintext
  }

  /// The maximum length of a plaintext in bytes: far more than any secret needs, and too few to
  /// overflow a length.
  private static let maximumLength = 4096
}
