import MFABase
import MFAStore
import MFAModel
import MFATestSupport
import Testing

/// MUST 1 and 2 of LocalFactorStore+Names.swift.
@Suite("A user whose account was renamed", .privateMachine)
struct EarlierNameTests {
  private let fixture: StoreFixture
  /// An account of the system with another name than that of the record, and the same uid.
  private let present: Account
  private let earlier: Account

  init() throws {
    fixture = try StoreFixture()
    try Command.succeed(["/bin/mkdir", "-m", "0700", fixture.folder + "/store/uids"])
    present = try #require(try Account.named(Array("daemon".utf8)))
    earlier = Account(name: Array("old-daemon".utf8), uid: present.uid)
  }

  private func refusal(_ account: Account) throws -> FactorStoreError? {
    let store = try fixture.open()
    do throws(FactorStoreError) {
      _ = try store.snapshot(of: account)
      _ = try store.entry(of: account, creating: true)
      return nil
    } catch { return error }
  }

  @Test("the record of an earlier name denies the user, until it is moved or removed")
  func renamed() throws {
    let name = try #require(UserName(earlier.name))
    #expect(try refusal(present) == nil)
    try fixture.enroll(earlier)
    #expect(try refusal(present) == .renamed(from: name))
    #expect(try refusal(earlier) == nil)
    // Every other name of the uid is denied, and no name of another uid.
    let other = Account(name: Array("other".utf8), uid: present.uid)
    #expect(try refusal(other) == .renamed(from: name))
    #expect(try refusal(Account(name: other.name, uid: present.uid + 1000)) == nil)
    _ = try fixture.open().discard(user: name, account: earlier, entering: StoreFixture.event)
    #expect(try refusal(present) == nil)
    try fixture.enroll(present)
    #expect(try refusal(other) == nil, "daemon is an account")
  }

  @Test("a moved record keeps the factors, the used codes and the failures")
  func moved() throws {
    try fixture.enroll(earlier)
    let before: (factors: [FactorID], watermarks: [AttemptState.Watermark]) = try {
      let entry = try fixture.open().entry(of: earlier, creating: false)
      return (try #require(entry.record).factors.map(\.id), entry.attempts.watermarks)
    }()
    let isMoved = try fixture.open().rename(
      earlier, to: present, entering: StoreFixture.event, removing: StoreFixture.event)
    #expect(isMoved)
    #expect(try refusal(present) == nil && refusal(earlier) == nil)
    let snapshot = try #require(try fixture.open().snapshot(of: present))
    #expect(snapshot.record.factors.map(\.id) == before.factors)
    #expect(snapshot.attempts.watermarks == before.watermarks)
    #expect(snapshot.record.user.bytes == present.name)
    let entry = try fixture.open().entry(of: present, creating: false)
    let factor = try #require(entry.record?.factors.first)
    let secret = try entry.secret(of: factor)
    let bytes = secret.span.copied()
    #expect(bytes == Array("12345678901234567890".utf8))
    #expect(try fixture.open().snapshot(of: earlier) == nil)
    // Nothing is left to move.
    #expect(
      try !fixture.open().rename(
        earlier, to: present, entering: StoreFixture.event, removing: StoreFixture.event))
  }

  @Test("an interrupted note of a name leaves the other names, and the next record is found")
  func interrupted() throws {
    let file = fixture.folder + "/store/uids/\(present.uid)"
    try fixture.write(Array("some\nold-dae".utf8), to: "/store/uids/\(present.uid)")
    try fixture.enroll(earlier)
    #expect(try fixture.bytes(of: file) == Array("some\nold-dae\nold-daemon\n".utf8))
    let name = try #require(UserName(earlier.name))
    #expect(try refusal(present) == .renamed(from: name))
    try fixture.enroll(earlier, "Second")
    #expect(try fixture.bytes(of: file) == Array("some\nold-dae\nold-daemon\n".utf8))
  }
}
