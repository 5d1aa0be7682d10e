import MFABase

/// The attempt state of one user: failures, watermarks, pending notices and remembered sign-ins.
/// This part of the store changes with each attempt.
///
/// MUST 1: an attempt is counted before its code is compared. (`AttemptStateTests`; only
/// `CountedAttempt` calls `accepting`)
/// MUST 2: an accepted time step, and every earlier one, is never accepted again.
/// (`AttemptStateTests.acceptedOnce`)
/// MUST 3: setting the clock back does not end a wait, and the time of the last failure never
/// decreases. (`AttemptStateTests.clockSetBack`)
/// MUST 4: attempts that the user's own processes make without a password delay only other such
/// attempts, and are at most a fifth of the failures that lock the factors, but at least one.
/// (`AttemptStateTests.ownProcessFailures`)
/// MUST 5: an answer that is refused as a repetition, and a longer wait of one source, take attempts away
/// and never add one. (`RecentAnswersTests.onlyRefuses`, `RecentTurnsTests.waits`)
package struct AttemptState: Equatable, Sendable {
  /// The last accepted time step of a factor. This step and all earlier ones are refused.
  package struct Watermark: Equatable, Sendable {
    /// The factor.
    package let factor: FactorID
    /// The time step (RFC 6238, section 4.2). For a phone, the time of the last accepted code, in
    /// seconds since the epoch.
    package var step: Int64

    /// Creates a watermark.
    package init(factor: FactorID, step: Int64) {
      self.factor = factor
      self.step = step
    }
  }

  /// The id of the record that the state belongs to.
  package let record: FactorID

  /// The number of consecutive failures, with any factor.
  package private(set) var failures: UInt32

  /// The time of the last failure counted in `failures`, in seconds since the epoch.
  package private(set) var lastFailure: Int64

  /// The watermarks, one for each factor of the record.
  package private(set) var watermarks: [Watermark]

  /// The number of sign-ins without a factor during which an enrolment was offered.
  package private(set) var postponedSignIns: UInt32

  /// The failures and notices that the user has not been shown yet.
  package private(set) var unreported: Unreported

  /// Recent sign-ins that allow the prompt to be skipped.
  package private(set) var remembered: RememberedSignIns

  /// Consecutive failed attempts by the user's own processes without a password.
  package private(set) var ownProcessFailures: FailureCount

  /// Consecutive failed attempts in daemons that do not act as root (`Daemon`).
  package private(set) var daemonFailures: FailureCount

  /// The number of changes that the user made in the current hour.
  package private(set) var ownChanges: HourlyCount

  /// The record that the state belongs to, and the last position checked in the audit log. Nil before
  /// the first change of a record; the state then names the record only by its id.
  package var binding: RecordBinding?

  /// The answers that were typed last.
  package private(set) var recentAnswers: RecentAnswers

  /// The sources of the last attempts after a wait.
  package private(set) var recentTurns: RecentTurns

  /// The codes that were sent to the user's phones.
  package private(set) var sentCodes: SentCodes

  /// Consecutive proofs of the account's password that failed or did not end.
  package private(set) var passwordFailures: FailureCount

  /// The key that was shown last during a sign-in, for a user without a factor. It has the room of watermarks.
  package private(set) var shownKey: ShownKey

  /// Creates a state.
  package init(
    record: FactorID, failures: UInt32 = 0, lastFailure: Int64 = 0, watermarks: [Watermark] = [],
    postponedSignIns: UInt32 = 0, unreported: Unreported = Unreported(),
    remembered: RememberedSignIns = RememberedSignIns(),
    ownProcessFailures: FailureCount = FailureCount(),
    daemonFailures: FailureCount = FailureCount(),
    ownChanges: HourlyCount = HourlyCount(), binding: RecordBinding? = nil,
    recentAnswers: RecentAnswers = RecentAnswers(), recentTurns: RecentTurns = RecentTurns(),
    sentCodes: SentCodes = SentCodes(), passwordFailures: FailureCount = FailureCount(),
    shownKey: ShownKey = ShownKey()
  ) {
    self.record = record
    self.failures = failures
    self.lastFailure = lastFailure
    self.watermarks = watermarks
    self.postponedSignIns = postponedSignIns
    self.unreported = unreported
    self.remembered = remembered
    self.ownProcessFailures = ownProcessFailures
    self.daemonFailures = daemonFailures
    self.ownChanges = ownChanges
    self.binding = binding
    self.recentAnswers = recentAnswers
    self.recentTurns = recentTurns
    self.sentCodes = sentCodes
    self.passwordFailures = passwordFailures
    self.shownKey = shownKey
  }

  /// The failures and notices to show at the next sign-in.
  package struct Unreported: Equatable, Sendable {
    /// The number of failed attempts since the user was last informed.
    package var failures: UInt32
    /// The time of the last of these attempts, in seconds since the epoch; 0 if there was none.
    package var lastFailure: Int64
    /// The source of the last of these attempts.
    package var source: Source
    /// The number of the last notice in the record that the user was shown.
    package var lastShownNotice: UInt32

    /// Creates a value. By default, nothing is pending.
    package init(
      failures: UInt32 = 0, lastFailure: Int64 = 0, source: Source = .unknown,
      lastShownNotice: UInt32 = 0
    ) {
      self.failures = failures
      self.lastFailure = lastFailure
      self.source = source
      self.lastShownNotice = lastShownNotice
    }

    /// Returns this value without the last failed attempts. The source and the time of the attempt
    /// before them are not known.
    package func leavingOut(_ count: UInt32) -> Unreported {
      guard count > 0 else { return self }
      let (left, overflow) = failures.subtractingReportingOverflow(count)
      return Unreported(failures: overflow ? 0 : left, lastShownNotice: lastShownNotice)
    }
  }

  // MARK: Attempts

  /// Whether a code may be tried now.
  package enum Standing: Equatable, Sendable {
    case open
    /// A code may be tried after this many seconds.
    case throttled(seconds: Int64)
    /// No code may be tried until an administrator unlocks the user or removes the factors. If only
    /// another counter than `Counter.signIn` is locked, an accepted code at a sign-in unlocks it too.
    case locked
  }

  /// The counter that an attempt belongs to.
  package enum Counter: Sendable {
    /// Attempts at a sign-in, and attempts after a password was verified.
    case signIn
    /// Attempts by one of the user's own processes without a password, such as a screen locker.
    case ownProcess
    /// Attempts in daemons that do not act as root (`Daemon`).
    case daemon
  }

  /// Returns the number of failures of another counter than `Counter.signIn` after which its attempts are
  /// refused: a fifth of the failures that lock the factors, but at least 1. A program without root's
  /// privileges therefore cannot lock the factors, unless a single failure locks them.
  package static func maximumUnprivilegedFailures(_ policy: ThrottlePolicy) -> UInt32 {
    max(policy.locksAfter / 5, 1)
  }

  /// Returns whether a code may be tried at `now` (seconds since the epoch).
  ///
  /// A failure in the future counts as a failure at `now`. `client` is a keyed digest of the source. It
  /// waits longer than the account if it took turns after earlier waits.
  package func standing(
    _ policy: ThrottlePolicy, now: Int64, counter: Counter = .signIn, client: UInt32? = nil
  ) -> Standing {
    // The sum of all failures stays below the limit of NIST SP 800-63B-4, section 3.2.2.
    let all = failures.addingSaturated(ownProcessFailures.failures)
      .addingSaturated(daemonFailures.failures)
    guard all < policy.locksAfter else { return .locked }
    let counted = count(of: counter)
    if counter != .signIn, counted.failures >= Self.maximumUnprivilegedFailures(policy) {
      return .locked
    }
    let left = counted.left(of: wait(policy, counter: counter, client: client), at: now)
    return left > 0 ? .throttled(seconds: left) : .open
  }

  /// What is known of an attempt before it is counted.
  package struct Details: Sendable {
    /// The source, as the user is told.
    package let source: Source
    /// The failures that the attempt is counted among.
    package let counter: Counter
    /// A keyed digest of the source, or nil if no source waits longer than others.
    package let client: UInt32?
    /// The answer, or nil if the same answer may be tried again at once.
    package let answer: TypedAnswer?

    /// Creates a value.
    package init(
      from source: Source = .unknown, counter: Counter = .signIn, client: UInt32? = nil,
      answer: TypedAnswer? = nil
    ) {
      self.source = source
      self.counter = counter
      self.client = client
      self.answer = answer
    }
  }

  /// The result of beginning an attempt.
  package enum Beginning: Equatable, Sendable {
    /// The attempt is counted. The state must be written before any code is compared.
    case counted(AttemptState)
    /// The attempt is refused, and no code may be compared.
    case refused(Standing)
    /// The same answer was typed a moment ago. The attempt is not counted, and no code may be compared.
    case repeated(RecentAnswers.Repetition)
  }

  /// Counts an attempt at `now`, or refuses it.
  package func begin(
    _ policy: ThrottlePolicy, now: Int64, _ details: Details = Details()
  ) -> Beginning {
    let standing = standing(
      policy, now: now, counter: details.counter, client: details.client)
    guard standing == .open else { return .refused(standing) }
    if let answer = details.answer, let repetition = recentAnswers.repetition(of: answer, at: now) {
      return .repeated(repetition)
    }
    var next = self
    switch details.counter {
    case .signIn:
      if let client = details.client, wait(policy, counter: .signIn) > 0 {
        next.recentTurns.add(client)
      }
      next.failures = failures.addingSaturated(1)
      next.lastFailure = max(lastFailure, now)
    case .ownProcess:
      next.ownProcessFailures = ownProcessFailures.adding(at: now)
    case .daemon:
      next.daemonFailures = daemonFailures.adding(at: now)
    }
    next.unreported.failures = unreported.failures.addingSaturated(1)
    next.unreported.lastFailure = now
    next.unreported.source = details.source
    return .counted(next)
  }

  /// Returns the state after an answer that was counted was wrong at `now` (seconds since the epoch). If
  /// `isHintShown`, the user has been told that a clock is wrong.
  package func rejecting(
    _ answer: TypedAnswer, at now: Int64, isHintShown: Bool = false
  ) -> AttemptState {
    var next = self
    next.recentAnswers.reject(answer, at: now)
    if isHintShown { next.recentAnswers.removeClockHints() }
    return next
  }

  /// Returns the wait in seconds that follows the failures of a counter; 0 for none. `client` is a keyed
  /// digest of the source that waits.
  package func wait(
    _ policy: ThrottlePolicy, counter: Counter, client: UInt32? = nil
  ) -> Int64 {
    let wait = policy.wait(afterFailures: count(of: counter).failures)
    guard counter == .signIn, let client else { return wait }
    return recentTurns.wait(of: client, wait)
  }

  // MARK: Proofs of the password

  /// The result of beginning a proof of the account's password.
  package enum PasswordBeginning: Equatable, Sendable {
    /// The proof is counted. The state must be written before the password is tried.
    case counted(AttemptState)
    /// No password may be tried for this many seconds.
    case refused(seconds: Int64)
  }

  /// Counts a proof of the account's password at `now`, or refuses it. The waits are those of codes. They
  /// concern nothing else, and nothing is locked: any program of the user can cause them.
  package func beginPasswordProof(_ policy: ThrottlePolicy, now: Int64) -> PasswordBeginning {
    let wait = policy.wait(afterFailures: passwordFailures.failures)
    let left = passwordFailures.left(of: wait, at: now)
    guard left == 0 else { return .refused(seconds: left) }
    var next = self
    next.passwordFailures = passwordFailures.adding(at: now)
    return .counted(next)
  }

  /// Returns the state after the password was proven.
  package func provingPassword() -> AttemptState {
    var next = self
    next.passwordFailures = FailureCount()
    return next
  }

  /// Returns the state after a counted proof in which no password was tried. Other proofs stay counted.
  package func withdrawingPasswordProof() -> AttemptState {
    guard passwordFailures.failures > 0 else { return self }
    var next = self
    next.passwordFailures.failures = passwordFailures.failures - 1
    return next
  }

  /// Returns the consecutive failures of one counter.
  package func count(of counter: Counter) -> FailureCount {
    switch counter {
    case .signIn: FailureCount(failures: failures, last: lastFailure)
    case .ownProcess: ownProcessFailures
    case .daemon: daemonFailures
    }
  }

  /// A factor that the typed code matched, and the latest matching time step in the window.
  package struct Match: Equatable, Sendable {
    /// The factor.
    package let factor: FactorID
    /// The time step.
    package let step: Int64

    /// Creates a match.
    package init(factor: FactorID, step: Int64) {
      self.factor = factor
      self.step = step
    }
  }

  /// Returns the state without typed answers and sources, whose digests cannot be recognised any more.
  package func forgettingAnswers() -> AttemptState {
    var next = self
    next.recentAnswers = RecentAnswers()
    next.recentTurns = RecentTurns()
    return next
  }

  /// Returns the state after a code of an answer was accepted at `now` (seconds since the epoch), with the
  /// answers of `before`, the state before the attempt. If `isHintShown`, the user has been told whether a
  /// clock is wrong.
  package func recording(
    _ code: UInt64?, of answer: TypedAnswer, at now: Int64, after before: AttemptState,
    isHintShown: Bool
  ) -> AttemptState {
    var next = self
    next.recentAnswers = before.recentAnswers
    if let code { next.recentAnswers.accept(code, of: answer, at: now) }
    if isHintShown { next.recentAnswers.removeClockHints() }
    return next
  }

  /// Accepts a counted attempt if one of its matches is above the factor's watermark. Returns the
  /// factor and the new state, or nil if no code may be accepted.
  ///
  /// An accepted code raises the watermark of every factor that it matched, so that no code is
  /// accepted twice if two factors share a secret. `sent` is the factor with the phone to which the
  /// code was sent, and the present time as its step, or nil. After any accepted code, the code that
  /// was sent is void.
  package func accepting(
    _ matches: [Match], sent: Match? = nil
  ) -> (factor: FactorID, state: AttemptState)? {
    guard let (factor, used) = usingUp(matches, sent: sent) else { return nil }
    return (factor, used.unlocked().voidingSentCode())
  }

  /// Returns the factor that `accepting` would accept a code of, and the state in which that code is used up,
  /// although it is not accepted: failures stay. Returns nil if no code may be accepted.
  package func usingUp(
    _ matches: [Match], sent: Match? = nil
  ) -> (factor: FactorID, state: AttemptState)? {
    guard let factor = (matches.first(where: { isFresh($0) }) ?? sent)?.factor else { return nil }
    var next = self
    for match in matches { next.raiseWatermark(of: match.factor, to: match.step) }
    guard let sent else { return (factor, next) }
    next.raiseWatermark(of: sent.factor, to: sent.step)
    return (factor, next.voidingSentCode())
  }

  /// Returns the state without the code that was sent.
  package func voidingSentCode() -> AttemptState {
    guard sentCodes.last != nil else { return self }
    var next = self
    next.sentCodes.removeCode()
    return next
  }

  /// Returns the state after a code was sent at `now` (seconds since the epoch), which replaces the
  /// code before it. `code` is nil if the code confirms a number.
  package func sending(_ code: SentCodes.Usable?, at now: Int64) -> AttemptState {
    var next = self
    next.sentCodes.add(code, at: now)
    return next
  }

  /// Returns the state with a code that was not sent, because it is that of a test number. It replaces the
  /// code before it, and does not count.
  package func offering(_ code: SentCodes.Usable, at now: Int64) -> AttemptState {
    var next = self
    next.sentCodes.offer(code, at: now)
    return next
  }

  /// Returns whether a match is above the factor's watermark. A factor without a watermark accepts
  /// no code, because its state was lost.
  private func isFresh(_ match: Match) -> Bool {
    guard let mark = watermarks.first(where: { $0.factor == match.factor }) else { return false }
    return match.step > mark.step
  }

  mutating func raiseWatermark(of factor: FactorID, to step: Int64) {
    guard let index = watermarks.firstIndex(where: { $0.factor == factor }) else { return }
    watermarks[index].step = max(watermarks[index].step, step)
  }

  // MARK: Pending notices

  /// Returns this state with `unreported` as pending. Used after an attempt that was counted as a
  /// failure but succeeded.
  package func restoring(_ unreported: Unreported) -> AttemptState {
    var next = self
    next.unreported = unreported
    return next
  }

  /// Returns the state after an attempt turned out not to be a failure. Restores what was pending
  /// before the attempt. If other attempts failed since, their source and time stay pending.
  package func withdrawingFailure(unreported before: Unreported) -> AttemptState {
    var next = self
    guard unreported.failures > 0 else { return next }
    next.unreported.failures = unreported.failures - 1
    guard next.unreported.failures == before.failures else { return next }
    next.unreported.lastFailure = before.lastFailure
    next.unreported.source = before.source
    return next
  }

  /// Returns the state after the user was shown all failures, and the notices up to `number`.
  package func told(upTo number: UInt32) -> AttemptState {
    restoring(Unreported(lastShownNotice: number))
  }

  /// Returns the state after the user confirmed having read about this many failures, and the
  /// notices up to `number`. If attempts failed since, all failures stay pending.
  package func confirmed(failures: UInt32, upTo number: UInt32) -> AttemptState {
    var next = self
    next.unreported.lastShownNotice = max(number, unreported.lastShownNotice)
    if unreported.failures == failures { next.unreported.failures = 0 }
    return next
  }

  // MARK: Remembered sign-ins

  /// Returns the state after remembering a sign-in from `place` at `time`.
  package func remembering(_ place: SignInOriginDigest, at time: Int64) -> AttemptState {
    var next = self
    next.remembered.add(place, at: time)
    return next
  }

  /// Returns the state without remembered sign-ins.
  package func forgetting() -> AttemptState {
    var next = self
    next.remembered = RememberedSignIns()
    return next
  }

  // MARK: Adding and removing factors

  /// Returns the state for the first factor of `record`. It has no failures and no watermarks,
  /// because there was nothing to guess. Pending notices are kept.
  package func beginning(_ record: FactorRecord) -> AttemptState {
    AttemptState(
      record: record.id, postponedSignIns: postponedSignIns, unreported: unreported,
      ownChanges: ownChanges,
      binding: binding, sentCodes: sentCodes, passwordFailures: passwordFailures)
  }

  /// Returns the state with a new factor. Its first watermark is the time step that confirmed it.
  package func adding(_ factor: FactorID, confirmedAt step: Int64) -> AttemptState {
    var next = self
    next.watermarks = watermarks.filter { $0.factor != factor }
    next.watermarks.append(Watermark(factor: factor, step: step))
    return next
  }

  /// Returns the state without watermarks of factors that the record does not have, and without
  /// remembered sign-ins, so that after a factor is removed every sign-in asks for a code.
  package func keeping(_ record: FactorRecord) -> AttemptState {
    var next = forgetting()
    next.watermarks = watermarks.filter { mark in record.factor(mark.factor) != nil }
    if let code = sentCodes.last, record.factor(code.factor) == nil {
      return next.voidingSentCode()
    }
    return next
  }

  /// Returns the state after one more sign-in without a factor.
  package func countingPostponedSignIn() -> AttemptState {
    var next = self
    next.postponedSignIns = postponedSignIns.addingSaturated(1)
    return next
  }

  /// Returns the state after a factor was resynchronised: without failures, and with all time steps
  /// up to `step` refused.
  package func resynchronized(_ factor: FactorID, at step: Int64) -> AttemptState {
    var next = unlocked()
    next.recentAnswers.removeRejected()
    next.raiseWatermark(of: factor, to: step)
    return next
  }

  /// Returns the last accepted time step of a factor, or nil if its state was lost.
  package func watermark(of factor: FactorID) -> Int64? {
    watermarks.first { $0.factor == factor }?.step
  }

  /// Returns when a code of a factor was last accepted, in seconds since the epoch. Returns nil if that is not known: the
  /// state was lost, or a restore refuses the codes of later times.
  package func lastUse(of factor: Factor, now: Int64) -> Int64? {
    guard let step = watermark(of: factor.id) else { return nil }
    let period: Int64 =
      switch factor.kind {
      case .totp(let parameters, _): Int64(parameters.period)
      case .phone: 1
      }
    let (time, overflows) = step.multipliedReportingOverflow(by: period)
    // The clock of a device can be ahead.
    let latest = now &+ period &* Int64(UInt8.max)
    return overflows || time <= 0 || time > latest ? nil : min(time, now)
  }

  /// Returns the state without failures, after a code was accepted. The watermarks are kept, so that no used code is accepted again.
  package func unlocked() -> AttemptState {
    var next = self
    next.failures = 0
    next.lastFailure = 0
    next.ownProcessFailures = FailureCount()
    next.daemonFailures = FailureCount()
    next.recentTurns = RecentTurns()
    return next
  }

  /// Returns the state without failures and remembered sign-ins, after an administrator unlocked the
  /// user at `now` (seconds since the epoch). Codes that seem to have been sent in the future, because
  /// the clock was ahead, no longer delay others.
  ///
  /// An attacker who caused the failures knows the password and may share an address with the user, so
  /// the next sign-in from any place needs a code.
  package func unlocked(at now: Int64) -> AttemptState {
    var next = unlocked().forgetting().provingPassword()
    next.sentCodes.removeFuture(now)
    return next
  }

  /// Returns the state after one more change by the user at `now` (seconds since the epoch), or nil
  /// if the user has already made `HourlyCount.most` changes in this hour.
  package func countingOwnChange(at now: Int64) -> AttemptState? {
    guard let count = ownChanges.adding(at: now) else { return nil }
    var next = self
    next.ownChanges = count
    return next
  }

  /// Returns the state after a key was shown during a sign-in.
  package func showing(_ key: ShownKey) -> AttemptState {
    guard watermarks.isEmpty else { return self }
    var next = self
    next.shownKey = key
    return next
  }

  // MARK: Binding to the record

  /// Returns whether the state belongs to the record `id` with the
  /// `RecordBinding.Identity.checksum` of `checksum`.
  package func goes(with id: FactorID, checksum: UInt64) -> Bool {
    guard let binding else { return record == id }
    return binding.current.checksum == checksum || binding.pending?.checksum == checksum
  }

  /// Whether the state is consistent with a missing record: the last change left no record, or a
  /// change that leaves no record was interrupted. A state without a binding always is.
  package var allowsMissingRecord: Bool {
    guard let binding else { return true }
    return binding.current.isNone || binding.pending?.isNone ?? false
  }

  /// Returns this state as it must be written before a change to `next`: with the watermarks of
  /// factors that only `next` has. If the change is interrupted, the record that exists then has
  /// its watermarks.
  package func preparing(for next: AttemptState) -> AttemptState {
    var state = self
    // An interrupted change is counted, too.
    state.ownChanges = next.ownChanges
    for mark in next.watermarks where state.watermark(of: mark.factor) == nil {
      // If there is no room, the watermark of a factor to be removed makes way for that of a new
      // factor.
      if state.watermarks.count >= FactorRecord.maximumFactors,
        let index = state.watermarks.firstIndex(where: { next.watermark(of: $0.factor) == nil })
      {
        state.watermarks.remove(at: index)
      }
      state.watermarks.append(mark)
    }
    return state
  }

  // MARK: Binary form

  /// The format version.
  package static let version: UInt16 = 1

  /// The fixed length of the binary form in bytes.
  package static let encodedLength = 832

  private static let magic: [UInt8] = [0x4D, 0x46, 0x41, 0x53]  // MFAS

  /// Returns the binary form, with the slot's sequence number.
  package func encoded(sequence: UInt64) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(Self.magic)
    writer.write(Self.version)
    writer.write(sequence)
    writer.write(record.bytes)
    writer.write(failures)
    writer.write(lastFailure)
    writer.write(postponedSignIns)
    writer.write(UInt8(truncatingIfNeeded: watermarks.count))
    for index in watermarks.indices where index < FactorRecord.maximumFactors {
      let mark = watermarks[index]
      writer.write(mark.factor.bytes)
      writer.write(mark.step)
    }
    writer.write(unreported.failures)
    writer.write(unreported.lastFailure)
    writer.writeShort(unreported.source.text)
    writer.write(unreported.lastShownNotice)
    remembered.encode(to: &writer)
    writer.write(ownProcessFailures.failures)
    writer.write(ownProcessFailures.last)
    writer.write(ownChanges.hour)
    writer.write(ownChanges.count)
    RecordBinding.encode(binding, to: &writer)
    sentCodes.encode(to: &writer)
    recentAnswers.encode(to: &writer)
    recentTurns.encode(to: &writer)
    writer.write(passwordFailures.failures)
    writer.write(passwordFailures.last)
    if watermarks.isEmpty { shownKey.encode(to: &writer) }
    writer.write(daemonFailures.failures)
    writer.write(daemonFailures.last)
    writer.pad(to: Self.encodedLength)
    return writer.bytes
  }

  /// Returns the sequence number in a binary form, without verifying the form; 0 if it is too
  /// short.
  package static func claimedSequence(of encoded: Span<UInt8>) -> UInt64 {
    var reader = ByteReader(encoded)
    guard reader.read(UInt32.self) != nil, reader.read(UInt16.self) != nil else { return 0 }
    return reader.read(UInt64.self) ?? 0
  }

  /// Parses a binary form without the zeros at its end.
  package static func decode(
    unpadded encoded: [UInt8]
  ) -> (state: AttemptState, sequence: UInt64)? {
    let missing = encodedLength &- encoded.count
    guard missing >= 0 else { return nil }
    let padded = encoded + [UInt8](repeating: 0, count: missing)
    return decode(padded.span)
  }

  /// Parses the binary form. Returns nil if it is invalid or of an unknown version.
  package static func decode(_ encoded: Span<UInt8>) -> (state: AttemptState, sequence: UInt64)? {
    var reader = ByteReader(encoded)
    guard encoded.count == encodedLength, reader.read(count: 4) == magic,
      reader.read(UInt16.self) == version, let sequence = reader.read(UInt64.self),
      let record = reader.read(count: FactorID.length).flatMap({ FactorID(bytes: $0) }),
      let failures = reader.read(UInt32.self), let lastFailure = reader.read(Int64.self),
      let postponedSignIns = reader.read(UInt32.self),
      let count = reader.read(UInt8.self), count <= FactorRecord.maximumFactors
    else { return nil }
    var watermarks: [Watermark] = []
    for _ in 0..<count {
      guard let factor = reader.read(count: FactorID.length).flatMap({ FactorID(bytes: $0) }),
        let step = reader.read(Int64.self), !watermarks.contains(where: { $0.factor == factor })
      else { return nil }
      watermarks.append(Watermark(factor: factor, step: step))
    }
    guard let untoldFailures = reader.read(UInt32.self),
      let lastUntoldFailure = reader.read(Int64.self), let source = reader.readShort(),
      Source(source).text == source, let lastShownNotice = reader.read(UInt32.self),
      let remembered = RememberedSignIns(&reader)
    else { return nil }
    guard let ownProcessFailures = readFailures(&reader), let hour = reader.read(Int64.self),
      let changes = reader.read(UInt16.self), let decoded = RecordBinding.decode(&reader),
      let sentCodes = SentCodes(&reader), let recentAnswers = RecentAnswers(&reader),
      let recentTurns = RecentTurns(&reader), let passwordFailures = readFailures(&reader),
      let shownKey = watermarks.isEmpty ? ShownKey(&reader) : ShownKey(),
      let daemonFailures = readFailures(&reader), reader.isRestZero
    else { return nil }
    let state = AttemptState(
      record: record, failures: failures, lastFailure: lastFailure, watermarks: watermarks,
      postponedSignIns: postponedSignIns,
      unreported: Unreported(
        failures: untoldFailures, lastFailure: lastUntoldFailure, source: Source(source),
        lastShownNotice: lastShownNotice),
      remembered: remembered, ownProcessFailures: ownProcessFailures,
      daemonFailures: daemonFailures, ownChanges: HourlyCount(hour: hour, count: changes),
      binding: decoded.binding,
      recentAnswers: recentAnswers, recentTurns: recentTurns, sentCodes: sentCodes,
      passwordFailures: passwordFailures, shownKey: shownKey)
    return (state, sequence)
  }

  private static func readFailures(_ reader: inout ByteReader) -> FailureCount? {
    guard let failures = reader.read(UInt32.self), let last = reader.read(Int64.self) else {
      return nil
    }
    return FailureCount(failures: failures, last: last)
  }
}

extension FailureCount {
  /// Returns the larger number and the later time of two counts.
  package func larger(_ other: FailureCount) -> FailureCount {
    FailureCount(failures: max(failures, other.failures), last: max(last, other.last))
  }

  /// Returns the count with another failure at `now`, in seconds since the epoch.
  fileprivate func adding(at now: Int64) -> FailureCount {
    FailureCount(failures: failures.addingSaturated(1), last: max(last, now))
  }

  /// Returns how many of the seconds to wait after the last failure are left at `now`. A failure in the
  /// future counts as now.
  fileprivate func left(of wait: Int64, at now: Int64) -> Int64 {
    let (elapsed, overflow) = now.subtractingReportingOverflow(last)
    guard !overflow, elapsed >= 0 else { return wait }
    return elapsed < wait ? wait &- elapsed : 0
  }
}

extension UInt32 {
  fileprivate func addingSaturated(_ other: UInt32) -> UInt32 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}

extension AttemptState {
  /// Returns the state to continue with if commits up to `time` (seconds since the epoch) may have been
  /// lost: no code is accepted whose time step could have been accepted before.
  ///
  /// At `time`, codes of up to `intervals` later time steps were acceptable. Each factor's watermark is
  /// raised to the last of them. A code that was sent to a phone and remembered sign-ins are cleared,
  /// because they may have been used or cleared before.
  package func fenced(
    at time: Int64, intervals: UInt8, for record: FactorRecord
  ) -> AttemptState {
    var next = forgetting().voidingSentCode()
    for factor in record.factors {
      guard let parameters = factor.parameters else { continue }
      let step = parameters.step(at: factor.clock(at: time))
      let (last, overflow) = step.addingReportingOverflow(Int64(intervals))
      next.raiseWatermark(of: factor.id, to: overflow ? .max : last)
    }
    return next
  }

  /// Returns the state that remains when the user's record is removed. It keeps what limits the user's own
  /// changes and the messages to the user's phones.
  package func withoutRecord() -> AttemptState {
    AttemptState(
      record: .zero, ownChanges: ownChanges, sentCodes: voidingSentCode().sentCodes,
      passwordFailures: passwordFailures)
  }
}

// What a restored backup does to an attempt state.
extension AttemptState {
  /// Returns this state of a backup for `record`, to be written over the state `present`.
  ///
  /// Each factor refuses the time steps that either state refuses, and those up to the one in
  /// `refusing`. The larger number of failures and the later time count. Remembered sign-ins end.
  package func restored(
    for record: FactorRecord, over present: AttemptState, refusing: [Watermark]
  ) -> AttemptState {
    let marks = record.factors.compactMap { factor -> Watermark? in
      let steps = [
        watermark(of: factor.id), present.watermark(of: factor.id),
        refusing.first { $0.factor == factor.id }?.step,
      ].compactMap { $0 }
      return steps.max().map { Watermark(factor: factor.id, step: $0) }
    }
    return AttemptState(
      record: record.id, failures: max(failures, present.failures),
      lastFailure: max(lastFailure, present.lastFailure), watermarks: marks,
      postponedSignIns: max(postponedSignIns, present.postponedSignIns), unreported: unreported,
      ownProcessFailures: ownProcessFailures.larger(present.ownProcessFailures),
      daemonFailures: daemonFailures.larger(present.daemonFailures),
      ownChanges: present.ownChanges, binding: present.binding,
      passwordFailures: present.passwordFailures)
  }
}
