import MFACrypto
public import MFAFactors
public import MFASecrets
public import MFAStoreFiles

// What a record has sealed, opened and sealed with another key.
extension FactorRecord {
  /// Opens a factor's sealed secret or phone number. What does not open is damaged.
  public func secret(
    of factor: Factor, _ key: inout SealingKey
  ) throws(FactorStoreError) -> SecretBytes {
    let associated = associatedData(factor: factor.id, parameters: factor.parameters)
    let opened = try cryptographic { () throws(CryptographyError) in
      try key.open(factor.sealed, associated: associated)
    }
    guard let opened else { throw .damaged(.record) }
    return opened
  }

  /// Opens the keys of a record whose digests were made with an earlier key. Returns nil if they were
  /// made with the present one.
  func digestKeys(_ key: inout SealingKey) throws(FactorStoreError) -> SecretBytes? {
    guard let sealedDigestKeys else { return nil }
    let opened = try cryptographic { () throws(CryptographyError) in
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
        try cryptographic { () throws(CryptographyError) in
          try next.seal(secret.span, associated: associated)
        })
    }
    if !recoveryCodes.isEmpty || !grants.isEmpty {
      if let kept = try digestKeys(&present) {
        content.digestKeys = try sealed(kept, &next)
      } else {
        let made = try cryptographic { () throws(CryptographyError) in
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

  private func sealed(
    _ digestKeys: borrowing SecretBytes, _ next: inout SealingKey
  ) throws(FactorStoreError) -> [UInt8] {
    let span = digestKeys.span
    return try cryptographic { () throws(CryptographyError) in
      try next.seal(span, associated: digestKeysContext())
    }
  }

  private static func renew(
    _ digests: inout [[UInt8]], through digestKeys: borrowing SecretBytes
  ) throws(FactorStoreError) {
    for index in digests.indices {
      do throws(CryptographyError) {
        digests[index] = try SealingKey.renewed(digests[index], through: digestKeys)
      } catch {
        throw .cryptography
      }
    }
  }
}
