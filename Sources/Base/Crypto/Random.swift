import MFABase
import MFACCrypto

extension SecretBytes {
  /// Returns `count` bytes from libcrypto's approved random generator, from its instance for
  /// private values.
  package static func random(count: Int) throws(SystemError) -> SecretBytes {
    var bytes = SecretBytes(count: count)
    let done = bytes.withMutableSpan { $0.fillWithRandomBytes() }
    guard done else { throw .cryptography }
    return bytes
  }
}

/// Returns `count` random bytes that need not be secret, for example for a nonce or an identifier.
package func randomBytes(count: Int) throws(SystemError) -> [UInt8] {
  var bytes = [UInt8](repeating: 0, count: max(count, 0))
  var span = bytes.mutableSpan
  guard span.fillWithRandomBytes() else { throw .cryptography }
  return bytes
}

extension MutableSpan<UInt8> {
  fileprivate mutating func fillWithRandomBytes() -> Bool {
    // SAFETY: the buffer is the span's own `count` bytes.
    unsafe withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return true }
      return unsafe ccrypto_random(base, buffer.count) == 1
    }
  }
}
