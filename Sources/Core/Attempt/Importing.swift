import MFAStore
import MFACrypto
import MFAModel
import MFABase

/// Import of a factor from another program. Both `mfa-enroll import` and `mfa-admin import` use it.
///
/// MUST 1: a user has each key only once, whatever its parameters: a code of eight digits reveals
/// the code of six digits for the same key. (`ImportingTests.oneKeyOnce`)
/// MUST 2: a used code is never accepted again. If the used codes are unknown, no code up to the
/// current one is accepted. (`ImportingTests.usedCodes`)
/// MUST 3: a factor that cannot be written completely is not imported.
/// (`ImportingTests.notWritten`, and Tests/Faults)
package enum Importing {
  /// What the other program knew about a factor, apart from its secrets.
  package struct Description: Sendable {
    /// The name of the new factor.
    package let displayName: DisplayName
    /// The parameters of its codes.
    package let parameters: TOTPParameters
    /// How far the authenticator's clock is ahead of this host's, in time steps.
    package let timeOffset: Int32
    /// The latest time step whose code was used, or nil to use the current one.
    package let usedUntil: Int64?

    /// Creates a description.
    package init(
      displayName: DisplayName, parameters: TOTPParameters, timeOffset: Int32, usedUntil: Int64?
    ) {
      self.displayName = displayName
      self.parameters = parameters
      self.timeOffset = timeOffset
      self.usedUntil = usedUntil
    }
  }

  /// The result of an import.
  package enum Result: Equatable, Sendable {
    /// The factor was imported. `recoveryCodesDropped` of its recovery codes were left out, because
    /// the record had no room for them.
    case imported(Factor, recoveryCodesDropped: Int, AuditLogCheckpoint?)
    /// This factor already has the key.
    case present(Factor)
    /// The record does not accept the factor.
    case refused(FactorRecord.ChangeRefusal)
  }

  /// The length of a recovery code in digits.
  package static let recoveryCodeLength = 8

  /// Imports a factor for the owner of `entry` at `now` (seconds since the epoch). The audit log names
  /// `actor`, and the notice to the user names `source`.
  ///
  /// `attempts` is the attempt state to continue from. No code is needed to confirm the factor,
  /// because the user has already used it. `recoveryCodes` holds the unused recovery codes,
  /// `recoveryCodeLength` digits each, without separators. They are added after those of the
  /// record.
  package static func add<Entry: FactorStoreEntry>(
    _ description: Description, key: Span<UInt8>, recoveryCodes: Span<UInt8>, to entry: Entry,
    attempts: AttemptState, now: Int64, from source: Source,
    by actor: AuditLogEvent.Actor
  ) throws(FactorStoreError) -> Result {
    if let hindrance = try hindrance(to: key, in: entry) { return hindrance }
    var record = try entry.storedRecordOrNew()
    let attempts = entry.record == nil ? attempts.beginning(record) : attempts
    let factor = try factor(description, key, at: now, in: record, entry)
    do throws(FactorRecord.ChangeRefusal) {
      try record.add(factor)
    } catch {
      return .refused(error)
    }
    let codes = try digests(of: recoveryCodes, in: record, entry)
    if codes.count > record.recoveryCodes.count { record.setRecoveryCodes(codes, at: now) }
    record.note(
      .imported, factor.displayName.utf8, about: record.subject(of: factor.id), from: source,
      at: now)
    let present = description.parameters.step(at: factor.clock(at: now))
    let mark = try entry.replace(
      record: record,
      attempts: attempts.keeping(record).adding(
        factor.id, confirmedAt: description.usedUntil ?? present),
      entering: AuditLogEvent(.imported, factor, by: actor, at: now))
    return .imported(
      factor, recoveryCodesDropped: codes.count - record.recoveryCodes.count, mark)
  }

  /// Returns why a key cannot be imported, whatever the name of its factor, or nil if it can.
  package static func hindrance<Entry: FactorStoreEntry>(
    to key: Span<UInt8>, in entry: Entry
  ) throws(FactorStoreError) -> Result? {
    guard let record = entry.record else { return nil }
    for factor in record.factors {
      let secret = try entry.secret(of: factor)
      if isSame(secret.span, key) { return .present(factor) }
    }
    guard record.factors.count < FactorRecord.maximumFactors else {
      return .refused(.tooManyFactors)
    }
    return nil
  }

  /// Returns whether two keys produce the same codes: HMAC pads a short key with zeros (RFC 2104,
  /// section 2).
  package static func isSame(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    let length = max(left.count, right.count)
    let left = filled(left, to: length)
    let right = filled(right, to: length)
    return constantTimeEquals(left.span, right.span)
  }

  private static func filled(_ key: Span<UInt8>, to length: Int) -> SecretBytes {
    var filled = SecretBytes(count: length)
    filled.withMutableSpan { filled in
      for index in key.indices { filled[index] = key[index] }
    }
    return filled
  }

  private static func factor<Entry: FactorStoreEntry>(
    _ description: Description, _ key: Span<UInt8>, at time: Int64, in record: FactorRecord,
    _ entry: Entry
  ) throws(FactorStoreError) -> Factor {
    let id = try randomID()
    let sealed = try entry.seal(key, for: id, parameters: description.parameters, in: record)
    return Factor(
      id: id, displayName: description.displayName, enrolledAt: time,
      kind: .totp(description.parameters, sealedSecret: sealed), origin: .imported,
      timeOffset: description.timeOffset)
  }

  /// Returns the digests of the record's recovery codes followed by those of `codes`, without
  /// duplicates.
  private static func digests<Entry: FactorStoreEntry>(
    of codes: Span<UInt8>, in record: FactorRecord, _ entry: Entry
  ) throws(FactorStoreError) -> [RecoveryCodeDigest] {
    var digests = record.recoveryCodes
    for number in 0..<codes.count / recoveryCodeLength {
      let start = number * recoveryCodeLength
      let code = SecretBytes(copying: codes, in: start..<start + recoveryCodeLength)
      let digest = try entry.digest(of: code.span, kind: .imported, in: record)
      if !digests.contains(digest) { digests.append(digest) }
    }
    return digests
  }

  private static func randomID() throws(FactorStoreError) -> FactorID {
    try cryptographic { () throws(SystemError) in try FactorID.generate() }
  }
}
