public import FactorStore
public import Factors
public import OneTimePassword
import Secrets
public import System

/// Taking over a factor that another program made. `mfa-enroll import` and `mfa-admin import` both go
/// through here.
///
/// MUST 1: a user has a key once, however its codes are made: one of its codes of eight digits tells
/// the one of six. (`ImportingTests.oneKeyOnce`)
/// MUST 2: no code that was used is accepted again; where nobody knows which were, none up to now is.
/// (`ImportingTests.usedCodes`)
/// MUST 3: what cannot be written down, all of it, is not imported. (`ImportingTests.notWritten`, and
/// Tests/Faults)
public enum Importing {
  /// What the other program knew of a factor, apart from its secrets.
  public struct Description: Sendable {
    /// What the factor is to be called.
    public let displayName: DisplayName
    /// How its codes are made.
    public let parameters: TOTPParameters
    /// How far its authenticator's clock is ahead of this machine's, in time steps.
    public let timeOffset: Int32
    /// The latest time step whose code was used; nil for the present one.
    public let usedUntil: Int64?

    /// Puts a description together.
    public init(
      displayName: DisplayName, parameters: TOTPParameters, timeOffset: Int32, usedUntil: Int64?
    ) {
      self.displayName = displayName
      self.parameters = parameters
      self.timeOffset = timeOffset
      self.usedUntil = usedUntil
    }
  }

  /// What came of it.
  public enum Result: Equatable, Sendable {
    /// It was imported; so many of its recovery codes found no room.
    case imported(Factor, recoveryCodesDropped: Int, LedgerMark?)
    /// This factor has the key already.
    case present(Factor)
    /// The record does not take it.
    case refused(FactorRecord.ChangeRefusal)
  }

  /// The length of a recovery code in digits.
  public static let recoveryCodeLength = 8

  /// Imports a factor for `account` at `now` (seconds since the epoch), asked for by `actor`,
  /// of whom the notice says `source`.
  ///
  /// `attempts` is the attempt state to go on from. The user has used the factor, so no code confirms
  /// it. `recoveryCodes` are those that were not used,
  /// `recoveryCodeLength` digits each, one behind the other; they go behind those that are there.
  public static func add<Entry: FactorStoreEntry>(
    _ description: Description, key: Span<UInt8>, recoveryCodes: Span<UInt8>, to entry: Entry,
    of account: Account, attempts: AttemptState, now: Int64, from source: Source,
    by actor: LedgerEvent.Actor
  ) throws(FactorStoreError) -> Result {
    if let hindrance = try hindrance(to: key, in: entry) { return hindrance }
    var record = try entry.keptOrNew(for: account)
    let attempts = entry.record == nil ? attempts.beginning(record) : attempts
    let factor = try factor(description, key, at: now, in: record, entry)
    do throws(FactorRecord.ChangeRefusal) {
      try record.add(factor)
    } catch {
      return .refused(error)
    }
    let codes = try digests(of: recoveryCodes, in: record, entry)
    record.setRecoveryCodes(codes)
    record.note(
      .imported, factor.displayName.utf8, about: record.subject(of: factor.id), from: source,
      at: now)
    let present = factor.parameters.step(at: factor.clock(at: now))
    let mark = try entry.replace(
      record: record,
      attempts: attempts.keeping(record).adding(
        factor.id, confirmedAt: description.usedUntil ?? present),
      entering: LedgerEvent(.imported, factor, by: actor, at: now))
    return .imported(
      factor, recoveryCodesDropped: codes.count - record.recoveryCodes.count, mark)
  }

  /// Why a key cannot be imported, whatever its factor is to be called; nil where it can.
  public static func hindrance<Entry: FactorStoreEntry>(
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

  /// Whether two keys make the same codes: HMAC fills a short one up with zeros (RFC 2104, section 2).
  public static func isSame(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
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

  /// What is kept of the record's recovery codes and of `codes` behind them, each once.
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
    do throws(CryptographyError) {
      return try FactorID.generate()
    } catch {
      throw .cryptography
    }
  }
}
