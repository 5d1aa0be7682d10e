import MFABase
import MFACCrypto

/// HMAC (RFC 2104, FIPS 198-1) with one key, for any number of messages.
@safe
///
/// Public, because Embedded Swift 6.3 does not see the `deinit` of a `package` type of another target.
public struct HMAC: ~Copyable {
  private let context: OpaquePointer

  /// The hash function.
  package let algorithm: HashAlgorithm

  /// Creates a context for `key`. Fails if libcrypto refuses the hash function or the key.
  package init(algorithm: HashAlgorithm, key: Span<UInt8>) throws(SystemError) {
    // SAFETY: the buffer is valid for the call; libcrypto copies the key and wipes its copy.
    let context = unsafe key.withUnsafeBufferPointer { key -> OpaquePointer? in
      guard let base = key.baseAddress else { return nil }
      return unsafe ccrypto_hmac_new(Self.digestName(algorithm).cString, base, key.count)
    }
    // SAFETY: this only compares the pointer with null.
    guard let context = unsafe context else { throw .cryptography }
    // SAFETY: this value owns the context, which only `deinit` frees.
    unsafe self.context = context
    self.algorithm = algorithm
  }

  // SAFETY: `init` created the context, and no copy of this value exists.
  deinit { unsafe ccrypto_hmac_free(context) }

  /// Returns the tag of `message`, `algorithm.outputLength` bytes.
  package mutating func tag(of message: Span<UInt8>) throws(SystemError) -> SecretBytes {
    var tag = SecretBytes(count: algorithm.outputLength)
    // SAFETY: the copy of the pointer is used only below, while `self` is alive.
    let context = unsafe context
    let done = tag.withMutableSpan { tag in
      // SAFETY: both buffers are valid for the call, and libcrypto receives the tag's capacity.
      unsafe tag.withUnsafeMutableBufferPointer { tag in
        unsafe message.withUnsafeBufferPointer { message in
          guard let base = tag.baseAddress else { return false }
          var written = 0
          return unsafe ccrypto_hmac_tag(
            context, message.baseAddress, message.count, base, tag.count, &written) == 1
            && written == tag.count
        }
      }
    }
    guard done else { throw .cryptography }
    return tag
  }

  private static func digestName(_ algorithm: HashAlgorithm) -> StaticString {
    switch algorithm {
    case .sha1: "SHA1"
    case .sha256: "SHA2-256"
    case .sha512: "SHA2-512"
    }
  }
}

extension StaticString {
  /// The string as a C string.
  fileprivate var cString: UnsafePointer<CChar> {
    // SAFETY: the bytes of a StaticString are NUL-terminated and never deallocated.
    unsafe UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
