import Foundation
import MFABase
import MFACrypto
import MFAModel
import MFATestSupport
import Synchronization
import Testing

@testable import MFAStore

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

@Suite("An entry of nobody")
struct DecoyTests {
  let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  @Test("has factors like those of a record, or one with the standard parameters")
  func factors() throws {
    let long = try #require(TOTPParameters(algorithm: .sha512, codeLength: .eight, period: 60))
    #expect(try FactorSnapshot(decoyLike: nil).record.factors.map(\.parameters) == [.standard])
    var record = try FactorSnapshot(decoyLike: nil).record
    try record.add(
      Factor(
        id: try #require(FactorID(bytes: [UInt8](repeating: 9, count: FactorID.length))),
        displayName: try #require(DisplayName(Array("Phone".utf8))), enrolledAt: 0,
        kind: .totp(long, sealedSecret: [])))
    let decoy = try FactorSnapshot(decoyLike: record)
    #expect(decoy.record.factors.map(\.parameters) == [.standard, long])
    #expect(decoy.record.grants.isEmpty && decoy.record.recoveryCodes.isEmpty)
  }

  @Test("accepts no code, not even one of its secrets, which everybody can compute")
  func noCode() throws {
    let entry = try fixture.open().decoy(like: nil)
    let factor = try #require(entry.kept?.factors.first)
    let now: Int64 = 1_700_000_000
    var hotp = try HOTP(secret: [UInt8](repeating: 0, count: 20).span, algorithm: .sha1)
    let code = try hotp.code(at: UInt64(now / 30), digits: .six)
    let secret = try entry.secret(of: factor)
    let step = try #require(
      try Verification.latestMatch(
        of: code, secret: secret.span, parameters: .standard, now: now, adjacentIntervals: 5))
    #expect(entry.attempts.accepting([AttemptState.Match(factor: factor.id, step: step)]) == nil)
  }

  @Test("leaves nothing in the store")
  func nothingIsStored() throws {
    let entry = try fixture.open().decoy(like: nil)
    try entry.write(entry.attempts)
    try entry.sync()
    #expect(
      try Command.succeed(["/usr/bin/find", fixture.folder + "/store", "-type", "f"]).isEmpty)
  }
}

/// Files that other processes replace while they are read.
@Suite("Replaced files of the store", .privateMachine)
struct ReplacedFileTests {
  let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  /// Reads again and again until `replace` has ended on a thread of its own. Returns how often.
  private func read(
    while replace: @escaping @Sendable () throws -> Void, _ read: () throws -> Void
  ) throws -> Int {
    let end = Mutex<Result<Void, any Error>?>(nil)
    Thread.detachNewThread {
      let result = Result { try replace() }
      end.withLock { $0 = result }
    }
    var count = 0
    while end.withLock({ $0 == nil }) {
      try read()
      count += 1
    }
    try end.withLock { try $0?.get() }
    return count
  }

  @Test("a record can be read while it is replaced")
  func record() throws {
    try fixture.enroll()
    let (location, account) = (try fixture.location(), fixture.account)
    let store = try fixture.open()
    let count = try read {
      for _ in 0..<1000 {
        let entry = try LocalFactorStore(location).entry(of: account, creating: false)
        guard let record = entry.record else { throw FactorStoreError.damaged(.record) }
        _ = try entry.replace(record: record, attempts: entry.attempts, entering: nil)
      }
    } _: { () throws in
      let snapshot = try store.snapshot(of: account)
      #expect(snapshot?.record.factors.count == 1)
    }
    #expect(count > 0)
  }

  @Test("a key can be read while it is replaced")
  func key() throws {
    let location = try fixture.location()
    let bytes = try fixture.bytes(of: fixture.folder + "/key")
    let file = try KeyFile(location.key)
    let count = try read {
      let writer = try KeyFile(location.key)
      for _ in 0..<500 {
        let status = try writer.open(storeOwner: 0).status()
        try writer.create(writer.name, SecretBytes(copying: bytes.span), like: status)
      }
    } _: { () throws in
      _ = try SealingKey(file, storeOwner: 0)
    }
    #expect(count > 0)
  }

  @Test("a file that was removed after it was opened is trusted only where that is expected")
  func removed() throws {
    try fixture.write([1], to: "/removed")
    let path = try #require(TrustedPath(Array((fixture.folder + "/removed").utf8)))
    let file = try path.parent().fileForReading(path.last)
    func distrust(mayBeReplaced: Bool) throws -> TrustFailure? {
      try file.status().distrust(
        owners: (0, 0), permissions: 0o600, mayBeReplaced: mayBeReplaced)
    }
    let files = FileManager.default
    let (first, second) = (fixture.folder + "/removed", fixture.folder + "/second")
    try files.linkItem(atPath: first, toPath: second)
    #expect(try distrust(mayBeReplaced: true) == .severalNames)
    try files.removeItem(atPath: second)
    #expect(try distrust(mayBeReplaced: false) == nil)
    try files.removeItem(atPath: first)
    #expect(try distrust(mayBeReplaced: true) == nil)
    #expect(try distrust(mayBeReplaced: false) == .severalNames)
  }
}
