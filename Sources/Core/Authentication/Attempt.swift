import MFASecrets
public import MFAAuditLog
import MFACrypto
public import MFAFactorStore
public import MFAFactors
public import MFAOneTimePassword
import MFAPolicy
public import MFAStoreFiles
import MFAVerification
public import MFASystem

/// One attempt to verify a user's code, from taking the user's lock to the result. Sign-in,
/// re-authentication and `mfa-enroll test` all use it.
///
/// MUST 1: the attempt is written before anything is compared. (`AttemptTests.writtenFirst`)
/// MUST 2: a code is compared with every allowed time step of every factor, and anything that may
/// be a recovery code with every recovery code. (`AttemptTests.everyFactorIsCompared`,
/// `.everyRecoveryCodeIsCompared`)
/// MUST 3: no result is returned before the state that belongs to it is on the disk; if the write
/// fails, an error is thrown instead. (`AttemptTests.failedSync`, and Tests/Faults)
/// MUST 4: a recovery code is accepted once, and a bypass code as often as its grant allows.
/// (`AttemptTests.recoveryCodeIsGoodOnce`, `GrantTests.bypass`)
/// MUST 5: a pending notice stays pending until it has certainly been shown to the user, at a
/// sign-in by a different factor from the one that the notice is about (FactorRecord.mayConfirm
/// defines the only exception). (`NewsTests`)
/// MUST 6: only a code of a factor clears failures. (`ThrottleModelTests`)
public enum Attempt {
  /// The result of an attempt.
  public enum Result: Sendable {
    case accepted(Factor)
    /// A recovery code was accepted, and is used up.
    case recovered(Recovery)
    /// A bypass code was accepted. The grant is in the state before this use.
    case bypassed(Grant, AuditLogCheckpoint?)
    /// The code was rejected. `wait` is the number of seconds before the next attempt is allowed; 0
    /// for none.
    case wrong(wait: Int64)
    case replayed(Factor, wait: Int64)
    /// Nothing was compared, because of earlier failures.
    case refused(AttemptState.Standing)
    /// The input cannot be a code of any of the user's factors. Nothing was counted.
    case notACode
    /// The user has no factor, or no longer has one.
    case notEnrolled
  }

  /// The use of a recovery code.
  public struct Recovery: Sendable {
    /// How many codes are left, including `replacement`.
    public let left: Int
    /// The code that replaces the used one, to be shown to the user.
    public let replacement: RecoveryCode?
    /// The audit log entry, or nil if this process does not know it.
    public let mark: AuditLogCheckpoint?

    /// Creates the description of a used recovery code.
    public init(left: Int, replacement: RecoveryCode?, mark: AuditLogCheckpoint? = nil) {
      self.left = left
      self.replacement = replacement
      self.mark = mark
    }
  }

  /// The result of an attempt, and the pending notices to show.
  public struct Report: Sendable {
    /// The result.
    public let result: Result
    /// What happened since the last sign-in. Empty if the application asked for silence or nothing
    /// was proven.
    public let news: PendingNotices
  }

  /// Counts an attempt and verifies its code.
  public static func make<Store: FactorStore>(
    _ codes: TypedCodes, by account: Account, in store: Store, _ context: Context
  ) throws(FactorStoreError) -> Report {
    let entry = try store.entry(of: account, creating: false)
    try context.start()
    guard let record = entry.kept, mayHaveCodes(record) else {
      return Report(result: .notEnrolled, news: .none)
    }
    guard mayBeCode(codes, of: record, factor: context.factor) else {
      return Report(result: .notACode, news: .none)
    }

    let before = entry.attempts
    let unreported = before.unreported
    switch try begin(entry, context) {
    case .refused(let standing): return Report(result: .refused(standing), news: .none)
    case .counted(let counted):
      let result = try judge(codes, record, counted, before, entry, context)
      switch result {
      case .accepted(let factor):
        return Report(result: result, news: context.news(record, unreported, factor.id))
      case .recovered, .bypassed:
        return Report(result: result, news: context.news(record, unreported, nil))
      case .wrong, .replayed, .refused, .notACode, .notEnrolled:
        return Report(result: result, news: .none)
      }
    }
  }

  static func judge<Entry: FactorStoreEntry>(
    _ codes: TypedCodes, _ record: FactorRecord, _ counted: AttemptState,
    _ before: AttemptState, _ entry: Entry, _ context: Context
  ) throws(FactorStoreError) -> Result {
    if context.factor == nil {
      // Only a code of a factor clears failures: NIST SP 800-63B-4, section 3.2.2, allows that for
      // the authenticators that were used.
      if let spent = try recoveryCode(codes, of: record, entry) {
        return try spend(spent, of: record, before, entry, context)
      }
      if let grant = try bypass(codes, of: record, entry, now: context.now) {
        return try use(grant, of: record, before, entry, context)
      }
    }
    let settings = context.settings
    var matches: [AttemptState.Match] = []
    if let any = codes.any {
      for factor in record.factors {
        let step = try latestMatch(
          codes.code(of: factor.parameters.codeLength) ?? any, factor, entry, settings,
          context.now)
        if let step { matches.append(AttemptState.Match(factor: factor.id, step: step)) }
      }
    }
    if let named = context.factor { matches.removeAll { $0.factor != named } }
    var (outcome, state) = counted.judge(matches)
    if case .accepted(let factor) = outcome {
      state = state.restoring(before.unreported)
      if context.news(record, before.unreported, factor).ending == .told {
        state = state.told(upTo: record.lastNotice)
      }
      for place in try entry.digests(of: context.places, in: record) {
        state = state.remembering(place, at: context.now)
      }
    }
    if state != counted { try entry.write(state) }
    try entry.sync()
    let wait = state.wait(settings.throttle, counter: context.counter)
    return result(outcome, record, wait: wait)
  }

  /// The result of counting an attempt.
  enum Beginning {
    case counted(AttemptState)
    case refused(AttemptState.Standing)
  }

  /// Counts an attempt and writes the new state, or refuses the attempt. Nothing is compared before
  /// this function has counted the attempt.
  static func begin<Entry: FactorStoreEntry>(
    _ entry: Entry, _ context: Context
  ) throws(FactorStoreError) -> Beginning {
    let beginning = entry.attempts.begin(
      context.settings.throttle, now: context.now, from: context.source,
      counter: context.counter)
    switch beginning {
    case .refused(let standing): return .refused(standing)
    case .counted(let counted):
      try entry.write(counted)
      return .counted(counted)
    }
  }

  /// Returns whether a record has anything that a code could match at a sign-in.
  private static func mayHaveCodes(_ record: FactorRecord) -> Bool {
    record.isEnrolled || record.grants.contains { $0.kind == .bypass }
  }

  /// Returns whether the input may be a code of one of the record's factors, a recovery code or a
  /// bypass code. If a factor is `named`, returns whether the input may be a code of that factor.
  public static func mayBeCode(
    _ codes: TypedCodes, of record: FactorRecord, factor named: FactorID? = nil
  ) -> Bool {
    if let named {
      guard let factor = record.factor(named) else { return false }
      return codes.code(of: factor.parameters.codeLength) != nil
    }
    if record.factors.contains(where: { codes.code(of: $0.parameters.codeLength) != nil }) {
      return true
    }
    if codes.recoveryCode != nil, record.grants.contains(where: { $0.kind == .bypass }) {
      return true
    }
    return record.recoveryCodes.contains { code in
      switch code.kind {
      case .generated: codes.recoveryCode != nil
      case .imported: codes.code(of: .eight) != nil
      case .ticket, .bypass: false
      }
    }
  }

  // MARK: Factors

  /// Returns the smallest number of digits for which the input has a code and the record has a
  /// factor, or nil.
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
    _ outcome: AttemptState.Outcome, _ record: FactorRecord, wait: Int64
  ) -> Result {
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
