public import FactorStore
public import Factors
public import OneTimePassword
import Policy
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
/// MUST 4: a recovery code is good once, and a bypass code as often as it says.
/// (`AttemptTests.recoveryCodeIsGoodOnce`, `GrantTests.bypass`)
/// MUST 5: a pending notice stays pending until a sign-in by another way than the one that changed
/// has shown it to the user for certain. (`NewsTests`)
/// MUST 6: nothing but a code of a factor forgives failures. (`ThrottleModelTests`)
public enum Attempt {
  /// What a guess came to.
  public enum Result: Sendable {
    case accepted(Factor)
    /// A recovery code was right, and is used up.
    case recovered(Recovery)
    /// A bypass code was right; the grant as it was before this use.
    case bypassed(Grant, LedgerMark?)
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
    /// The ledger's entry; nil where it is not known here.
    public let mark: LedgerMark?

    /// Puts them together.
    public init(left: Int, replacement: RecoveryCode?, mark: LedgerMark? = nil) {
      self.left = left
      self.replacement = replacement
      self.mark = mark
    }
  }

  /// A guess that was judged, and what the person is to be told besides.
  public struct Judgement: Sendable {
    /// What it came to.
    public let result: Result
    /// What has happened meanwhile; nothing where nobody is listening, or nothing was proven.
    public let news: News
  }

  /// Makes a guess.
  public static func make<Store: FactorStore>(
    _ codes: TypedCodes, by account: Account, in store: Store, _ circumstances: Circumstances
  ) throws(FactorStoreError) -> Judgement {
    let entry = try store.entry(of: account, creating: false)
    try circumstances.start()
    guard let record = entry.kept, mayHaveCodes(record) else {
      return Judgement(result: .notEnrolled, news: .none)
    }
    guard mayBeCode(codes, of: record, factor: circumstances.factor) else {
      return Judgement(result: .notACode, news: .none)
    }

    let before = entry.attempts
    let untold = before.untold
    switch try begin(entry, circumstances) {
    case .refused(let standing): return Judgement(result: .refused(standing), news: .none)
    case .counted(let counted):
      let result = try judge(codes, record, counted, before, entry, circumstances)
      switch result {
      case .accepted(let factor):
        return Judgement(result: result, news: circumstances.news(record, untold, factor.id))
      case .recovered, .bypassed:
        return Judgement(result: result, news: circumstances.news(record, untold, nil))
      case .wrong, .replayed, .refused, .notACode, .notEnrolled:
        return Judgement(result: result, news: .none)
      }
    }
  }

  static func judge<Entry: FactorStoreEntry>(
    _ codes: TypedCodes, _ record: FactorRecord, _ counted: AttemptState,
    _ before: AttemptState, _ entry: Entry, _ circumstances: Circumstances
  ) throws(FactorStoreError) -> Result {
    if circumstances.factor == nil {
      // Only a code of a factor forgives failures: NIST SP 800-63B-4, section 3.2.2, allows it for the
      // authenticators that were used.
      if let spent = try recoveryCode(codes, of: record, entry) {
        return try spend(spent, of: record, before, entry, circumstances)
      }
      if let grant = try bypass(codes, of: record, entry, now: circumstances.now) {
        return try use(grant, of: record, before, entry, circumstances)
      }
    }
    let settings = circumstances.settings
    var matches: [AttemptState.Match] = []
    if let any = codes.any {
      for factor in record.factors {
        let step = try latestMatch(
          codes.code(of: factor.parameters.codeLength) ?? any, factor, entry, settings,
          circumstances.now)
        if let step { matches.append(AttemptState.Match(factor: factor.id, step: step)) }
      }
    }
    if let named = circumstances.factor { matches.removeAll { $0.factor != named } }
    var (outcome, state) = counted.judge(matches)
    if case .accepted(let factor) = outcome {
      state = state.restoring(before.untold)
      if circumstances.news(record, before.untold, factor).ending == .told {
        state = state.told(upTo: record.lastNotice)
      }
      for place in try entry.digests(of: circumstances.places, in: record) {
        state = state.remembering(place, at: circumstances.now)
      }
    }
    if state != counted { try entry.write(state) }
    try entry.sync()
    let wait = state.wait(settings.throttle, counter: circumstances.counter)
    return result(outcome, record, wait: wait)
  }

  /// How an attempt begins, once that is written down.
  enum Beginning {
    case counted(AttemptState)
    case refused(AttemptState.Standing)
  }

  /// Counts an attempt and writes that down, or refuses it: the one way to a comparison.
  static func begin<Entry: FactorStoreEntry>(
    _ entry: Entry, _ circumstances: Circumstances
  ) throws(FactorStoreError) -> Beginning {
    let beginning = entry.attempts.begin(
      circumstances.settings.throttle, now: circumstances.now, from: circumstances.source,
      counter: circumstances.counter)
    switch beginning {
    case .refused(let standing): return .refused(standing)
    case .counted(let counted):
      try entry.write(counted)
      return .counted(counted)
    }
  }

  /// Whether there is anything in a record that a code could be right for at a sign-in.
  private static func mayHaveCodes(_ record: FactorRecord) -> Bool {
    record.isEnrolled || record.grants.contains { $0.kind == .bypass }
  }

  /// Whether an answer may be a code of one of the record's factors, or one of its recovery codes, or
  /// a bypass code; or, where a factor is `named`, a code of that factor.
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
