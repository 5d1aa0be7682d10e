import MFABase
import MFATestSupport
import Testing

@testable import MFAModel

@Suite struct SentCodesTests {
  private static let now: Int64 = 1_795_000_000
  private static let code = SentCodes.Usable(factor: identifier(7), digest: .max, message: 9)

  private static func state(_ codes: [(SentCodes.Usable?, Int64)]) -> AttemptState {
    codes.reduce(AttemptState(record: identifier(1))) { $0.sending($1.0, at: $1.1) }
  }

  /// MUST 1.
  @Test("only the last code may be used, and only once")
  func oneCode() throws {
    let other = SentCodes.Usable(factor: identifier(8), digest: 1, message: 2)
    let state = Self.state([(Self.code, Self.now), (other, Self.now + 60)])
    #expect(state.sentCodes.usable(at: Self.now + 60) == other)
    let accepted = state.accepting([], sent: .init(factor: identifier(8), step: Self.now + 61))
    #expect(accepted?.factor == identifier(8))
    #expect(accepted?.state.sentCodes.usable(at: Self.now + 61) == nil)
    #expect(accepted?.state.sentCodes.times.count == 2)
    // A code that confirms a number replaces a code for a sign-in.
    #expect(state.sending(nil, at: Self.now + 90).sentCodes.usable(at: Self.now + 90) == nil)
    // So does the removal of the phone.
    let record = FactorRecord(user: try #require(UserName([0x61])), uid: 1, id: identifier(1))
    #expect(state.keeping(record).sentCodes.last == nil)
  }

  /// MUST 1.
  @Test("a code may be used for 10 minutes, and not before it was sent")
  func expires() {
    let codes = Self.state([(Self.code, Self.now)]).sentCodes
    for (time, isUsable) in [
      (0, true), (599, true), (600, false), (-1, false), (.max, false),
    ] as [(Int64, Bool)] {
      let (now, overflow) = Self.now.addingReportingOverflow(time)
      #expect((codes.usable(at: overflow ? .max : now) != nil) == isUsable, "\(time)")
    }
  }

  /// MUST 2.
  @Test("no sequence of requests exceeds a limit", arguments: 1...40)
  func limits(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let limits = UserSendLimits(
      interval: Int64.random(in: 10...120, using: &generator),
      perTenMinutes: UInt32.random(in: 1...10, using: &generator),
      perDay: UInt32.random(in: 1...12, using: &generator))
    var codes = SentCodes()
    var sent: [Int64] = []
    var now = Self.now
    for _ in 0..<2000 {
      now += Int64.random(in: 0...400, using: &generator)
      let wait = codes.wait(limits, at: now)
      let isAllowed =
        now - (sent.last ?? 0) >= limits.interval
        && sent.count { now - $0 < 600 } < limits.perTenMinutes
        && sent.count { now - $0 < 86_400 } < limits.perDay
      #expect((wait == 0) == isAllowed, "\(sent.suffix(12)), \(now)")
      if wait > 0 { #expect(codes.wait(limits, at: now + wait) == 0) }
      guard wait == 0 else { continue }
      codes.add(nil, at: now)
      sent.append(now)
    }
    #expect(sent.count > 3)
  }

  /// MUST 2.
  @Test("setting the clock back does not shorten a wait")
  func clockSetBack() {
    var codes = SentCodes()
    codes.add(nil, at: Self.now)
    #expect(codes.wait(UserSendLimits(interval: 30), at: Self.now - 1000) == 30)
    codes.add(nil, at: Self.now - 1000)
    #expect(codes.times == [UInt32(Self.now), UInt32(Self.now)])
    #expect(codes.usable(at: Self.now - 1000) == nil)
  }

  @Test("unlocking a user ends a wait that began while the clock was ahead")
  func unlocked() {
    let state = Self.state([(nil, Self.now), (Self.code, Self.now + 1_000_000)])
    #expect(state.sentCodes.wait(UserSendLimits(), at: Self.now + 60) == 30)
    let unlocked = state.unlocked(at: Self.now + 60).sentCodes
    #expect(unlocked.times == [UInt32(Self.now)] && unlocked.last == nil)
    #expect(unlocked.wait(UserSendLimits(), at: Self.now + 60) == 0)
    // Without a time in the future, nothing changes.
    #expect(state.unlocked(at: Self.now + 1_000_000).sentCodes == state.sentCodes)
  }

  @Test("every state is encoded in one way, and reads back equal")
  func encoding() {
    var state = AttemptState(record: identifier(1))
    for count in 1...20 {
      state = state.sending(count % 2 == 0 ? nil : Self.code, at: Self.now + Int64(count))
      let encoded = state.encoded(sequence: 5)
      #expect(encoded.count == AttemptState.encodedLength)
      let read = AttemptState.decode(encoded.span)
      #expect(read?.state == state && read?.sequence == 5)
    }
    #expect(state.sentCodes.times.count == 12)
  }

  @Test("the code of a test number can be used as one that was sent, and counts for nothing")
  func testNumber() throws {
    var state = AttemptState(record: identifier(1))
    for _ in 0..<30 { state = state.offering(Self.code, at: Self.now) }
    #expect(state.sentCodes.times.isEmpty && !state.sentCodes.isEmpty)
    #expect(state.sentCodes.wait(UserSendLimits(), at: Self.now) == 0)
    #expect(state.sentCodes.usable(at: Self.now + 599) == Self.code)
    #expect(state.sentCodes.usable(at: Self.now + 600) == nil)
    #expect(state.sentCodes.usable(at: Self.now - 1) == nil)
    #expect(AttemptState.decode(state.encoded(sequence: 1).span)?.state == state)
    #expect(state.voidingSentCode().sentCodes == SentCodes())
    #expect(state.unlocked(at: Self.now - 1).sentCodes == SentCodes())
    // After a code was sent, that one can be used, and the other way round.
    let sent = state.sending(nil, at: Self.now)
    #expect(sent.sentCodes.usable(at: Self.now) == nil)
    #expect(sent.offering(Self.code, at: Self.now + 5).sentCodes.times.count == 1)
  }

  @Test("the longest state fits")
  func longest() throws {
    var state = AttemptState(record: identifier(1))
    for number in 0..<UInt8(FactorRecord.maximumFactors) {
      state = state.adding(identifier(number), confirmedAt: .max)
    }
    for number in 0..<9 as Range<UInt64> {
      state = state.remembering(
        SignInOriginDigest(number < 4 ? .address : .session, number), at: .max)
    }
    let source = Source([UInt8](repeating: 0x61, count: Source.maximumLength))
    let codes = (1...8 as ClosedRange<UInt64>).map { UInt64.max - $0 }
    var turns = RecentTurns()
    for turn in 1...8 as ClosedRange<UInt32> { turns.add(.max - turn) }
    state = AttemptState(
      record: state.record, watermarks: state.watermarks, remembered: state.remembered,
      recentTurns: turns)
    let answer = TypedAnswer(codes, scope: .max, mayShowClock: true)
    let details = AttemptState.Details(from: source, answer: answer)
    guard case .counted(var counted) = state.begin(ThrottlePolicy(), now: 1, details) else {
      Issue.record("not counted")
      return
    }
    counted = counted.rejecting(answer, at: 1)
    #expect(counted.recentAnswers.entries.count == 8)
    let identity = RecordBinding.Identity(checksum: 1, fingerprint: 2)
    counted.binding = RecordBinding(current: identity, pending: identity)
    for number in 0..<12 as Range<Int64> {
      counted = counted.sending(Self.code, at: Self.now + number)
    }
    let encoded = counted.encoded(sequence: .max)
    #expect(encoded.count == AttemptState.encodedLength)
    #expect(AttemptState.decode(encoded.span)?.state == counted)
  }

  @Test("requests without a password leave some codes for sign-ins")
  func ownProcessLimits() {
    let limits = UserSendLimits()
    #expect(
      limits.forOwnProcesses == UserSendLimits(interval: 30, perTenMinutes: 2, perDay: 5))
    #expect(
      UserSendLimits(interval: 30, perTenMinutes: 1, perDay: 1).forOwnProcesses
        == UserSendLimits(interval: 30, perTenMinutes: 1, perDay: 1))
  }
}

/// Configurations that depend on the session of a sign-in.
@Suite struct SessionTests {
  @Test(arguments: [
    (1, "[project]\n", false),
    (2, "[project]\nremember = 8h\nremember_services = sshd\n", false),
    (3, "[project]\nremember = 8h\nremember_services = sshd, sudo\n", true),
    (4, "[project]\nfresh_for = 15m\n", true),
    (5, "[project]\nfresh_for = off\n", false),
    (6, "[project]\n[tenant a]\nservices = sudo\nfresh_for = 15m\n", true),
    (7, "[project]\n[tenant a]\nservices = sudo\nfresh_for = off\n", false),
    (8, "[project]\n[tenant a]\nusers = a\nremember_services = sudo\n", true),
    (9, "[project]\n[tenant a]\nusers = a\nremember_services = sshd\n", false),
  ])
  func followsSessions(number: Int, text: String, expected: Bool) throws {
    #expect(try parse(text).followsSessions == expected, "row \(number)")
  }

  @Test(arguments: [
    (1, "[project]\n", "sshd", Int64(0)),
    (2, "[project]\nremember = 8h\nremember_services = sshd\n", "sshd", 28_800),
    (3, "[project]\nremember = 8h\nremember_services = sshd\n", "sudo", 0),
    (4, "[project]\nremember = 8h\nremember_services = sshd\nfresh_for = 1m\n", "sshd", 60),
    (5, "[project]\nremember = 8h\nremember_services = sshd\nfresh_for = 1m\n", "sudo", 60),
    (6, "[project]\nremember_services = sshd\n", "sshd", 0),
  ])
  func oldestCode(number: Int, text: String, service: String, expected: Int64) throws {
    #expect(
      try parse(text).project.oldestCode(in: Array(service.utf8)) == expected, "row \(number)")
  }
}
