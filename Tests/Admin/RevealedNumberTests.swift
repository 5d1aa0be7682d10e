import MFAAdminTestSupport
import MFAStore
import MFAModel
import MFABase
import Testing

@testable import MFAAdmin

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
        id: id, displayName: try DisplayName(Array("work".utf8)), enrolledAt: 1,
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
    let details = UserDetails.text(try store.administration.user("alice"))
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
