import MFAAdminTestSupport
import MFAAttempt
import MFABase
import MFAModel
import MFAStore
import Testing

@testable import MFAAdmin

/// The commands `mfa-admin phone`.
@Suite(.privateMachine) struct PhoneAdministrationTests {
  private static let configuration =
    "[project]\ngateway = /nowhere/send\nregions = +1\nphone_host_daily = 2\n"
    + "phone_test_numbers = +15105550000=123456\n"

  private func store(_ text: String = configuration) throws -> TemporaryStore {
    let store = try TemporaryStore()
    store.settings = try Configuration.parse(Array(text.utf8).span).project
    return store
  }

  private func sends(_ store: TemporaryStore) -> SendLog {
    SendLog(store.location, log: { _ in })
  }

  private func test(
    _ store: TemporaryStore, _ number: String = "+15105551234",
    _ gateway: (borrowing GatewayMessage) -> GatewayReply = { _ in .accepted }
  ) throws(AdminError) {
    try store.administration.sendTest(to: Array(number.utf8), sends(store), through: gateway)
  }

  @Test func testMessageIsRecordedAndSent() throws {
    let store = try store()
    var message = ""
    try test(store) { given in
      var bytes: [UInt8] = []
      for index in given.span.indices { bytes.append(given.span[index]) }
      message = String(decoding: bytes, as: UTF8.self)
      return .accepted
    }
    #expect(message.hasPrefix("To: +15105551234\nId: "))
    #expect(message.hasSuffix("\n\nThis is a test of codes for sign-in. It has no code.\n"))
    #expect(store.lines == [#"result=test-message-sent by=root\x0a"#])
    let log = String(
      decoding: try store.bytes(of: store.folder + "/store/audit-log"), as: UTF8.self)
    #expect(log.contains("event=test-message-sent"), "\(log)")
    #expect(!log.contains("5551234"), "\(log)")
    let status = try sends(store).status(limits: .init(), now: TemporaryStore.now)
    #expect(
      status.sent == 1 && status.failed == 0 && status.signIns.examined == 0
        && status.enrolments.examined == 0)
  }

  @Test(arguments: [
    ("15105551234", PhoneProblem.notANumber), ("+1510", .notANumber),
    ("+1 5105551234", .notANumber),
    ("+33612345678", .otherRegion), ("+15105550000", .testNumber),
  ])
  func numberIsRefused(number: String, problem: PhoneProblem) throws {
    let store = try store()
    #expect(throws: AdminError.phone(problem)) {
      try test(store, number) { _ in
        Issue.record("a message is sent")
        return .accepted
      }
    }
    #expect(store.lines.isEmpty)
  }

  @Test func nothingIsSentWithoutAGateway() throws {
    let store = try store("[project]\n")
    #expect(throws: AdminError.phone(.noGateway)) { try test(store) }
  }

  @Test func limitHoldsForTests() throws {
    let store = try store()
    for _ in 0..<2 { try test(store) }
    #expect(throws: AdminError.phone(.limit(.hostDaily(seconds: 86_400)))) { try test(store) }
  }

  @Test(arguments: [GatewayReply.failed(1), .noService, .tookTooLong])
  func failureOfTheGatewayIsReported(reply: GatewayReply) throws {
    let store = try store()
    #expect(throws: AdminError.phone(.notAccepted(reply))) { try test(store) { _ in reply } }
    #expect(try sends(store).status(limits: .init(), now: TemporaryStore.now).failed == 1)
  }

  @Test func resumingIsRecorded() throws {
    let store = try store()
    try store.administration.resumeSending(sends(store))
    #expect(store.lines == [#"result=sending-resumed by=root\x0a"#])
  }

  @Test func damagedListIsAnError() throws {
    let store = try store()
    try test(store)
    try store.write([1], to: store.folder + "/store/phone/sends")
    #expect(throws: AdminError.store(.untrusted(.sends, .wrongSize))) {
      try store.administration.phoneStatus(sends(store))
    }
    #expect(throws: AdminError.store(.untrusted(.sends, .wrongSize))) { try test(store) }
  }

  @Test func statusHasTheGatewayAndTheNumbers() throws {
    let store = try store()
    try test(store)
    let status = PhoneStatus(
      store.settings, GatewayState(refusal: .notFound, service: .stopped),
      try sends(store).status(limits: store.settings.hostSendLimits, now: TemporaryStore.now))
    #expect(
      status.text == """
        factors      phone is allowed
        gateway      /nowhere/send: there is no such file
        service      stopped
        regions      +1
        sent         1 in the last 24 hours, of 2; 0 came back, 0 failed
        breaker      0 of the last 0 codes came back
        enrolments   0 of the last 0 codes came back
        for a number 5 an hour
        for a user   1 in 30 s, 3 in 10 min, 10 a day
        new number   can be used after 86400 s
        test numbers 1

        """)
    #expect(
      status.json.text == """
        {
          "allowed": true,
          "gateway": "/nowhere/send",
          "gatewayProblem": "not-found",
          "service": "stopped",
          "regions": [
            "+1"
          ],
          "testNumbers": 1,
          "lastDay": {
            "sent": 1,
            "returned": 0,
            "failed": 0,
            "limit": 2
          },
          "breaker": {
            "percent": 20,
            "examined": 0,
            "returned": 0,
            "stoppedForSeconds": null
          },
          "enrolmentBreaker": {
            "examined": 0,
            "returned": 0,
            "stoppedForSeconds": null
          },
          "limits": {
            "perNumberHourly": 5,
            "intervalSeconds": 30,
            "perTenMinutes": 3,
            "perDay": 10,
            "waitingTimeSeconds": 86400
          }
        }
        """)
  }

  @Test func statusWithoutAGateway() throws {
    let store = try store("[project]\nfactors = totp\nphone_breaker = 0\n")
    #expect(
      try store.administration.phoneStatus(sends(store)).text == """
        factors      phone is not allowed by "factors"
        gateway      not configured
        regions      none
        sent         0 in the last 24 hours, of 200; 0 came back, 0 failed
        breaker      off
        enrolments   off
        for a number 5 an hour
        for a user   1 in 30 s, 3 in 10 min, 10 a day
        new number   can be used after 86400 s

        """)
  }
}

/// `mfa-admin show --reveal`.
@Suite(.privateMachine) struct RevealedNumberTests {
  private static let number = Array("+15105551234".utf8)

  /// Adds a phone to an enrolled user.
  private func addPhone(
    _ store: TemporaryStore, to user: String, origin: Factor.Origin = .enrolled
  ) throws {
    let entry = try store.store.entry(
      of: Account(name: Array(user.utf8), uid: store.accounts[user] ?? 1000), creating: false)
    var record = try #require(entry.record)
    let id = try id(9)
    let sealed = try entry.seal(Self.number.span, for: id, parameters: nil, in: record)
    try record.add(
      Factor(
        id: id, displayName: try #require(DisplayName(Array("work".utf8))), enrolledAt: 1,
        kind: .phone(
          try PhoneNumber(typed: Self.number.span).masked, usableFrom: 1, sealedNumber: sealed),
        origin: origin))
    _ = try entry.replace(
      record: record, attempts: entry.attempts.adding(id, confirmedAt: 1), entering: nil)
  }

  @Test func recordedFirst() throws {
    let store = try TemporaryStore()
    try store.enroll("alice", ["app"])
    #expect(try store.administration.phoneNumbers(of: "alice").isEmpty)
    #expect(store.lines.isEmpty)
    try addPhone(store, to: "alice")
    let details = UserDetails.text(
      try store.administration.user("alice"), at: SampleUser.now)
    #expect(details.contains("+1 *** *** **34") && !details.contains("5551234"), "\(details)")
    let numbers = UserDetails.text(try store.administration.phoneNumbers(of: "alice"))
    #expect(numbers == "\nnumber       +15105551234, of work\n")
    #expect(store.lines == [#"result=numbers-revealed by=root\x0a"#])
    let log = String(
      decoding: try store.bytes(of: store.folder + "/store/audit-log"), as: UTF8.self)
    #expect(log.contains("event=numbers-revealed"), "\(log)")
    #expect(!log.contains("5551234"), "\(log)")
  }

  @Test func usersOfNumbersAreFound() throws {
    let store = try TemporaryStore()
    try store.enroll("alice", ["app"])
    try addPhone(store, to: "alice")
    let administration = store.administration
    // Another number that looks the same when it is masked.
    let other = Array("+15105550034".utf8)
    #expect(try administration.users(withPhones: [other]).isEmpty)
    #expect(try administration.users(withPhones: [other, Self.number]) == ["alice"])
    // A number that was enrolled as a test number.
    try store.enroll("bob", ["app"])
    try addPhone(store, to: "bob", origin: .testNumber)
    #expect(try administration.users(withPhones: [other, Self.number]) == ["alice"])
    #expect(store.lines.isEmpty)
  }

  @Test func nothingIsRevealedWithoutTheAuditLog() throws {
    let store = try TemporaryStore()
    try store.enroll("bob", ["app"])
    try addPhone(store, to: "bob")
    try store.write(Array("nonsense\n".utf8), to: store.folder + "/store/audit-log")
    #expect(throws: AdminError.self) { try store.administration.phoneNumbers(of: "bob") }
  }
}
