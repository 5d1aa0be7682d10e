import MFABase
import MFACrypto
import MFAStore
import MFAModel

// The digests of the codes that were typed, and the hint that a clock is wrong.
//
// An attempt stores keyed digests of what was typed, in the write that counts the attempt, so that the
// same answer is not counted again.
// A user may learn that a code was one of another time with the next accepted code of the factor, or with a
// second wrong code that was right at the same distance from its time as the first: a guesser learns nothing.
//
// MUST 1: one code alone never has another answer than any wrong code.
// (`ClockHintTests.onlyTwoCodes`, `.outside`)
extension Attempt {
  /// Returns the answer as the attempt state remembers it: digests of the codes that are compared with
  /// something in the record. Returns nil if there are none.
  static func answer<Entry: FactorStoreEntry>(
    _ codes: TypedCodes?, _ entry: Entry, _ context: Context
  ) throws(FactorStoreError) -> TypedAnswer? {
    guard let codes, let record = entry.kept else { return nil }
    var lengths: [CodeLength] = []
    for factor in record.factors where !lengths.contains(factor.codeLength) {
      lengths.append(factor.codeLength)
    }
    let isOfFactor = lengths.contains { codes.code(of: $0) != nil }
    if !lengths.contains(.eight), record.recoveryCodes.contains(where: { $0.kind == .imported }) {
      lengths.append(.eight)
    }
    var digests: [UInt64] = []
    for length in lengths {
      guard let code = codes.code(of: length) else { continue }
      digests.append(try entry.digest(ofTyped: code, in: record))
    }
    if codes.hasRecoveryCode, let code = try digest(ofRecoveryCodeIn: codes, entry, record) {
      digests.append(code)
    }
    return TypedAnswer(
      digests, scope: scope(record, entry.attempts, context), mayShowClock: isOfFactor,
      factors: record.factors, adjacentIntervals: context.settings.adjacentIntervals)
  }

  /// Returns the beginning of a digest of the recovery code or bypass code that was typed, or of the
  /// number in the form of an imported recovery code.
  static func digest<Entry: FactorStoreEntry>(
    ofRecoveryCodeIn codes: TypedCodes, _ entry: Entry, _ record: FactorRecord
  ) throws(FactorStoreError) -> UInt64? {
    let found = try codes.withRecoveryCode { code throws(FactorStoreError) in
      try digest(of: code, .generated, in: record, by: entry)
    }
    guard let found else {
      guard let code = codes.code(of: .eight) else { return nil }
      return try entry.digest(ofTyped: code, in: record)
    }
    var reader = ByteReader(found.bytes.span)
    return reader.read(UInt64.self)
  }

  /// Returns a hash of everything that determines whether an answer is right, except the time: see
  /// `TypedAnswer.scope`.
  private static func scope(
    _ record: FactorRecord, _ attempts: AttemptState, _ context: Context
  ) -> UInt32 {
    var writer = ByteWriter()
    writer.write(record.generation)
    writer.write(context.settings.adjacentIntervals)
    writer.write(context.factor?.bytes ?? [])
    for factor in record.factors { writer.write(UInt8(context.settings.allows(factor) ? 1 : 0)) }
    if let sent = attempts.sentCodes.usable(at: context.now), let session = context.session {
      writer.write(sent.message)
      writer.write(session.identity)
    }
    // FNV-1a. A collision only refuses an answer once.
    return writer.bytes.reduce(0x811C_9DC5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
  }
}

extension SignInOriginDigest {
  /// The digest as an attempt state remembers the source of an attempt.
  package var client: UInt32 { UInt32(truncatingIfNeeded: value) }
}

extension CountedAttempt {
  /// Returns whether the code typed before this attempt was a code of `factor`, but outside the time
  /// steps that were accepted then. Every time step is computed and compared.
  func clockMayBeWrong(_ id: FactorID) throws(FactorStoreError) -> Bool {
    guard context.showsClockHint, let failed = before.recentAnswers.clockHint,
      let factor = record.factor(id), let parameters = factor.parameters
    else { return false }
    let time = factor.clock(at: Int64(failed.time))
    let accepted = context.settings.adjacentIntervals
    let further = Resynchronization.steps(period: parameters.period)
    let reach = UInt8(clamping: Int64(accepted) &+ further)
    guard let window = parameters.window(at: time, adjacentIntervals: accepted),
      let range = parameters.window(at: time, adjacentIntervals: reach)
    else { return false }
    let secret = try entry.secret(of: factor)
    let codes = try cryptographic { () throws(SystemError) in
      try Self.codes(range, of: secret.span, parameters)
    }
    var isFound = false
    var step = range.lowerBound
    for code in codes {
      let digest = try entry.digest(ofTyped: code, in: record)
      if digest == failed.digest, !window.contains(step) { isFound = true }
      step &+= 1
    }
    return isFound
  }

  /// The longest time in seconds between two codes that show a wrong clock.
  private static var longestPause: Int64 { 900 }

  /// Returns how many seconds the clock of an authenticator is ahead, if the rejected code and the one before it
  /// were different codes of one factor at the same distance from their times, or a time step more or less. A
  /// guesser finds two such codes once in about a thousand million pairs.
  ///
  /// Every time step within an hour is computed and compared.
  func clockOffset(of codes: TypedCodes) throws(FactorStoreError) -> Int64? {
    guard context.searchesOtherTimes, let failed = before.recentAnswers.clockHint else {
      return nil
    }
    let (pause, overflow) = context.now.subtractingReportingOverflow(Int64(failed.time))
    guard !overflow, 0...Self.longestPause ~= pause else { return nil }
    var secondsAhead: Int64?
    for factor in record.factors where isWanted(factor.id) && isAllowed(factor.id) {
      guard let parameters = factor.parameters, let code = codes.code(of: parameters.codeLength)
      else { continue }
      let (first, last) = (
        factor.clock(at: Int64(failed.time)), factor.clock(at: context.now)
      )
      let steps = parameters.stepsInAnHour
      guard let earlier = parameters.window(at: first, adjacentIntervals: steps),
        let later = parameters.window(at: last, adjacentIntervals: steps)
      else { continue }
      let secret = try entry.secret(of: factor)
      let all = try cryptographic { () throws(SystemError) in
        try Self.codes(earlier.lowerBound...later.upperBound, of: secret.span, parameters)
      }
      let typed = try entry.digest(ofTyped: code, in: record)
      var (failedStep, typedStep): (Int64?, Int64?)
      var step = earlier.lowerBound
      for code in all {
        let digest = try entry.digest(ofTyped: code, in: record)
        if digest == failed.digest { failedStep = step }
        if digest == typed { typedStep = step }
        step &+= 1
      }
      guard let failedStep, let typedStep, failedStep != typedStep else { continue }
      let offset = typedStep &- parameters.step(at: last)
      let earlierOffset = failedStep &- parameters.step(at: first)
      guard abs(offset &- earlierOffset) <= 1 else { continue }
      secondsAhead = offset &* Int64(parameters.period)
    }
    return secondsAhead
  }

  /// Returns the code of each time step.
  private static func codes(
    _ steps: ClosedRange<Int64>, of secret: Span<UInt8>, _ parameters: TOTPParameters
  ) throws(SystemError) -> [Code] {
    var hotp = try HOTP(secret: secret, algorithm: parameters.algorithm)
    var codes: [Code] = []
    var step = steps.lowerBound
    while step <= steps.upperBound {
      codes.append(try hotp.code(at: UInt64(bitPattern: step), digits: parameters.codeLength))
      step &+= 1
    }
    return codes
  }
}
