import MFABytes
import MFACrypto
import MFAFactors
import MFASecrets
import MFASystem

/// The keys derived from /etc/mfa/key: one seals secrets, the other authenticates records, attempt
/// states and the audit log.
///
/// MUST 1: the file has 32 bytes and mode 0400, and belongs to root or to the store's owner.
/// (`LocalFactorStoreTests.distrusted`, rows 19 to 23)
public struct SealingKey: ~Copyable {
  /// The length of the key file in bytes.
  public static let length = 32
  /// The length of `identity` in bytes.
  public static let identityLength = 8

  private let keys: DerivedKeys

  /// Derives the keys from the 32 bytes of the key file.
  public init(master: Span<UInt8>) throws(CryptographyError) {
    var derivation = try HMAC(algorithm: .sha256, key: master)
    let checksumKey = try Self.derive("mfa checksum key, version 1", &derivation)
    keys = DerivedKeys(derivation, try HMAC(algorithm: .sha256, key: checksumKey.span))
  }

  private init(_ keys: DerivedKeys) { self.keys = keys }

  /// Returns another value for the same keys, which are wiped when the last value ends.
  public func shared() -> SealingKey { SealingKey(keys) }

  /// Returns a value that identifies the key without revealing it.
  public mutating func identity() throws(CryptographyError) -> [UInt8] {
    let name = try Self.derive("mfa key identity, version 1", &keys.derivation)
    return name.span.extracting(0..<Self.identityLength).copied()
  }

  /// Derives the key that seals secrets. It is derived on demand, because most records are read for
  /// other purposes.
  private mutating func sealingKey() throws(CryptographyError) -> SecretBytes {
    try Self.derive("mfa sealing key, version 1", &keys.derivation)
  }

  /// Reads the key file.
  public init(_ keyFile: KeyFile, storeOwner: UInt32) throws(FactorStoreError) {
    let file = try keyFile.open(storeOwner: storeOwner)
    let status = try onPart(.key) { () throws(SystemError) in try file.status() }
    if let distrust = status.distrust(owners: (0, storeOwner), permissions: 0o400) {
      throw .untrusted(.key, distrust)
    }
    guard status.size == Int64(Self.length) else { throw .untrusted(.key, .wrongSize) }
    var master = SecretBytes(count: Self.length)
    let whole = try onPart(.key) { () throws(SystemError) in
      try master.withMutableSpan { span throws(SystemError) in try file.read(into: &span) }
    }
    guard whole else { throw .untrusted(.key, .wrongSize) }
    do throws(CryptographyError) { try self.init(master: master.span) } catch {
      throw .cryptography
    }
  }

  private static func derive(
    _ label: StaticString, _ derivation: inout HMAC
  ) throws(CryptographyError) -> SecretBytes {
    try derivation.tag(of: label.bytes.span)
  }

  /// The length of a checksum in bytes.
  public static let checksumLength = 32

  /// Returns the checksum of `message`. `purpose` separates the uses: the checksum of a record is
  /// not valid for an attempt state.
  public mutating func checksum(of message: [UInt8], purpose: ChecksumPurpose)
    throws(CryptographyError)
    -> [UInt8]
  {
    let tag = try keys.checksum.tag(of: ([purpose.rawValue] + message).span)
    return tag.span.copied()
  }

  /// Returns a keyed digest of a secret that is too short for an unkeyed digest: without this key,
  /// the digest reveals nothing about the secret.
  public mutating func digest(
    of secret: Span<UInt8>, context: [UInt8], purpose: ChecksumPurpose = .recoveryCode
  ) throws(CryptographyError) -> [UInt8] {
    var message = SecretBytes(count: 1 + context.count + secret.count)
    message.withMutableSpan { message in
      message[0] = purpose.rawValue
      for index in context.indices { message[1 + index] = context[index] }
      for index in secret.indices { message[1 + context.count + index] = secret[index] }
    }
    let tag = try keys.checksum.tag(of: message.span)
    return tag.span.copied()
  }

  /// Returns digests of `places`, bound to `record`.
  public mutating func digests(
    of places: [SignInOrigin], in record: FactorRecord
  ) throws(FactorStoreError) -> [SignInOriginDigest] {
    var digests: [SignInOriginDigest] = []
    for place in places {
      let message = record.recoveryCodeContext() + [place.kind.rawValue] + place.identity
      let bytes: [UInt8]
      do throws(CryptographyError) {
        bytes = try checksum(of: message, purpose: .signInOrigin)
      } catch {
        throw .cryptography
      }
      guard let digest = SignInOriginDigest(place.kind, bytes: bytes) else { throw .cryptography }
      digests.append(digest)
    }
    return digests
  }

  /// Seals a secret together with data that stays readable (AES-256-GCM).
  public mutating func seal(
    _ secret: Span<UInt8>, associated: [UInt8]
  ) throws(CryptographyError) -> [UInt8] {
    let key = try sealingKey()
    return try AES256GCM.seal(secret, key: key.span, associated: associated.span)
  }

  /// Opens what `seal` returned. Returns nil if any byte of it or of the associated data differs.
  public mutating func open(
    _ sealed: [UInt8], associated: [UInt8]
  ) throws(CryptographyError) -> SecretBytes? {
    let key = try sealingKey()
    return AES256GCM.open(sealed.span, key: key.span, associated: associated.span)
  }
}

/// The keys of one or several values of `SealingKey`.
private final class DerivedKeys {
  var derivation: HMAC
  var checksum: HMAC

  init(_ derivation: consuming HMAC, _ checksum: consuming HMAC) {
    self.derivation = derivation
    self.checksum = checksum
  }
}
