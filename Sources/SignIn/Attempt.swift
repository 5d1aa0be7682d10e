public import FactorStore
public import Factors
import OneTimePassword
public import Policy
import Secrets
public import System

/// One guess at a user's code, from lock to verdict. Sign-in, re-authentication and `mfa-enroll test`
/// all go through here.
///
/// MUST 1: the guess is written down before anything is compared. (`AttemptTests.writtenFirst`)
/// MUST 2: every step of every factor is compared. (`AttemptTests.everyFactorIsCompared`)
/// MUST 3: no verdict leaves before the state that goes with it is on the disk; where that fails,
/// there is an error instead. (`AttemptTests.failedSync`, and Tests/Faults)
public enum Attempt {
  /// What a guess came to.
  public enum Result: Sendable {
    case accepted(Factor)
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

  /// Makes a guess at `now` (seconds since the epoch).
  public static func make<Store: FactorStore>(
    _ codes: TypedCodes, by account: Account, in store: Store, project: Configuration.Project,
    now: Int64
  ) throws(FactorStoreError) -> Result {
    let entry = try store.entry(of: account, creating: false)
    guard let record = entry.record else { return .notEnrolled }
    guard mayBeCode(codes, of: record), let any = codes.any else { return .notACode }

    switch entry.attempts.begin(project.throttle, now: now) {
    case .refused(let standing, let correction):
      if let correction {
        try entry.write(correction)
        try entry.sync()
      }
      return .refused(standing)
    case .counted(let counted):
      try entry.write(counted)
      var matches: [AttemptState.Match] = []
      for factor in record.factors {
        let step = try latestMatch(
          codes.code(of: factor.parameters.codeLength) ?? any, factor, entry, project, now)
        if let step { matches.append(AttemptState.Match(factor: factor.id, step: step)) }
      }
      let (outcome, state) = counted.judge(matches)
      if state != counted { try entry.write(state) }
      try entry.sync()
      return result(outcome, record, state, project.throttle)
    }
  }

  /// Whether an answer may be a code of one of the record's factors.
  public static func mayBeCode(_ codes: TypedCodes, of record: FactorRecord) -> Bool {
    record.factors.contains { codes.code(of: $0.parameters.codeLength) != nil }
  }

  /// The fewest digits of what may be a code of one of the record's factors.
  public static func shortestCode(_ codes: TypedCodes, of record: FactorRecord) -> CodeLength? {
    CodeLength.allCases.first { length in
      codes.code(of: length) != nil
        && record.factors.contains { $0.parameters.codeLength == length }
    }
  }

  private static func latestMatch<Entry: FactorStoreEntry>(
    _ code: Code, _ factor: Factor, _ entry: Entry, _ project: Configuration.Project, _ now: Int64
  ) throws(FactorStoreError) -> Int64? {
    let secret = try entry.secret(of: factor)
    do throws(CryptographyError) {
      return try Verification.latestMatch(
        of: code, secret: secret.span, parameters: factor.parameters, now: now,
        adjacentIntervals: project.adjacentIntervals)
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
