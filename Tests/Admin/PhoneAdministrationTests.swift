import MFAAdminTestSupport
import MFAAttempt
import MFAModel
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
