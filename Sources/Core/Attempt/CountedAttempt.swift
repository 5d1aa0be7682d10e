import MFAStore
import MFACrypto
import MFAModel
import MFABase

/// An attempt that was counted, and whose code may now be compared.
struct CountedAttempt<Entry: FactorStoreEntry> {
  let context: Attempt.Context
  let entry: Entry
  let record: FactorRecord
  /// The state before the attempt was counted.
  let before: AttemptState
  /// The state with the attempt counted as a failure, as it was written.
  let counted: AttemptState
  /// What the attempt was counted with.
  let details: AttemptState.Details

  /// What was pending before the attempt, without the failed tries of this sign-in, of which the user
  /// was told at once.
  private var unreported: AttemptState.Unreported {
    before.unreported.leavingOut(context.failedTries)
  }

  /// Compares the codes with everything that may be accepted, and writes the new state.
  func verify(_ codes: TypedCodes) throws(FactorStoreError) -> Attempt.Report {
    if context.factor == nil {
      // Only a code of a factor clears failures: NIST SP 800-63B-4, section 3.2.2, allows that for
      // the authenticators that were used. Recovery and bypass codes therefore write the state from
      // before the attempt.
      if let used = try Attempt.recoveryCode(codes, of: record, entry) {
        return try useUp(
          used, typedLength: Self.typedLength(codes),
          leaving: recording(
            try Attempt.digest(ofRecoveryCodeIn: codes, entry, record),
            in: before.voidingSentCode(), isHintShown: false), .signIn)
      }
      if let grant = try Attempt.bypass(codes, of: record, entry, now: context.now) {
        return try use(grant, typedLength: Self.typedLength(codes))
      }
    }
    let found = try matches(codes)
    let foundSent = try sentCode(codes)
    let matches = found.filter { isAllowed($0.factor) }
    let sent = foundSent.flatMap { isAllowed($0.factor) ? $0 : nil }
    guard let (factor, next) = counted.accepting(matches, sent: sent) else {
      if matches.isEmpty, let other = try typeNotAllowed(found, foundSent, codes) { return other }
      if let early = notYet(matches) {
        try entry.write(before)
        try entry.sync()
        return early
      }
      // Not before the result is known: an attempt that fails may have had a right code.
      var offset: Int64?
      if let answer = details.answer {
        if matches.isEmpty { offset = try clockOffset(of: codes) }
        try entry.write(
          counted.rejecting(answer, at: context.now, isHintShown: offset != nil))
      }
      return try commit(rejection(matches, clockOffset: offset))
    }
    let notices = context.notices(record, unreported, factor)
    let clockMayBeWrong = try clockMayBeWrong(factor)
    // Without a user who reads the hint, a later sign-in can still give it.
    // The code of a test number is the same each time it is requested.
    let isOfTestNumber = sent != nil && counted.sentCodes.last?.message == 0
    let code =
      isOfTestNumber ? nil : record.factor(factor).flatMap { codes.code(of: $0.codeLength) }
    let digest = try code.map { code throws(FactorStoreError) in
      try entry.digest(ofTyped: code, in: record)
    }
    var state = recording(
      digest, in: next.restoring(unreported), isHintShown: context.showsClockHint)
    if notices.ending == .told { state = state.told(upTo: notices.lastRead) }
    for place in try entry.digests(of: context.places, in: record) {
      state = state.remembering(place, at: context.now)
    }
    try entry.write(state)
    return try commit(
      Attempt.Report(
        .accepted(.factor(factor)), notices, typedLength: codeLength(of: factor),
        clockMayBeWrong: clockMayBeWrong,
        message: sent == nil ? nil : counted.sentCodes.last.map { SendID(number: $0.message) }))
  }

  /// Returns `state` with an accepted code among the last answers.
  private func recording(
    _ code: UInt64?, in state: AttemptState, isHintShown: Bool
  ) -> AttemptState {
    guard let answer = details.answer else { return state }
    return state.recording(
      code, of: answer, at: context.now, after: before, isHintShown: isHintShown)
  }

  /// Commits the attempt state with its result.
  private func commit(_ report: Attempt.Report) throws(FactorStoreError) -> Attempt.Report {
    answer(report)
    try entry.sync()
    return report
  }

  /// Stores a result with the next commit, if the store keeps answers.
  private func answer(_ report: Attempt.Report) {
    if Entry.keepsAnswers { entry.answer(report.encoded()) }
  }

  /// Returns the result for a right code before a time at which the factor has acceptable codes: the last
  /// refused time step is later than the present one and that of the code, which is so after a restore or a
  /// clock that was ahead. It is no guess, so it is not counted.
  private func notYet(_ matches: [AttemptState.Match]) -> Attempt.Report? {
    guard let match = matches.first, let factor = record.factor(match.factor),
      let parameters = factor.parameters, let last = counted.watermark(of: match.factor)
    else { return nil }
    let now = factor.clock(at: context.now)
    guard match.step < last, parameters.step(at: now) < last else { return nil }
    return Attempt.Report(
      .rejected(.notYet(match.factor, seconds: parameters.seconds(from: now, toEndOf: last))),
      typedLength: codeLength(of: match.factor))
  }

  /// Returns the result for a right code of a factor whose type policy does not allow, or nil if there is no
  /// such code. It is no guess, so it is not counted. It is used up: the same code again is refused as used,
  /// and no other service or host of a realm accepts it.
  private func typeNotAllowed(
    _ matches: [AttemptState.Match], _ sent: AttemptState.Match?, _ codes: TypedCodes
  ) throws(FactorStoreError) -> Attempt.Report? {
    guard let (id, used) = before.usingUp(matches, sent: sent), let factor = record.factor(id)
    else {
      return nil
    }
    let digest = try codes.code(of: factor.codeLength).map { code throws(FactorStoreError) in
      try entry.digest(ofTyped: code, in: record)
    }
    try entry.write(recording(digest, in: used, isHintShown: false))
    try entry.sync()
    return Attempt.Report(
      .rejected(.typeNotAllowed(id, factor.parameters == nil ? .phone : .totp)),
      typedLength: codeLength(of: id))
  }

  /// Returns the result of an attempt with no acceptable code.
  private func rejection(
    _ matches: [AttemptState.Match], clockOffset: Int64?
  ) -> Attempt.Report {
    let throttle = context.settings.throttle
    if counted.standing(throttle, now: context.now, counter: context.counter) == .locked {
      return Attempt.Report(
        .rejected(.lockedNow(replayed: matches.first?.factor)),
        typedLength: matches.first.flatMap { codeLength(of: $0.factor) })
    }
    let wait = counted.wait(throttle, counter: context.counter, client: details.client)
    guard let first = matches.first else {
      return Attempt.Report(
        .rejected(
          clockOffset.map { .ofAnotherTime(secondsAhead: $0, wait: wait) } ?? .wrong(wait: wait)))
    }
    return Attempt.Report(
      .rejected(.replayed(first.factor, wait: wait)), typedLength: codeLength(of: first.factor))
  }

  /// Returns the number of digits of a factor's codes.
  private func codeLength(of factor: FactorID) -> Int? {
    record.factor(factor).map { Int($0.codeLength.rawValue) }
  }

  /// Returns the length of a recovery or bypass code in the input.
  private static func typedLength(_ codes: TypedCodes) -> Int {
    codes.hasRecoveryCode ? RecoveryCode.writtenLength : Int(CodeLength.eight.rawValue)
  }

  /// Compares the codes with every factor, and does nothing with the result.
  func compare(_ codes: TypedCodes) throws(FactorStoreError) { _ = try matches(codes) }

  /// Returns the factors that the codes match, with the latest matching time steps. Every factor is
  /// compared, so that the time taken does not depend on which factor matches.
  private func matches(_ codes: TypedCodes) throws(FactorStoreError) -> [AttemptState.Match] {
    guard let any = codes.any else { return [] }
    var matches: [AttemptState.Match] = []
    for factor in record.factors {
      guard let parameters = factor.parameters else { continue }
      let code = codes.code(of: parameters.codeLength) ?? any
      if let step = try latestMatch(of: code, with: factor, parameters), isWanted(factor.id) {
        matches.append(AttemptState.Match(factor: factor.id, step: step))
      }
    }
    return matches
  }

  /// Returns whether the user may prove this factor, or chose it.
  func isWanted(_ factor: FactorID) -> Bool {
    context.factor == nil || context.factor == factor
  }

  /// Returns whether policy accepts codes of a factor.
  func isAllowed(_ factor: FactorID) -> Bool {
    record.factor(factor).map { context.settings.allows($0) } ?? false
  }

  /// Returns the factor with the phone to which this code was sent for this sign-in, or nil.
  private func sentCode(_ codes: TypedCodes) throws(FactorStoreError) -> AttemptState.Match? {
    guard let usable = counted.sentCodes.usable(at: context.now), let session = context.session,
      let factor = record.factor(usable.factor), factor.parameters == nil,
      let code = codes.code(of: factor.codeLength) ?? codes.any
    else { return nil }
    let digest = try entry.digest(ofSent: code, to: factor.id, for: session, in: record)
    guard digest == usable.digest, code.length == factor.codeLength, isWanted(factor.id) else {
      return nil
    }
    return AttemptState.Match(factor: factor.id, step: context.now)
  }

  /// Returns the latest time step in the window that has this code, or nil.
  private func latestMatch(
    of code: Code, with factor: Factor, _ parameters: TOTPParameters
  ) throws(FactorStoreError) -> Int64? {
    let secret = try entry.secret(of: factor)
    return try cryptographic { () throws(SystemError) in
      try Verification.latestMatch(
        of: code, secret: secret.span, parameters: parameters,
        now: factor.clock(at: context.now), adjacentIntervals: context.settings.adjacentIntervals)
    }
  }

  /// Removes a recovery code from the record on the disk before the code is reported as accepted.
  func useUp(
    _ used: RecoveryCodeDigest, typedLength: Int, leaving state: AttemptState,
    _ use: RecoveryCodeUse
  ) throws(FactorStoreError) -> Attempt.Report {
    var record = record
    record.spendRecoveryCode(used)
    record.note(use.notice, about: .recoveryCodes, from: context.source, at: context.now)
    let event = AuditLogEvent(use.event, by: context.actor(record), at: context.now)
    let left = record.recoveryCodes.count
    answer(
      Attempt.Report(.accepted(.recoveryCode(left: left, nil)), typedLength: typedLength))
    let checkpoint = try entry.replace(
      record: record, attempts: state.restoring(unreported), entering: event)
    return Attempt.Report(
      .accepted(.recoveryCode(left: left, checkpoint)),
      context.notices(self.record, unreported, nil), typedLength: typedLength)
  }

  /// Counts one use of a grant and writes the count to the disk before the sign-in succeeds.
  private func use(
    _ grant: Grant, typedLength: Int
  ) throws(FactorStoreError) -> Attempt.Report {
    var record = record
    guard record.use(grant.id) else { throw .damaged(.record) }
    record.removeExpiredGrants(at: context.now)
    if context.allowsEnrollment, record.isEnrolled, grant.usesLeftAfterUse == 0,
      let enrollment = grant.enrollment(try Attempt.randomGrantID(), at: context.now)
    {
      _ = record.add(enrollment)
    }
    record.note(
      .bypassUsed, grant.reason?.utf8 ?? [], about: .grant, from: context.source,
      at: context.now)
    let event = AuditLogEvent(.bypassUsed, grant, by: context.actor(record), at: context.now)
    let usesLeft = grant.usesLeftAfterUse
    answer(
      Attempt.Report(
        .accepted(.bypassCode(grant, usesLeft: usesLeft, nil)), typedLength: typedLength))
    let checkpoint = try entry.replace(
      record: record, attempts: before.voidingSentCode().restoring(unreported), entering: event)
    return Attempt.Report(
      .accepted(.bypassCode(grant, usesLeft: usesLeft, checkpoint)),
      context.notices(self.record, unreported, nil), typedLength: typedLength)
  }
}
