public import FactorStore
public import Factors
public import OneTimePassword
public import Policy
import Secrets
public import System

/// One guess at a user's code, from lock to verdict. Sign-in, re-authentication and `mfa-enroll test`
/// all go through here.
///
/// MUST 1: the guess is written down before anything is compared. (`AttemptTests.writtenFirst`)
/// MUST 2: every step of every factor is compared with a code, and every recovery code with what may
/// be one. (`AttemptTests.everyFactorIsCompared`, `.everyRecoveryCodeIsCompared`)
/// MUST 3: no verdict leaves before the state that goes with it is on the disk; where that fails,
/// there is an error instead. (`AttemptTests.failedSync`, and Tests/Faults)
/// MUST 4: a recovery code is good once. (`AttemptTests.recoveryCodeIsGoodOnce`)
public enum Attempt {
  /// What a guess came to.
  public enum Result: Sendable {
    case accepted(Factor)
    /// A recovery code was right, and is used up.
    case recovered(Recovery)
    /// Wrong, with how many seconds to wait before the next guess; 0 for none.
    case wrong(wait: Int64)
    case replayed(Factor, wait: Int64)
    /// Nothing was compared.
    case refused(AttemptState.Standing)
    /// No factor of the user's has codes like this; nothing was counted.
    case notACode
    /// There is no factor (any more).
    case notEnrolled
  }

  /// What has become of a recovery code.
  public struct Recovery: Sendable {
    /// How many are left, with `replacement`.
    public let left: Int
    /// The code that takes the used one's place, to be shown to the person.
    public let replacement: RecoveryCode?

    /// Puts the two together.
    public init(left: Int, replacement: RecoveryCode?) {
      self.left = left
      self.replacement = replacement
    }
  }

  /// Makes a guess at `now` (seconds since the epoch). A recovery code that is used up has another
  /// one put in its place where `replacing` says that the person can be shown it. Where a factor is
  /// `named`, its codes alone are right.
  public static func make<Store: FactorStore>(
    _ codes: TypedCodes, by account: Account, in store: Store, settings: Settings,
    now: Int64, factor named: FactorID? = nil, replacing: Bool = false
  ) throws(FactorStoreError) -> Result {
    let entry = try store.entry(of: account, creating: false)
    guard let record = entry.record else { return .notEnrolled }
    guard mayBeCode(codes, of: record) else { return .notACode }

    switch try begin(entry, settings.throttle, now) {
    case .refused(let standing): return .refused(standing)
    case .counted(let counted):
      if named == nil, let spent = try recoveryCode(codes, of: record, entry) {
        return try spend(spent, of: record, counted, entry, replacing: replacing)
      }
      var matches: [AttemptState.Match] = []
      if let any = codes.any {
        for factor in record.factors {
          let step = try latestMatch(
            codes.code(of: factor.parameters.codeLength) ?? any, factor, entry, settings, now)
          if let step { matches.append(AttemptState.Match(factor: factor.id, step: step)) }
        }
      }
      if let named { matches.removeAll { $0.factor != named } }
      let (outcome, state) = counted.judge(matches)
      if state != counted { try entry.write(state) }
      try entry.sync()
      return result(outcome, record, state, settings.throttle)
    }
  }

  /// How an attempt begins, once that is written down.
  private enum Beginning {
    case counted(AttemptState)
    case refused(AttemptState.Standing)
  }

  /// Counts an attempt and writes that down, or refuses it: the one way to a comparison.
  private static func begin<Entry: FactorStoreEntry>(
    _ entry: Entry, _ throttle: ThrottlePolicy, _ now: Int64
  ) throws(FactorStoreError) -> Beginning {
    switch entry.attempts.begin(throttle, now: now) {
    case .refused(let standing, let correction):
      if let correction {
        try entry.write(correction)
        try entry.sync()
      }
      return .refused(standing)
    case .counted(let counted):
      try entry.write(counted)
      return .counted(counted)
    }
  }

  /// Whether an answer may be a code of one of the record's factors, or one of its recovery codes.
  public static func mayBeCode(_ codes: TypedCodes, of record: FactorRecord) -> Bool {
    if record.factors.contains(where: { codes.code(of: $0.parameters.codeLength) != nil }) {
      return true
    }
    return record.recoveryCodes.contains { code in
      switch code.kind {
      case .generated: codes.recoveryCode != nil
      case .imported: codes.code(of: .eight) != nil
      }
    }
  }

  // MARK: Recovery codes

  /// The digest of the record's that an answer has, or nil. All are compared.
  private static func recoveryCode<Entry: FactorStoreEntry>(
    _ codes: TypedCodes, of record: FactorRecord, _ entry: Entry
  ) throws(FactorStoreError) -> RecoveryCodeDigest? {
    guard !record.recoveryCodes.isEmpty else { return nil }
    var typed: [RecoveryCodeDigest] = []
    if let code = codes.recoveryCode {
      let bytes = code.bytes()
      typed.append(try entry.digest(of: bytes.span, kind: .generated, in: record))
    }
    if let code = codes.code(of: .eight) {
      let written = code.written()
      typed.append(try entry.digest(of: written.span, kind: .imported, in: record))
    }
    var found: RecoveryCodeDigest?
    for code in typed {
      for kept in record.recoveryCodes
      where constantTimeEquals(kept.bytes.span, code.bytes.span) && kept.kind == code.kind {
        found = kept
      }
    }
    return found
  }

  /// Takes a recovery code out of the record, durably, before anybody is told that it was right.
  private static func spend<Entry: FactorStoreEntry>(
    _ spent: RecoveryCodeDigest, of record: FactorRecord, _ counted: AttemptState, _ entry: Entry,
    replacing: Bool
  ) throws(FactorStoreError) -> Result {
    var record = record
    var replacement: RecoveryCode?
    var digest: RecoveryCodeDigest?
    if replacing {
      let (code, itsDigest) = try newRecoveryCode(of: record, entry)
      replacement = code
      digest = itsDigest
    }
    record.spendRecoveryCode(spent, replacement: digest)
    try entry.replace(record: record, attempts: counted.recovered())
    return .recovered(Recovery(left: record.recoveryCodes.count, replacement: replacement))
  }

  /// A new recovery code for `record`, and what is kept of it.
  public static func newRecoveryCode<Entry: FactorStoreEntry>(
    of record: FactorRecord, _ entry: Entry
  ) throws(FactorStoreError) -> (code: RecoveryCode, digest: RecoveryCodeDigest) {
    let code = try randomCode()
    let bytes = code.bytes()
    return (code, try entry.digest(of: bytes.span, kind: .generated, in: record))
  }

  private static func randomCode() throws(FactorStoreError) -> RecoveryCode {
    do throws(CryptographyError) {
      return try RecoveryCode.random()
    } catch {
      throw .cryptography
    }
  }

  // MARK: Resynchronising

  /// What an attempt to resynchronise a factor came to.
  public enum Resynchronizing: Sendable {
    case done(Factor)
    /// They are no two fresh codes in a row of the factor's; with how many seconds to wait, 0 for
    /// none.
    case wrong(wait: Int64)
    case refused(AttemptState.Standing)
    case notACode
    case noSuchFactor
  }

  /// Learns at `now` (seconds since the epoch) from two codes in a row how far ahead a factor's
  /// authenticator is. It counts as an attempt, and both codes are used up.
  public static func resynchronize<Store: FactorStore>(
    _ id: FactorID, first: TypedCodes, second: TypedCodes, by account: Account, in store: Store,
    settings: Settings, now: Int64
  ) throws(FactorStoreError) -> Resynchronizing {
    let entry = try store.entry(of: account, creating: false)
    guard var record = entry.record, let factor = record.factor(id) else { return .noSuchFactor }
    let length = factor.parameters.codeLength
    guard let first = first.code(of: length), let second = second.code(of: length) else {
      return .notACode
    }
    switch try begin(entry, settings.throttle, now) {
    case .refused(let standing): return .refused(standing)
    case .counted(let counted):
      guard let finding = try finding(first, second, factor, counted, entry, now) else {
        try entry.sync()
        return .wrong(wait: settings.throttle.wait(afterFailures: counted.failures))
      }
      do throws(FactorRecord.ChangeRefusal) {
        try record.setTimeOffset(of: id, to: finding.timeOffset)
      } catch {
        return .noSuchFactor
      }
      try entry.replace(
        record: record, attempts: counted.resynchronized(id, at: finding.step))
      return .done(factor)
    }
  }

  /// A factor whose watermark was lost tells nothing.
  private static func finding<Entry: FactorStoreEntry>(
    _ first: Code, _ second: Code, _ factor: Factor, _ state: AttemptState, _ entry: Entry,
    _ now: Int64
  ) throws(FactorStoreError) -> Resynchronization.Finding? {
    guard let watermark = state.watermark(of: factor.id) else { return nil }
    let secret = try entry.secret(of: factor)
    do throws(CryptographyError) {
      return try Resynchronization.finding(
        first: first, second: second, secret: secret.span, parameters: factor.parameters,
        now: now, watermark: watermark)
    } catch {
      throw .cryptography
    }
  }

  // MARK: Factors

  /// The fewest digits of what may be a code of one of the record's factors.
  public static func shortestCode(_ codes: TypedCodes, of record: FactorRecord) -> Int? {
    let length = CodeLength.allCases.first { length in
      codes.code(of: length) != nil
        && record.factors.contains { $0.parameters.codeLength == length }
    }
    return length.map { Int($0.rawValue) }
  }

  private static func latestMatch<Entry: FactorStoreEntry>(
    _ code: Code, _ factor: Factor, _ entry: Entry, _ settings: Settings, _ now: Int64
  ) throws(FactorStoreError) -> Int64? {
    let secret = try entry.secret(of: factor)
    do throws(CryptographyError) {
      return try Verification.latestMatch(
        of: code, secret: secret.span, parameters: factor.parameters, now: factor.clock(at: now),
        adjacentIntervals: settings.adjacentIntervals)
    } catch {
      throw .cryptography
    }
  }

  private static func result(
    _ outcome: AttemptState.Outcome, _ record: FactorRecord, _ state: AttemptState,
    _ throttle: ThrottlePolicy
  ) -> Result {
    let wait = throttle.wait(afterFailures: state.failures)
    switch outcome {
    case .wrong: return .wrong(wait: wait)
    case .replayed(let id):
      guard let factor = record.factor(id) else { return .wrong(wait: wait) }
      return .replayed(factor, wait: wait)
    case .accepted(let id):
      guard let factor = record.factor(id) else { return .wrong(wait: wait) }
      return .accepted(factor)
    }
  }
}
