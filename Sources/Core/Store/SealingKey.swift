import MFABase
import MFACrypto
import MFAModel

/// The keys derived from /etc/mfa/key: one seals secrets, the other authenticates records, attempt
/// states and the audit log.
///
/// While the key is being changed, there are two: everything is verified with either. Which of them
/// seals depends on `select`; until it is called, the next key does.
///
/// MUST 1: the file has 32 bytes and mode 0400, and belongs to root or to the store's owner.
/// (`LocalFactorStoreTests.distrusted`, rows 19 to 23)
package struct SealingKey: ~Copyable {
  /// The length of the key file in bytes.
  package static let length = 32
  /// The length of `identity` in bytes.
  package static let identityLength = 8

  /// The keys of the file that seals.
  private var keys: DerivedKeys
  /// The keys of the other file, while the key is being changed.
  private var others: DerivedKeys?

  /// Derives the keys from the 32 bytes of the key file.
  package init(master: Span<UInt8>) throws(SystemError) {
    self.init(try Self.derivedKeys(master), nil)
  }

  /// Derives the keys from the next key and the present one.
  init(next: Span<UInt8>, present: Span<UInt8>) throws(SystemError) {
    self.init(try Self.derivedKeys(next), try Self.derivedKeys(present))
  }

  private static func derivedKeys(_ master: Span<UInt8>) throws(SystemError) -> DerivedKeys {
    var derivation = try HMAC(algorithm: .sha256, key: master)
    let checksumKey = try checksumKey(&derivation)
    return DerivedKeys(derivation, try HMAC(algorithm: .sha256, key: checksumKey.span))
  }

  private static func checksumKey(_ derivation: inout HMAC) throws(SystemError) -> SecretBytes {
    try derive("mfa checksum key, version 1", &derivation)
  }

  private init(_ keys: DerivedKeys, _ others: DerivedKeys?) {
    self.keys = keys
    self.others = others
  }

  /// Returns another value for the same keys, which are wiped when the last value ends.
  package func shared() -> SealingKey { SealingKey(keys, others) }

  /// Whether the key is being changed, so that there are two.
  package var isChanging: Bool { others != nil }

  /// Returns a value that identifies the key without revealing it.
  package mutating func identity() throws(SystemError) -> [UInt8] {
    try Self.identity(keys)
  }

  private static func identity(_ keys: DerivedKeys) throws(SystemError) -> [UInt8] {
    let name = try derive("mfa key identity, version 1", &keys.derivation)
    return name.span.extracting(0..<identityLength).copied()
  }

  /// Seals with the key of this identity from now on, if it is one of the two.
  package mutating func select(_ identity: [UInt8]) throws(SystemError) {
    guard let others, try Self.identity(others) == identity else { return }
    (keys, self.others) = (others, keys)
  }

  /// Derives the key that seals secrets. It is derived on demand, because most records are read for
  /// other purposes.
  private mutating func sealingKey() throws(SystemError) -> SecretBytes {
    try Self.derive("mfa sealing key, version 1", &keys.derivation)
  }

  /// Reads the key file, and the file with the next key if there is one.
  ///
  /// The next key is read first. If it takes the place of the present one meanwhile, it is read
  /// twice. In the other order, neither reading would find it.
  package init(_ keyFile: KeyFile, storeOwner: UInt32) throws(FactorStoreError) {
    let next = try Self.master(ofNext: keyFile, storeOwner)
    let present = try Self.master(try keyFile.open(storeOwner: storeOwner), storeOwner)
    do throws(SystemError) {
      if let next {
        try self.init(next: next.span, present: present.span)
      } else {
        try self.init(master: present.span)
      }
    } catch {
      throw .cryptography
    }
  }

  private static func master(
    ofNext keyFile: KeyFile, _ storeOwner: UInt32
  ) throws(FactorStoreError) -> SecretBytes? {
    guard let file = try keyFile.openNext(storeOwner: storeOwner) else { return nil }
    return try master(file, storeOwner)
  }

  /// Returns the content of the file with the present key.
  package static func master(
    _ keyFile: KeyFile, storeOwner: UInt32
  ) throws(FactorStoreError) -> SecretBytes {
    try master(try keyFile.open(storeOwner: storeOwner), storeOwner)
  }

  private static func master(
    _ file: borrowing File, _ storeOwner: UInt32
  ) throws(FactorStoreError) -> SecretBytes {
    let status = try onPart(.key) { () throws(SystemError) in try file.status() }
    // A present key that was replaced after it was opened is one of the two: the next key is read
    // first.
    if let distrust = status.distrust(
      owners: (0, storeOwner), permissions: 0o400, mayBeReplaced: true)
    {
      throw .untrusted(.key, distrust)
    }
    guard status.size == Int64(length) else { throw .untrusted(.key, .wrongSize) }
    var master = SecretBytes(count: length)
    let whole = try onPart(.key) { () throws(SystemError) in
      try master.withMutableSpan { span throws(SystemError) in try file.read(into: &span) }
    }
    guard whole else { throw .untrusted(.key, .wrongSize) }
    return master
  }

  private static func derive(
    _ label: StaticString, _ derivation: inout HMAC
  ) throws(SystemError) -> SecretBytes {
    try derivation.tag(of: label.bytes.span)
  }

  /// The length of a checksum in bytes.
  package static let checksumLength = 32

  /// Returns the checksum of `message`. `purpose` separates the uses: the checksum of a record is
  /// not valid for an attempt state.
  package mutating func checksum(of message: [UInt8], purpose: ChecksumPurpose)
    throws(SystemError)
    -> [UInt8]
  {
    let tag = try keys.checksum.tag(of: ([purpose.rawValue] + message).span)
    return tag.span.copied()
  }

  /// Returns whether `checksum` is that of `message`, with either key if there are two.
  package mutating func verifies(
    _ checksum: Span<UInt8>, of message: [UInt8], purpose: ChecksumPurpose
  ) throws(SystemError) -> Bool {
    let message = [purpose.rawValue] + message
    let tag = try keys.checksum.tag(of: message.span)
    if constantTimeEquals(checksum, tag.span) { return true }
    guard let others else { return false }
    let other = try others.checksum.tag(of: message.span)
    return constantTimeEquals(checksum, other.span)
  }

  /// Returns a keyed digest of a secret that is too short for an unkeyed digest: without this key,
  /// the digest reveals nothing about the secret.
  package mutating func digest(
    of secret: Span<UInt8>, context: [UInt8], purpose: ChecksumPurpose = .recoveryCode
  ) throws(SystemError) -> [UInt8] {
    let message = SecretBytes(joining: ([purpose.rawValue] + context).span, secret)
    let tag = try keys.checksum.tag(of: message.span)
    return tag.span.copied()
  }

  /// The length of each of the two digest keys of a record, in bytes.
  private static var digestKeyLength: Int { HashAlgorithm.sha256.outputLength }
  /// The length of the digest keys of a record in bytes. What follows them is no key.
  package static var digestKeysLength: Int { 2 * digestKeyLength }

  /// Returns the keyed digest of a secret for a record whose digests outlived the key that they were
  /// made with: see `newDigestKeys`.
  package static func digest(
    of secret: Span<UInt8>, context: [UInt8], through digestKeys: borrowing SecretBytes
  ) throws(SystemError) -> [UInt8] {
    let first = digestKeys.span.extracting(first: digestKeyLength)
    var inner = SealingKey(
      DerivedKeys(
        try HMAC(algorithm: .sha256, key: first), try HMAC(algorithm: .sha256, key: first)), nil)
    let digest = try inner.digest(of: secret, context: context)
    return try renewed(digest, through: digestKeys)
  }

  /// Returns a stored digest of the earlier key as it is stored from now on.
  package static func renewed(
    _ digest: [UInt8], through digestKeys: borrowing SecretBytes
  ) throws(SystemError) -> [UInt8] {
    let rest = digestKeys.span.extracting(droppingFirst: digestKeyLength)
    var outer = try HMAC(algorithm: .sha256, key: rest.extracting(first: digestKeyLength))
    let tag = try outer.tag(of: digest.span)
    return tag.span.copied()
  }

  /// Returns the keys with which the digests of a record are verified after the key has changed: the
  /// key that made them, and a random one.
  ///
  /// What a digest was made of is not known, so no other key can make it again. A digest is digested
  /// once more instead, with the random key: without the record's own keys, which are sealed, an
  /// attacker with the earlier key cannot try recovery codes. Later changes of the key seal the
  /// record's keys again, and leave the digests as they are.
  package mutating func newDigestKeys() throws(SystemError) -> SecretBytes {
    let first = try Self.checksumKey(&keys.derivation)
    let second = try SecretBytes.random(count: Self.digestKeyLength)
    return SecretBytes(joining: first.span, second.span)
  }

  /// Returns digests of `places`, bound to `record`.
  package mutating func digests(
    of places: [SignInOrigin], in record: FactorRecord
  ) throws(FactorStoreError) -> [SignInOriginDigest] {
    var digests: [SignInOriginDigest] = []
    for place in places {
      let message = record.recoveryCodeContext() + [place.kind.rawValue] + place.identity
      let bytes = try cryptographic { () throws(SystemError) in
        try checksum(of: message, purpose: .signInOrigin)
      }
      guard let digest = SignInOriginDigest(place.kind, bytes: bytes) else { throw .cryptography }
      digests.append(digest)
    }
    return digests
  }

  /// Seals a secret together with data that stays readable (AES-256-GCM).
  package mutating func seal(
    _ secret: Span<UInt8>, associated: [UInt8]
  ) throws(SystemError) -> [UInt8] {
    let key = try sealingKey()
    return try AES256GCM.seal(secret, key: key.span, associated: associated.span)
  }

  /// Opens what `seal` returned. Returns nil if any byte of it or of the associated data differs.
  package mutating func open(
    _ sealed: [UInt8], associated: [UInt8]
  ) throws(SystemError) -> SecretBytes? {
    let key = try sealingKey()
    return AES256GCM.open(sealed.span, key: key.span, associated: associated.span)
  }

  /// Seals a continuation, with a key of its own.
  package mutating func seal(
    continuation: Span<UInt8>, binding: [UInt8]
  ) throws(FactorStoreError) -> [UInt8] {
    try cryptographic { () throws(SystemError) in
      let key = try continuationKey()
      return try AES256GCM.seal(continuation, key: key.span, associated: binding.span)
    }
  }

  /// Opens a continuation. Returns nil if any byte differs, or if it was sealed with another key.
  package mutating func open(
    continuation: [UInt8], binding: [UInt8]
  ) throws(FactorStoreError) -> SecretBytes? {
    try cryptographic { () throws(SystemError) in
      let key = try continuationKey()
      return AES256GCM.open(continuation.span, key: key.span, associated: binding.span)
    }
  }

  /// Derives 32 bytes for a new factor's secret, which are the same for the same binding.
  package mutating func enrollmentSecret(
    binding: [UInt8]
  ) throws(FactorStoreError) -> SecretBytes {
    try cryptographic { () throws(SystemError) in
      let key = try Self.derive("mfa enrolment key, version 1", &keys.derivation)
      var derivation = try HMAC(algorithm: .sha256, key: key.span)
      return try derivation.tag(of: binding.span)
    }
  }

  private mutating func continuationKey() throws(SystemError) -> SecretBytes {
    try Self.derive("mfa continuation key, version 1", &keys.derivation)
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

/// The uses of the checksum key. Each use has its own number, which is part of the message, so that
/// a checksum for one use is never valid for another.
package enum ChecksumPurpose: UInt8, Sendable {
  case record = 1
  case attemptState = 2
  case recoveryCode = 3
  case auditLogEntry = 4
  case auditLogHead = 5
  /// The fingerprint by which the audit log names a record.
  case recordFingerprint = 6
  /// The address or session that a sign-in is remembered from.
  case signInOrigin = 7
  case auditLogIndexPage = 8
  /// The last code that a user typed.
  case failedCode = 9
  /// The part of the audit log that was written with an earlier key.
  case auditLogEarlierPart = 10
  /// The files of a backup.
  case backup = 11
  /// The phone numbers to which messages were sent.
  case phoneNumber = 12
  /// The list of messages to phones.
  case sendLog = 13
  /// A code that was sent to a phone.
  case sentCode = 14
  /// The attempt state of a user in a shared store.
  case sharedAttemptState = 15
  /// The end of the audit log of a shared store.
  case sharedAuditLogEnd = 16
  /// The result that a shared store returns again for a repeated request.
  case sharedAnswer = 17
  /// A host of a realm.
  case realmHost = 18
  /// A ticket with which a host joins a realm.
  case hostTicket = 19
  /// When a host or a verifier of a realm was seen last.
  case lastSeen = 24
  /// The entry of a user in the directory service.
  case directoryEntry = 25
  /// The user of an entry in the directory service.
  case directoryUser = 26
  /// The hosts that have reported the entry of a user in the directory service.
  case directoryReports = 27
  /// The offline recovery codes of a user.
  case offlineCodes = 32
  /// How far the offline queue of a host was reported.
  case offlineQueue = 33
  /// What a host may keep about a user.
  case offlinePermit = 34
  /// What /etc/mfa/identity says about the local store.
  case storeIdentity = 35
}

/// The sealing key, which is read again when its files have changed.
///
/// MUST 1: a key that was replaced is in use at the next `read`. (`StoreCacheTests`)
package final class CachedKey {
  private let path: TrustedPath
  private let owner: UInt32
  /// Whether the key is kept in memory once it has been read. An application must not keep it: a
  /// prompt can last for minutes.
  private let keepsKey: Bool
  /// The location of the key file, once the key has been read.
  private var keyFile: KeyFile?
  private var keptKey: SealingKey?
  /// The version of the key's files that `keptKey` was read from.
  private var keptKeyVersion: KeyFile.Version?

  /// Creates a cache for the key at `path`, which belongs to `owner`. Nothing is read yet.
  package init(_ path: TrustedPath, owner: UInt32, keepsKey: Bool) {
    self.path = path
    self.owner = owner
    self.keepsKey = keepsKey
  }

  /// Returns the key, and reads it if necessary.
  package func read() throws(FactorStoreError) -> SealingKey {
    let file = try file()
    guard keepsKey else { return try SealingKey(file, storeOwner: owner) }
    let version = try file.version()
    if version == keptKeyVersion, let key = keptKey?.shared() { return key }
    keptKey = nil
    keptKeyVersion = nil
    let time = Clock.nanoseconds()
    let key = try SealingKey(file, storeOwner: owner)
    // A younger version may become that of another key, so it is no better than none.
    if version.isOld(at: time) {
      keptKey = key.shared()
      keptKeyVersion = version
    }
    return key
  }

  /// Returns the location of the key file, whose directories have been checked.
  package func file() throws(FactorStoreError) -> KeyFile {
    if let keyFile { return keyFile }
    let file = try KeyFile(path)
    keyFile = file
    return file
  }
}
