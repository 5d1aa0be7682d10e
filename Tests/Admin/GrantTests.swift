import MFAAdminTestSupport
import MFAAttempt
import MFAStore
import MFAModel
import MFABase
import Foundation
import MFATestSupport
import Testing

@testable import MFAAdmin

/// Tickets and bypass codes, with a real store.
@Suite(.privateMachine) struct GrantTests {
  let store: TemporaryStore

  init() throws { store = try TemporaryStore() }

  private func account(_ user: String) -> Account {
    Account(name: Array(user.utf8), uid: store.accounts[user] ?? 1000)
  }

  private func attempt(_ made: NewGrantReport, _ user: String) throws -> Attempt.Result {
    let written = made.code.value.written()
    return try Attempt.make(
      TypedCodes(whole: written.span), by: account(user), in: store.store,
      Attempt.Context(settings: .defaults, clock: { TemporaryStore.now })
    ).result
  }

  @Test func bypassCodeUsesAreLimited() throws {
    try store.enroll("alice", ["phone"])
    let made = try store.administration.grant(
      .bypass, to: "alice", for: .minutes(30), uses: 2,
      reason: Grant.Reason(Array("phone lost".utf8)))
    #expect(made.warning == nil)
    let id = VisibleText.escaping(made.report.grant.id.hexadecimal)
    #expect(
      made.explanation
        == "valid for 2 sign-ins until 2023-11-14 22:43:20 UTC; id \(id)\n"
        + "alice types it in place of a one-time code; it is not shown again\n")
    #expect(
      store.lines == [
        "result=bypass-made user=alice grant=\(id) reason=phone\\x20lost by=root\\x0a"
      ])
    #expect(store.delivered == ["alice"])
    #expect(
      TextTable(try store.administration.grants(nil)).text(columns: nil)
        == """
        USER   KIND    ID        USES  UNTIL (UTC)       REASON
        alice  bypass  \(id)  2     2023-11-14 22:43  phone lost

        """)
    for use in 1...2 {
      guard case .accepted(.bypassCode) = try attempt(made, "alice") else {
        Issue.record("use \(use) was refused")
        return
      }
    }
    guard case .rejected(.notACode) = try attempt(made, "alice") else {
      Issue.record("the code was accepted too often")
      return
    }
    #expect(try store.administration.grants(nil).isEmpty)
    #expect(
      try store.snapshot("alice")?.record.notices.map(\.kind) == [
        .bypassMade, .bypassUsed, .bypassUsed,
      ])
  }

  @Test func ticketWorksWithoutAFactor() throws {
    store.accounts["bob"] = 1001
    let made = try store.administration.grant(
      .ticket, to: "bob", for: .hours(24), uses: 1, reason: nil)
    #expect(try store.snapshot("bob") == nil, "a ticket enrols no factor")
    #expect(try store.administration.users().isEmpty)
    #expect(
      made.explanation.hasPrefix("valid for one enrolment until 2023-11-15 22:13:20 UTC; id "))
    let result = try Attempt.redeem(
      ticket: made.code.value, by: account("bob"), in: store.store,
      Attempt.Context(settings: .defaults, clock: { TemporaryStore.now + 86_399 }))
    guard case .good(made.report.grant.id) = result else {
      Issue.record("\(result)")
      return
    }
    // The name now belongs to another account, which must not inherit the grants.
    store.accounts["bob"] = 1002
    #expect(try store.administration.grants("bob").isEmpty)
    #expect(try store.snapshot("bob") == nil)
  }

  @Test func withdrawnGrantIsRefused() throws {
    try store.enroll("alice", ["phone"])
    let administration = store.administration
    let withdrawn = try administration.grant(
      .bypass, to: "alice", for: .minutes(1), uses: 1, reason: nil)
    let others = try (1...3).map { _ in
      try administration.grant(
        .bypass, to: "alice", for: .minutes(1), uses: 1, reason: nil
      ).report.grant
    }
    let alice = try userName("alice")
    #expect(
      refusal(try administration.grant(.ticket, to: "alice", for: .hours(1), uses: 1, reason: nil))
        == .tooManyGrants(alice))
    let first = withdrawn.report.grant.id
    let id = VisibleText.escaping(first.hexadecimal)
    let one = try administration.withdraw(first, of: "alice")
    #expect(one.sentence == "alice: withdrawn \(id)")
    #expect(one.grants == [withdrawn.report.grant])
    #expect(one.mark.map { AuditLogProblem.text($0) } == store.marks.last)
    #expect(refusal(try administration.withdraw(first, of: "alice")) == .noSuchGrant(alice))
    guard case .rejected(.wrong) = try attempt(withdrawn, "alice") else {
      Issue.record("a withdrawn code is still valid")
      return
    }
    let rest = try administration.withdraw(nil, of: "alice")
    #expect(rest.grants == others)
    #expect(try administration.grants("alice").isEmpty)
    #expect(store.lines.count { $0.hasPrefix("result=grant-withdrawn user=alice grant=") } == 4)
  }

  @Test func expiredGrantsAreReplaced() throws {
    try store.enroll("alice", ["phone"])
    for _ in 1...4 {
      _ = try store.administration.grant(
        .ticket, to: "alice", for: .minutes(1), uses: 1, reason: nil)
    }
    let later = store.administration(now: TemporaryStore.now + 60)
    #expect(try later.grants("alice").allSatisfy { !$0.isGood })
    #expect(TextTable(try later.grants("alice")).text(columns: nil).contains("  1     expired"))
    _ = try later.grant(.ticket, to: "alice", for: .minutes(1), uses: 1, reason: nil)
    #expect(try later.grants("alice").count == 1)
  }

  @Test func obstaclesAreReported() throws {
    try store.enroll("alice", ["phone"], failures: 100, lastFailure: 1)
    try store.enroll("carol", uid: 1002, ["phone"], failures: 7, lastFailure: TemporaryStore.now)
    store.accounts["bob"] = 1001
    for (row, user, part) in [
      (1, "alice", "until you run mfa-admin unlock"), (2, "carol", "for 120 s"),
      (3, "bob", "only where policy requires"),
    ] {
      let made = try store.administration.grant(
        .bypass, to: user, for: .minutes(1), uses: 1, reason: nil)
      #expect(made.warning?.contains(part) == true, "row \(row): \(made.warning ?? "-")")
    }
    #expect(
      refusal(
        try store.administration.grant(.bypass, to: "x", for: .minutes(1), uses: 1, reason: nil))
        == .noSuchUser(try userName("x")))
  }

  @Test func revokeAllRemovesGrants() throws {
    try store.enroll("alice", ["phone"])
    _ = try store.administration.grant(.bypass, to: "alice", for: .minutes(1), uses: 1, reason: nil)
    let factors = try #require(try store.snapshot("alice")).record.factors
    let plan = try store.administration.plan(.everything, of: "alice")
    let report = try store.administration.revoke(plan)
    #expect(report.removal == removal(factors, grants: 1))
    #expect(try store.administration.grants("alice").isEmpty)
    #expect(try store.snapshot("alice") == nil)
    let entry = try store.store.entry(of: account("alice"), creating: false)
    #expect(entry.kept?.notices.map(\.kind) == [.bypassMade, .revoked])
    #expect(entry.kept?.isEnrolled == false)
  }

  @Test func grantsOfUnenrolledUserAreRevoked() throws {
    store.accounts["bob"] = 1001
    _ = try store.administration.grant(.ticket, to: "bob", for: .hours(1), uses: 1, reason: nil)
    let plan = try store.administration.plan(.everything, of: "bob")
    let report = try store.administration.revoke(plan)
    #expect(report.removal == removal([], grants: 1))
    #expect(report.sentence == "bob: removed what was stored; no factor is left")
    #expect(report.entered.mark != nil)
    #expect(try store.administration.grants("bob").isEmpty)
  }

  static let durations: [(Int, String, Int64?)] = [
    (1, "60s", 60), (2, "1m", 60), (3, "24h", 86_400), (4, "30d", 2_592_000), (5, "59s", nil),
    (6, "31d", nil), (7, "", nil), (8, "h", nil), (9, "1", nil), (10, "+1h", nil), (11, "-1h", nil),
    (12, "1.5h", nil), (13, "1w", nil), (14, "9223372036854775807d", nil), (15, " 1h", nil),
  ]

  @Test(arguments: durations) func duration(_ row: Int, _ text: String, _ seconds: Int64?) {
    #expect(GrantDuration(argument: text)?.seconds == seconds, "row \(row)")
  }
}
