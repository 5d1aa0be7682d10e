import MFABase
import MFACrypto
import MFAModel

// What a record has sealed, opened and sealed with another key.
extension FactorRecord {
  /// Opens a factor's sealed secret or phone number. What does not open is damaged.
  package func secret(
    of factor: Factor, _ key: inout SealingKey
  ) throws(FactorStoreError) -> SecretBytes {
    let associated = associatedData(factor: factor.id, parameters: factor.parameters)
    let opened = try cryptographic { () throws(SystemError) in
      try key.open(factor.sealed, associated: associated)
    }
    guard let opened else { throw .damaged(.record) }
    return opened
  }

  /// Opens the keys of a record whose digests were made with an earlier key. Returns nil if they were
  /// made with the present one.
  func digestKeys(_ key: inout SealingKey) throws(FactorStoreError) -> SecretBytes? {
    guard let sealedDigestKeys else { return nil }
    let opened = try cryptographic { () throws(SystemError) in
      try key.open(sealedDigestKeys, associated: digestKeysContext())
    }
    guard let opened else { throw .damaged(.record) }
    return opened
  }

  /// Returns the record with its secrets sealed with `next`, and with digests that can be verified with
  /// it: see `SealingKey.newDigestKeys`.
  func resealed(
    from present: inout SealingKey, to next: inout SealingKey
  ) throws(FactorStoreError) -> FactorRecord {
    var content = Resealed(
      secrets: [], recoveryCodes: recoveryCodes.map { $0.bytes }, grants: grants.map { $0.digest },
      digestKeys: nil)
    for factor in factors {
      let secret = try secret(of: factor, &present)
      let associated = associatedData(factor: factor.id, parameters: factor.parameters)
      content.secrets.append(
        try cryptographic { () throws(SystemError) in
          try next.seal(secret.span, associated: associated)
        })
    }
    if !recoveryCodes.isEmpty || !grants.isEmpty {
      if let kept = try digestKeys(&present) {
        content.digestKeys = try sealed(kept, &next)
      } else {
        let made = try cryptographic { () throws(SystemError) in
          try present.newDigestKeys()
        }
        try Self.renew(&content.recoveryCodes, through: made)
        try Self.renew(&content.grants, through: made)
        content.digestKeys = try sealed(made, &next)
      }
    }
    guard let resealed = resealed(content) else { throw .damaged(.record) }
    return resealed
  }

  /// The digests of a record's recovery codes in a form that another store can verify.
  package struct PortableDigests: ~Copyable {
    /// The digests, in the order of the record.
    package let digests: [[UInt8]]
    /// The keys with which they are verified, and the record that they are bound to: its uid and its id.
    package let keys: SecretBytes
  }

  /// The length of `PortableDigests.keys` in bytes.
  package static var portableKeysLength: Int { SealingKey.digestKeysLength + 4 + FactorID.length }

  /// Returns the digests of the recovery codes for the store of another host or realm. The keys verify the
  /// digests of every user of this store, and must be kept secret.
  func portableDigests(_ key: inout SealingKey) throws(FactorStoreError) -> PortableDigests {
    var digests = recoveryCodes.map { $0.bytes }
    let keys = try portableKeys(renewing: &digests, &key)
    return PortableDigests(digests: digests, keys: keys)
  }

  /// Returns the keys with which digests of this record are verified in another record, and the record that they are
  /// bound to. Digests that were made with the present key are renewed.
  private func portableKeys(
    renewing digests: inout [[UInt8]], _ key: inout SealingKey
  ) throws(FactorStoreError) -> SecretBytes {
    let kept: SecretBytes
    if let digestKeys = try digestKeys(&key) {
      // Codes that were imported before are bound to the record that they came from.
      guard digestKeys.count == SealingKey.digestKeysLength else { return digestKeys }
      kept = digestKeys
    } else {
      kept = try cryptographic { () throws(SystemError) in try key.newDigestKeys() }
      try Self.renew(&digests, through: kept)
    }
    var writer = ByteWriter()
    writer.write(uid)
    writer.write(id.bytes)
    return SecretBytes(joining: kept.span, writer.bytes.span)
  }

  /// Returns a digest of a recovery code, also if the codes of this record were made for another one, from
  /// which they were imported.
  package func digest(
    ofImported recoveryCode: Span<UInt8>, kind: RecoveryCodeDigest.Kind, _ key: inout SealingKey
  ) throws(FactorStoreError) -> RecoveryCodeDigest {
    guard let digestKeys = try digestKeys(&key) else {
      return try digest(of: recoveryCode, kind: kind, &key)
    }
    let context = [kind.rawValue] + (origin(of: digestKeys) ?? recoveryCodeContext())
    let bytes = try cryptographic { () throws(SystemError) in
      try SealingKey.digest(of: recoveryCode, context: context, through: digestKeys)
    }
    guard let digest = RecoveryCodeDigest(kind: kind, bytes: bytes) else { throw .cryptography }
    return digest
  }

  /// Returns the record for another name or uid of its user, in the same store.
  package func resealed(
    for user: UserName, uid: UInt32, _ key: inout SealingKey
  ) throws(FactorStoreError) -> FactorRecord {
    let renamed = renamed(to: user, uid: uid)
    var content = Resealed(secrets: [], recoveryCodes: [], grants: [], digestKeys: nil)
    for factor in factors {
      let secret = try secret(of: factor, &key)
      content.secrets.append(
        try renamed.seal(secret.span, for: factor.id, parameters: factor.parameters, &key))
    }
    var digests = recoveryCodes.map { $0.bytes } + grants.map { $0.digest }
    if !digests.isEmpty {
      let keys = try namedKeys(renewing: &digests, &key)
      content.digestKeys = try renamed.seal(digestKeys: keys.span, &key)
    }
    content.recoveryCodes = Array(digests.prefix(recoveryCodes.count))
    content.grants = Array(digests.dropFirst(recoveryCodes.count))
    guard let resealed = renamed.resealed(content) else { throw .damaged(.record) }
    return resealed
  }

  /// Returns what `portableKeys` returns, with the name that the digests are bound to.
  private func namedKeys(
    renewing digests: inout [[UInt8]], _ key: inout SealingKey
  ) throws(FactorStoreError) -> SecretBytes {
    let keys = try portableKeys(renewing: &digests, &key)
    var writer = ByteWriter()
    // A user who was renamed before keeps the first name there.
    if keys.count == Self.portableKeysLength { writer.writeShort(user.bytes) }
    return SecretBytes(joining: keys.span, writer.bytes.span)
  }

  /// Returns the context of digests that were made for another record, or nil if they were made for this one.
  private func origin(of digestKeys: borrowing SecretBytes) -> [UInt8]? {
    var reader = ByteReader(digestKeys.span.extracting(droppingFirst: SealingKey.digestKeysLength))
    guard let uid = reader.read(UInt32.self),
      let id = reader.read(count: FactorID.length).flatMap({ FactorID(bytes: $0) })
    else { return nil }
    // There is a name only if a realm has renamed the user: see `namedKeys`.
    let name = reader.readShort().flatMap { UserName($0) }
    return FactorRecord(user: name ?? user, uid: uid, id: id).recoveryCodeContext()
  }

  /// Seals keys of digests. Only this record opens them.
  package func seal(
    digestKeys: Span<UInt8>, _ key: inout SealingKey
  ) throws(FactorStoreError) -> [UInt8] {
    try cryptographic { () throws(SystemError) in
      try key.seal(digestKeys, associated: digestKeysContext())
    }
  }

  private func sealed(
    _ digestKeys: borrowing SecretBytes, _ next: inout SealingKey
  ) throws(FactorStoreError) -> [UInt8] {
    try seal(digestKeys: digestKeys.span, &next)
  }

  private static func renew(
    _ digests: inout [[UInt8]], through digestKeys: borrowing SecretBytes
  ) throws(FactorStoreError) {
    for index in digests.indices {
      digests[index] = try cryptographic { () throws(SystemError) in
        try SealingKey.renewed(digests[index], through: digestKeys)
      }
    }
  }
}
