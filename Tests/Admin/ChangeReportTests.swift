import MFAAdminTestSupport
import MFAAttempt
import MFAModel
import MFAStore
import Testing

@testable import MFAAdmin

/// The reports of commands that change something: each value as text and as JSON.
@Suite struct ChangeReportTests {
  static let now: Int64 = 1_700_000_000
  static let mark = AuditLogCheckpoint(Array("17:9f2c0a1b".utf8))

  static func phone() throws -> Factor { try factor(try id(0xAB, 0xCD), "phone") }

  /// A factor in JSON.
  static let phoneText = #"{"id":"abcd0000000000000000000000000000","displayName":"phone"}"#

  // MARK: Revoking

  static let revocations: [(Int, @Sendable () throws -> UserChange.Removal?, String, String)] =
    [
      (
        1, { removal(of: try phone(), left: 1, remembered: 2) }, "alice: revoked phone",
        #""result":"revoked","factors":[PHONE],"factorsLeft":1,"grants":0,"rememberedSignIns":2"#
      ),
      (
        2, { removal(of: try phone(), left: 0, remembered: 0) },
        "alice: revoked phone; no factor is left",
        #""result":"revoked","factors":[PHONE],"factorsLeft":0,"grants":0,"rememberedSignIns":0"#
      ),
      (
        3, { removal([try phone()], grants: 3, remembered: 1) },
        "alice: revoked every factor; no factor is left",
        #""result":"revoked","factors":[PHONE],"factorsLeft":0,"grants":3,"rememberedSignIns":1"#
      ),
      (
        4, { removal([], grants: 1, remembered: 0) },
        "alice: removed what was stored; no factor is left",
        #""result":"revoked","factors":[],"factorsLeft":0,"grants":1,"rememberedSignIns":0"#
      ),
      (
        5, { nil }, "alice: removed what was stored; no factor is left",
        #""result":"discarded","factors":null,"factorsLeft":0,"grants":null,"rememberedSignIns":null"#
      ),
    ]

  @Test(arguments: revocations.indices) func revoked(_ index: Int) throws {
    let (number, removal, sentence, members) = Self.revocations[index]
    for mark in [Self.mark, nil] {
      let report = RevocationReport(
        user: try userName("alice"), removal: try removal(), entered: .entered(mark))
      #expect(report.sentence == sentence, "case \(number)")
      let auditLog = mark == nil ? "null" : #""17:9f2c0a1b""#
      #expect(
        Self.compact(report.json)
          == #"{"user":"alice",\#(members.replacing("PHONE", with: Self.phoneText)),"#
          + #""signIns":null,"checkpoint":\#(auditLog),"auditLogFailure":null}"#,
        "case \(number)")
    }
  }

  // MARK: Unlocking

  /// The number of wrong codes, the seconds since the last one, the number of steps that the last
  /// accepted code is ahead, and the expected report.
  static let unlockings: [(Int, UInt32, ago: Int64, ahead: Int64, String, String)] = [
    (
      1, 0, 0, 0, "alice: was not locked",
      #""result":"not-locked","acceptedRestored":false,"before":{"standing":"open","waitSeconds":0,"wrongCodes":0,"wrongCodesInOwnPrograms":0,"wrongCodesInDaemons":0}"#
    ),
    (
      2, 1, 25, 0, "alice: was not locked; cleared: 1 wrong code",
      #""result":"not-locked","acceptedRestored":false,"before":{"standing":"open","waitSeconds":0,"wrongCodes":1,"wrongCodesInOwnPrograms":0,"wrongCodesInDaemons":0}"#
    ),
    (
      3, 7, 25, 0, "alice: 7 wrong codes, throttled 95 s: unlocked",
      #""result":"unlocked","acceptedRestored":false,"before":{"standing":"throttled","waitSeconds":95,"wrongCodes":7,"wrongCodesInOwnPrograms":0,"wrongCodesInDaemons":0}"#
    ),
    (
      4, 100, 25, 6, "alice: 100 wrong codes, locked: unlocked" + UnlockingTests.warning,
      #""result":"unlocked","acceptedRestored":false,"before":{"standing":"locked","waitSeconds":0,"wrongCodes":100,"wrongCodesInOwnPrograms":0,"wrongCodesInDaemons":0}"#
    ),
  ]

  @Test(arguments: unlockings)
  func unlocked(
    _ number: Int, _ failures: UInt32, _ ago: Int64, _ ahead: Int64, _ sentence: String,
    _ members: String
  ) throws {
    let phone = try Self.phone()
    let record = try record("alice", [phone])
    let attempts = AttemptState(
      record: record.id, failures: failures, lastFailure: failures == 0 ? 0 : Self.now - ago,
      watermarks: [AttemptState.Watermark(factor: phone.id, step: Self.now / 30 + ahead)])
    let unlocking = UserChange.Unlocking(
      record, attempts, ThrottlePolicy(), adjacentIntervals: 5, now: Self.now)
    let report = UnlockingReport(
      user: try userName("alice"), unlocking: unlocking,
      entered: .entered(failures == 0 ? nil : Self.mark))
    #expect(report.sentence == sentence, "case \(number)")
    let factors = ahead == 0 ? "" : Self.phoneText
    let auditLog = failures == 0 ? "null" : #""17:9f2c0a1b""#
    #expect(
      Self.compact(report.json)
        == #"{"user":"alice",\#(members),"factorsAhead":[\#(factors)],"rememberedSignIns":0,"checkpoint":\#(auditLog),"auditLogFailure":null}"#,
      "case \(number)")
  }

  // MARK: Clearing remembered sign-ins

  static let forgettings: [(Int, Int, String, String)] = [
    (
      1, 0, "alice: no sign-in was remembered",
      #"{"user":"alice","result":"nothing-remembered","rememberedSignIns":0,"checkpoint":null}"#
    ),
    (
      2, 1, "alice: cleared 1 remembered sign-in",
      #"{"user":"alice","result":"forgotten","rememberedSignIns":1,"checkpoint":"17:9f2c0a1b"}"#
    ),
    (
      3, 2, "alice: cleared 2 remembered sign-ins",
      #"{"user":"alice","result":"forgotten","rememberedSignIns":2,"checkpoint":"17:9f2c0a1b"}"#
    ),
  ]

  @Test(arguments: forgettings)
  func forgotten(_ number: Int, _ rememberedCount: Int, _ sentence: String, _ json: String) throws {
    let report = ClearedSignInsReport(
      user: try userName("alice"), rememberedCount: rememberedCount,
      mark: rememberedCount == 0 ? nil : Self.mark)
    #expect(report.sentence == sentence, "case \(number)")
    #expect(Self.compact(report.json) == json, "case \(number)")
  }

  // MARK: Withdrawing

  @Test func withdrawn() throws {
    let grants = try GrantTableTests.grants().prefix(2).map(\.grant)
    let one = WithdrawalReport(user: try userName("alice"), grants: [grants[1]], mark: Self.mark)
    #expect(one.sentence == "alice: withdrawn 00000001")
    #expect(
      Self.compact(one.json)
        == #"{"user":"alice","result":"withdrawn","grants":[{"kind":"ticket","id":"00000001","#
        + #""made":"2023-11-14T22:13:20Z","expires":"2023-11-15T22:13:20Z","usesLeft":1,"#
        + #""reason":null}],"checkpoint":"17:9f2c0a1b"}"#)
    let two = WithdrawalReport(user: try userName("alice"), grants: grants, mark: nil)
    #expect(two.sentence == "alice: withdrawn ab010203, 00000001")
    #expect(Self.compact(two.json).hasSuffix(#""reason":null}],"checkpoint":null}"#))
    #expect(two.json.text.contains("\"reason\": \"phone lost, called back on the number"))
  }

  // MARK: Unsafe characters

  @Test("control characters from user names and files are escaped") func harmless() throws {
    let user = try userName("eve\u{1B}[2J")
    let factors = [try Self.phone()]
    let grants = [try GrantTableTests.grants()[2].grant]
    let revocation = RevocationReport(user: user, removal: removal(factors), entered: .entered(nil))
    let withdrawal = WithdrawalReport(user: user, grants: grants, mark: nil)
    let forgetting = ClearedSignInsReport(user: user, rememberedCount: 0, mark: nil)
    for (sentence, json) in [
      (revocation.sentence, revocation.json), (withdrawal.sentence, withdrawal.json),
      (forgetting.sentence, forgetting.json),
    ] {
      #expect(isHarmless(sentence) && sentence.hasPrefix(#"eve\x1b[2J: "#))
      #expect(isHarmless(json.text) && json.text.contains(#""user": "eve\u001b[2J""#))
    }
  }

  /// Returns the text without white space, including white space inside strings.
  private static func compact(_ json: JSON) -> String { json.text.filter { !$0.isWhitespace } }
}

@Suite struct UnlockingTests {
  static let now: Int64 = 1_700_000_000
  static let step = now / 30

  struct Case: Sendable {
    let failures: UInt32
    /// The failures of attempts by the user's own programs.
    var own: UInt32 = 0
    /// The seconds since the last failure of either kind.
    let ago: Int64
    /// The number of steps that the watermark is ahead of the current step.
    let ahead: Int64
    let expectedAhead: Int64
    let writes: Bool
    let sentence: String
    /// The number of remembered sign-ins.
    var remembered = 0
  }

  static let warning =
    "; the last accepted code of phone lies in the future, and no code is accepted until then:"
    + " revoke the factor, and have the user enrol again"

  static let cases: [Case] = [
    Case(
      failures: 0, ago: 0, ahead: -9, expectedAhead: -9, writes: false,
      sentence: "was not locked"),
    Case(
      failures: 7, ago: 25, ahead: 0, expectedAhead: 0, writes: true,
      sentence: "7 wrong codes, throttled 95 s: unlocked"),
    Case(
      failures: 1, ago: 25, ahead: 0, expectedAhead: 0, writes: true,
      sentence: "was not locked; cleared: 1 wrong code"),
    Case(
      failures: 100, ago: 99_999, ahead: 0, expectedAhead: 0, writes: true,
      sentence: "100 wrong codes, locked: unlocked"),
    Case(
      failures: 0, ago: 0, ahead: 5, expectedAhead: 5, writes: false,
      sentence: "was not locked"),
    Case(
      failures: 0, ago: 0, ahead: 6, expectedAhead: 6, writes: false,
      sentence: "was not locked" + warning),
    Case(
      failures: 5, ago: -1000, ahead: .max / 2, expectedAhead: .max / 2,
      writes: true, sentence: "5 wrong codes, throttled 30 s: unlocked" + warning),
    Case(
      failures: 0, own: 20, ago: 99_999, ahead: 0, expectedAhead: 0, writes: true,
      sentence: "20 wrong codes in the user's own programs, locked: unlocked"),
    Case(
      failures: 2, own: 7, ago: 25, ahead: 0, expectedAhead: 0, writes: true,
      sentence: "2 wrong codes, 7 wrong codes in the user's own programs, throttled 95 s: unlocked"),
    Case(
      failures: 85, own: 15, ago: 99_999, ahead: 0, expectedAhead: 0, writes: true,
      sentence: "85 wrong codes, locked, 15 wrong codes in the user's own programs: unlocked"),
    Case(
      failures: 0, own: 1, ago: 25, ahead: 0, expectedAhead: 0, writes: true,
      sentence: "was not locked; cleared: 1 wrong code in the user's own programs"),
    Case(
      failures: 100, ago: 99_999, ahead: 0, expectedAhead: 0, writes: true,
      sentence: "100 wrong codes, locked: unlocked; cleared 1 remembered sign-in", remembered: 1),
    Case(
      failures: 0, ago: 0, ahead: 0, expectedAhead: 0, writes: true,
      sentence: "was not locked; cleared 2 remembered sign-ins", remembered: 2),
  ]

  @Test(arguments: cases) func decided(_ row: Case) throws {
    let factor = try factor(id(1), "phone")
    let record = try record("alice", [factor])
    var attempts = AttemptState(
      record: record.id, failures: row.failures,
      lastFailure: row.failures == 0 ? 0 : Self.now - row.ago,
      watermarks: [AttemptState.Watermark(factor: factor.id, step: Self.step + row.ahead)],
      ownProcessFailures: FailureCount(
        failures: row.own, last: row.own == 0 ? 0 : Self.now - row.ago))
    for number in 0..<row.remembered {
      attempts = attempts.remembering(SignInOriginDigest(.address, UInt64(number)), at: Self.now)
    }
    let unlocking = UserChange.Unlocking(
      record, attempts, ThrottlePolicy(), adjacentIntervals: 5, now: Self.now)
    #expect(unlocking.sentence == row.sentence)
    let state = attempts.unlocked(at: Self.now)
    #expect((state != attempts) == row.writes)
    #expect(state.watermarks.map(\.step) == [Self.step + row.expectedAhead])
    if row.writes {
      #expect(state.failures == 0 && state.ownProcessFailures.failures == 0)
      #expect(state.remembered.entries.isEmpty)
      #expect(state.standing(ThrottlePolicy(), now: Self.now) == .open)
    }
  }

  @Test func clockBeforeEpochKeepsWatermarks() throws {
    let factor = try factor(id(1), "phone")
    let record = try record("alice", [factor])
    let attempts = AttemptState(
      record: record.id, failures: 7, lastFailure: 7,
      watermarks: [AttemptState.Watermark(factor: factor.id, step: 9)])
    for now in [Int64.min, -1_000_000] {
      let unlocking = UserChange.Unlocking(
        record, attempts, ThrottlePolicy(), adjacentIntervals: 5, now: now)
      #expect(unlocking.failures == 7)
      let state = attempts.unlocked(at: now)
      #expect(state.watermarks.map(\.step) == [9] && state.failures == 0)
    }
  }
}
