import MFABase
import MFACrypto
import MFAModel
import MFAStore
import MFAWire

/// One attempt to verify a user's code, from loading the user's data to the result. Sign-in,
/// re-authentication and `mfa-enroll test` all use it.
///
/// MUST 1: the attempt is written before anything is compared (`AttemptTests.writtenFirst`). In a store
/// that commits once, the result is in the same commit, and is not reported before.
/// (`SharedFactorStoreTests.oneCommitForEachAttempt`)
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
/// MUST 6: only a code of a factor clears failures, and where policy allows it, a recovery code of
/// this program that unlocks the factors. (`ThrottleModelTests`, `UnlockingCodeTests`)
package enum Attempt {
  /// A finished attempt.
  package struct Report {
    /// The result.
    package let result: Result
    /// What happened since the last sign-in. Empty if the application asked for silence or nothing
    /// was proven.
    package let notices: PendingNotices
    /// How many bytes at the end of the input were the code that was accepted or had been used, or
    /// nil if there was no such code.
    package let typedLength: Int?
    /// Whether the code typed before this accepted one was rejected because a clock is wrong: it was
    /// a code of the same factor, outside the accepted time steps.
    package let clockMayBeWrong: Bool
    /// The message with the accepted code, or nil if the code was not sent.
    package let message: SendID?

    init(
      _ result: Result, _ notices: PendingNotices = .none, typedLength: Int? = nil,
      clockMayBeWrong: Bool = false, message: SendID? = nil
    ) {
      self.message = message
      self.result = result
      self.notices = notices
      self.typedLength = typedLength
      self.clockMayBeWrong = clockMayBeWrong
    }
  }

  /// Counts an attempt and verifies its code.
  package static func make<Store: FactorStore>(
    _ codes: TypedCodes, by account: Account, in store: Store, _ context: Context
  ) throws(FactorStoreError) -> Report {
    if let report = try committedReport(to: account, in: store) { return report }
    return try store.deciding { () throws(FactorStoreError) in
      switch try count(codes, by: account, in: store, context) {
      case .rejected(let rejected): return Report(.rejected(rejected))
      case .counted(let attempt): return try attempt.verify(codes)
      case .unlocking(let attempt, let code): return try attempt.unlock(with: code)
      }
    }
  }

  /// Makes an attempt of a user without a factor, or with an answer that is no code of the user's `record`. It
  /// takes as long as an attempt with a wrong code, and has no result.
  package static func makeOnDecoy<Store: FactorStore>(
    _ codes: TypedCodes, like record: FactorRecord?, in store: Store, _ context: Context
  ) throws(FactorStoreError) {
    guard codes.any != nil else { return }
    let entry = try store.decoy(like: record)
    try context.start()
    let before = entry.attempts
    guard let record = entry.kept,
      case .counted(let counted, let details) = try begin(entry, context, codes)
    else { return }
    _ = try CountedAttempt(
      context: context, entry: entry, record: record, before: before, counted: counted,
      details: details
    ).verify(codes)
  }

  /// An attempt before any code is compared.
  enum Start<Entry: FactorStoreEntry> {
    case counted(CountedAttempt<Entry>)
    case rejected(Rejected)
    /// The factors are locked, and this recovery code of the user unlocks them.
    case unlocking(CountedAttempt<Entry>, RecoveryCodeDigest)
  }

  /// Counts an attempt, unless nothing in the record could be the code or the attempt is refused.
  static func count<Store: FactorStore>(
    _ codes: TypedCodes, by account: Account, in store: Store, _ context: Context
  ) throws(FactorStoreError) -> Start<Store.Entry> {
    let entry = try store.entry(of: account, creating: false)
    try context.start()
    guard let record = entry.kept, mayHaveCodes(record) else { return .rejected(.notEnrolled) }
    guard mayBeCode(codes, of: record, factor: context.factor) else {
      return .rejected(.notACode(.somethingElse))
    }
    let before = entry.attempts
    switch try begin(entry, context, codes) {
    case .repeated(let repetition):
      // The user learns nothing from the time that this takes.
      let decoy = try store.decoy(like: record)
      if let record = decoy.kept {
        try CountedAttempt(
          context: context, entry: decoy, record: record, before: decoy.attempts,
          counted: decoy.attempts, details: AttemptState.Details()
        ).compare(codes)
      }
      return .rejected(.repeated(repetition))
    case .refused(let standing):
      guard let code = try unlockingCode(codes, of: record, entry, standing, context) else {
        return .rejected(Rejected(standing))
      }
      return .unlocking(
        CountedAttempt(
          context: context, entry: entry, record: record, before: before, counted: before,
          details: AttemptState.Details()), code)
    case .counted(let counted, let details):
      return .counted(
        CountedAttempt(
          context: context, entry: entry, record: record, before: before, counted: counted,
          details: details))
    }
  }

  /// The result of counting an attempt.
  enum Beginning {
    case counted(AttemptState, AttemptState.Details)
    case refused(AttemptState.Standing)
    case repeated(RecentAnswers.Repetition)
  }

  /// Counts an attempt and writes the new state, or refuses the attempt. Nothing is compared before
  /// this function has counted the attempt. The state remembers digests of `codes`, if there are any.
  static func begin<Entry: FactorStoreEntry>(
    _ entry: Entry, _ context: Context, _ codes: TypedCodes? = nil
  ) throws(FactorStoreError) -> Beginning {
    let details = AttemptState.Details(
      from: context.source, counter: context.counter, client: try client(entry, context),
      answer: try answer(codes, entry, context))
    switch entry.attempts.begin(context.settings.throttle, now: context.now, details) {
    case .refused(let standing): return .refused(standing)
    case .repeated(let repetition): return .repeated(repetition)
    case .counted(let counted):
      try entry.write(counted)
      return .counted(counted, details)
    }
  }

  /// Returns a keyed digest of the source of the attempt, or nil if there is no record or no source.
  static func client<Entry: FactorStoreEntry>(
    _ entry: Entry, _ context: Context
  ) throws(FactorStoreError) -> UInt32? {
    guard let record = entry.kept, let client = context.client else { return nil }
    return try entry.digests(of: [client], in: record).first?.client
  }

  /// Returns whether a record has anything that a code could match at a sign-in.
  private static func mayHaveCodes(_ record: FactorRecord) -> Bool {
    record.isEnrolled || record.grants.contains { $0.kind == .bypass }
  }

  /// Returns whether the input may be a code of one of the record's factors, a recovery code or a
  /// bypass code. If a factor is `named`, returns whether the input may be a code of that factor.
  package static func mayBeCode(
    _ codes: TypedCodes, of record: FactorRecord, factor named: FactorID? = nil
  ) -> Bool {
    if let named {
      guard let factor = record.factor(named) else { return false }
      return codes.code(of: factor.codeLength) != nil
    }
    if record.factors.contains(where: { codes.code(of: $0.codeLength) != nil }) {
      return true
    }
    if codes.hasRecoveryCode, record.grants.contains(where: { $0.kind == .bypass }) {
      return true
    }
    return record.recoveryCodes.contains { code in
      switch code.kind {
      case .generated: codes.hasRecoveryCode
      case .imported: codes.code(of: .eight) != nil
      case .ticket, .bypass, .programPassword: false
      }
    }
  }

  // MARK: Factors

  /// Returns the smallest number of digits for which the input has a code and the record has a
  /// factor, or nil.
  package static func shortestCode(_ codes: TypedCodes, of record: FactorRecord) -> Int? {
    let length = CodeLength.allCases.first { length in
      codes.code(of: length) != nil
        && record.factors.contains { $0.codeLength == length }
    }
    return length.map { Int($0.rawValue) }
  }
}

extension Attempt {
  /// Marks pending notices as shown, unless the record was replaced in the meantime.
  package static func markShown<Store: FactorStore>(
    _ pending: PendingNotices, of record: FactorRecord, _ account: Account, in store: Store
  ) throws(FactorStoreError) {
    try store.deciding { () throws(FactorStoreError) in
      let entry = try store.entry(of: account, creating: false)
      guard entry.attempts.record == record.id else { return }
      try entry.write(
        entry.attempts.confirmed(
          failures: pending.unreported.failures,
          upTo: min(pending.lastRead, pending.notices.last?.number ?? 0)))
      try entry.sync()
    }
  }
}

// The test of a code by a user who does not sign in.
extension Attempt {
  /// The result of a test.
  package enum TestResult {
    /// The code was verified as at a sign-in. An accepted code of a factor is used up.
    case attempted(Report)
    /// The code would be accepted at a sign-in. It was not used up.
    case recognized(UnusedCode)
  }

  /// Counts an attempt and verifies its code as `make` does, except that a recovery code or a bypass
  /// code is not used up. The attempt is then withdrawn: it neither adds failures nor clears them.
  package static func test<Store: FactorStore>(
    _ codes: TypedCodes, by account: Account, in store: Store, _ context: Context
  ) throws(FactorStoreError) -> TestResult {
    try store.deciding { () throws(FactorStoreError) in
      switch try count(codes, by: account, in: store, context) {
      case .rejected(let rejected): return .attempted(Report(.rejected(rejected)))
      case .counted(let attempt):
        guard let code = try attempt.recognize(codes) else {
          return .attempted(try attempt.verify(codes))
        }
        return .recognized(code)
      case .unlocking: return .recognized(.recoveryCode)
      }
    }
  }
}

extension CountedAttempt {
  /// Returns the kind of the recovery code or bypass code, and withdraws the attempt. Returns nil,
  /// and changes nothing, if the codes are neither.
  func recognize(_ codes: TypedCodes) throws(FactorStoreError) -> UnusedCode? {
    guard let code = try unusedCode(codes) else { return nil }
    try entry.write(before)
    try entry.sync()
    return code
  }

  private func unusedCode(_ codes: TypedCodes) throws(FactorStoreError) -> UnusedCode? {
    if try Attempt.recoveryCode(codes, of: record, entry) != nil { return .recoveryCode }
    if try Attempt.bypass(codes, of: record, entry, now: context.now) != nil { return .bypassCode }
    return nil
  }
}

// Unlocking by the user.
//
// The factors are locked because somebody guesses codes of six digits. A recovery code of 80 random
// bits cannot be guessed, so it may be compared without being counted (NIST SP 800-63B-4, section
// 3.1.2). An imported recovery code has 26 bits and is not compared.
extension Attempt {
  /// Returns the record's digest of the recovery code that was typed, if it unlocks the factors, or
  /// nil.
  static func unlockingCode<Entry: FactorStoreEntry>(
    _ codes: TypedCodes, of record: FactorRecord, _ entry: Entry, _ standing: AttemptState.Standing,
    _ context: Context
  ) throws(FactorStoreError) -> RecoveryCodeDigest? {
    guard context.factor == nil, codes.hasRecoveryCode,
      context.settings.mayUnlock(record, standing),
      let code = try recoveryCode(codes, of: record, entry), code.kind == .generated
    else { return nil }
    return code
  }
}

extension CountedAttempt {
  /// Removes the recovery code from the record and clears the failures, on the disk, before the code
  /// is reported as accepted.
  func unlock(with code: RecoveryCodeDigest) throws(FactorStoreError) -> Attempt.Report {
    try useUp(
      code, typedLength: RecoveryCode.writtenLength, leaving: before.unlocked(),
      RecoveryCodeUse(notice: .unlockedByRecoveryCode, event: .unlockedByRecoveryCode))
  }
}

/// How the use of a recovery code is told to the user and recorded in the audit log.
struct RecoveryCodeUse {
  let notice: Notice.Kind
  let event: AuditLogEvent.Kind

  /// A sign-in.
  static var signIn: RecoveryCodeUse {
    RecoveryCodeUse(notice: .recoveryCodeUsed, event: .recoveryCodeUsed)
  }
}
