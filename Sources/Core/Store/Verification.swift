import MFABase
import MFACrypto
import MFAModel

/// The comparison of a typed code with a factor.
package enum Verification {
  /// Returns the latest time step in the window at `now` (seconds since the epoch) whose code is
  /// `code`, or nil.
  ///
  /// Every time step is computed and compared, regardless of matches and of the length of the code,
  /// so that the duration reveals nothing. `adjacentIntervals`, 0 to 10, is the number of time
  /// steps accepted before and after the current one.
  ///
  /// - Throws: `SystemError` if libcrypto fails.
  @export(interface)
  package static func latestMatch(
    of code: Code, secret: Span<UInt8>, parameters: TOTPParameters, now: Int64,
    adjacentIntervals: UInt8
  ) throws(SystemError) -> Int64? {
    guard let window = parameters.window(at: now, adjacentIntervals: adjacentIntervals) else {
      return nil
    }
    var hotp = try HOTP(secret: secret, algorithm: parameters.algorithm)
    // One more than the offset of the latest match in the window, or 0 if there is no match yet.
    var found: UInt32 = 0
    var offset: UInt32 = 0
    var step = window.lowerBound
    while step <= window.upperBound {
      let expected = try hotp.code(at: UInt64(bitPattern: step), digits: parameters.codeLength)
      let mask = expected.mask(equals: code)
      offset &+= 1
      found = (offset & mask) | (found & ~mask)
      step &+= 1
    }
    return found == 0 ? nil : window.lowerBound &+ Int64(found) &- 1
  }
}

/// HOTP (RFC 4226): one-time passwords from a shared secret and a counter.
///
/// One value computes the codes of one secret for any number of counters, so that the key is set up
/// only once.
package struct HOTP: ~Copyable {
  private var authentication: HMAC

  /// Sets up `secret` for `algorithm`. RFC 4226 defines only SHA-1; RFC 6238, section 1.2, adds
  /// SHA-256 and SHA-512.
  package init(secret: Span<UInt8>, algorithm: HashAlgorithm) throws(SystemError) {
    authentication = try HMAC(algorithm: algorithm, key: secret)
  }

  /// Returns the code at `counter` with `digits` decimal digits (RFC 4226, section 5.3).
  @export(interface)
  package mutating func code(
    at counter: UInt64, digits: CodeLength
  ) throws(SystemError) -> Code {
    var message: InlineArray<8, UInt8> = .init(repeating: 0)
    for index in message.indices {
      message[index] = UInt8(truncatingIfNeeded: counter >> UInt64(56 &- 8 &* index))
    }
    let tag = try authentication.tag(of: message.span)
    guard let value = Self.truncate(tag.span) else {
      throw .cryptography
    }
    return Code(value: value % digits.modulus, length: digits)
  }

  /// Returns the 31 bits selected by dynamic truncation (RFC 4226, section 5.3, step 2). Returns
  /// nil for a tag that is too short, which no supported hash function generates.
  private static func truncate(_ tag: Span<UInt8>) -> UInt32? {
    guard !tag.isEmpty else { return nil }
    let offset = Int(tag[tag.count &- 1] & 0x0F)
    var reader = ByteReader(tag.part(from: offset, count: 4))
    return reader.read(UInt32.self).map { $0 & 0x7FFF_FFFF }
  }
}

extension FactorID {
  /// Returns a new identifier: 16 random bytes.
  package static func generate() throws(SystemError) -> FactorID {
    guard let id = FactorID(bytes: try randomBytes(count: length)) else {
      throw .cryptography
    }
    return id
  }
}
