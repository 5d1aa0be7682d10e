import MFABase
import MFAModel
import MFATestSupport
import Testing

@testable import MFAStore

/// MUST 1 of AuditLogMemory: an entry that is complete counts at the next sign-in.
@Suite("The remembered head of the audit log", .privateMachine)
struct AuditLogMemoryTests {
  private let fixture: StoreFixture
  private let user: UserName

  init() throws {
    fixture = try StoreFixture()
    user = try #require(UserName(fixture.account.name))
  }

  /// A memory whose clock is ahead, so that every file counts as old.
  private static func memory() -> AuditLogMemory {
    AuditLogMemory(now: { Clock.nanoseconds() + 10_000_000_000 })
  }

  private static func key() throws -> SealingKey { try SealingKey(master: Array(0..<32).span) }

  private func log(_ memory: AuditLogMemory?) throws -> AuditLog {
    let store = StoreDirectory(judged: try fixture.location().directory.lastDirectory())
    return try AuditLog(in: store, owner: 0, memory: memory)
  }

  /// Enters a change of the user's record, as another process.
  private func enter(_ record: UInt8, user: UserName? = nil) throws {
    var key = try Self.key()
    let subject = AuditLogSubject(
      user: user ?? self.user, uid: 1000, record: [UInt8](repeating: record, count: 8))
    _ = try log(nil).enter(StoreFixture.event, about: subject, &key)
  }

  /// Enters a change of the configuration, as another process.
  private func enter(configuration: UInt64) throws {
    var key = try Self.key()
    let log = try log(nil)
    _ = try StoreFixture.whileBusy { () throws(FactorStoreError) in
      try log.enter(StoreFixture.event, configuration: configuration, &key)
    }
  }

  /// Returns the number of the last entry about the user, and the fingerprint of the user's record.
  private func standing(_ memory: AuditLogMemory?) throws -> AuditLog.Standing {
    var key = try Self.key()
    return try log(memory).standing(of: user.bytes, uid: 1000, since: .none, &key)
  }

  private var head: String { fixture.folder + "/store/audit-log.head" }

  /// Waits until the file system's clock has advanced, so that later changes have later times.
  private func tick() throws {
    let clock = Array((fixture.folder + "/clock").utf8)
    try fixture.write([], to: "/clock")
    let before = try FileIdentity.of(clock)
    repeat { try fixture.write([], to: "/clock") } while try FileIdentity.of(clock) == before
  }

  @Test("each entry counts at the next reading, also one of another user, and of another file")
  func entries() throws {
    let memory = Self.memory()
    let other = try #require(UserName(Array("bob".utf8)))
    for number in 1...5 as ClosedRange<UInt8> {
      try enter(number)
      for _ in 0..<2 {
        #expect(try standing(memory).fingerprint == standing(nil).fingerprint, "\(number)")
        #expect(try standing(memory).position == standing(nil).position, "\(number)")
      }
      try tick()
      try enter(number, user: other)
      #expect(try standing(memory).position == standing(nil).position, "\(number)")
      try tick()
    }
    let (head, earlier) = (self.head, try fixture.bytes(of: self.head))
    try enter(6)
    #expect(try standing(memory).fingerprint == standing(nil).fingerprint)
    try tick()
    try fixture.overwrite(head, earlier)
    #expect(try standing(memory).position == standing(nil).position)
  }

  @Test("a head is read once, as long as it does not change")
  func remembered() throws {
    let memory = Self.memory()
    try enter(1)
    _ = try standing(memory)
    let identity = try FileIdentity.of(Array(head.utf8))
    #expect(memory.head(for: identity)?.chain.count == 1)
    let place = AuditLogIndex.Slot(escapedName: user.bytes[...])
    #expect(memory.page(place.page, for: identity) != nil)
    #expect(memory.page((place.page + 1) % AuditLogIndex.pageCount, for: identity) == nil)
    #expect(memory.page(AuditLogIndex.pageCount, for: identity) == nil)
    #expect(memory.head(for: nil) == nil)
    #expect(memory.page(place.page, for: nil) == nil)
    let other = try FileIdentity.of(Array(fixture.folder.utf8))
    #expect(memory.head(for: other) == nil)
    #expect(memory.page(place.page, for: other) == nil)
    try tick()
    try enter(2)
    _ = try standing(memory)
    #expect(memory.head(for: identity) == nil)
    #expect(memory.page(place.page, for: identity) == nil)
  }

  @Test("pages of an earlier head are forgotten")
  func forgottenPages() throws {
    let memory = Self.memory()
    try enter(1)
    _ = try standing(memory)
    let place = AuditLogIndex.Slot(escapedName: user.bytes[...])
    let identity = try FileIdentity.of(Array(head.utf8))
    let content = try #require(memory.head(for: identity))
    #expect(memory.page(place.page, for: identity) != nil)
    memory.remember(content, for: identity)
    #expect(memory.page(place.page, for: identity) == nil)
    memory.remember(content, for: nil)
    #expect(memory.head(for: identity) == nil)
  }

  @Test("a recorded configuration counts at the next reading")
  func configurations() throws {
    let memory = Self.memory()
    for number in 1...3 as ClosedRange<UInt64> {
      try enter(configuration: number)
      #expect(try log(memory).knows(configuration: number))
      _ = try standing(memory)
      #expect(try log(memory).knows(configuration: number))
      #expect(try !log(memory).knows(configuration: number + 1))
      try tick()
    }
  }

  @Test("entries within a tick of the file system's clock count each time")
  func sameTick() throws {
    let memory = AuditLogMemory()
    for number in 1...100 as ClosedRange<UInt64> {
      try enter(configuration: number)
      _ = try standing(memory)
      #expect(try log(memory).knows(configuration: number))
    }
    #expect(memory.head(for: try FileIdentity.of(Array(head.utf8))) == nil)
  }

  @Test("a head whose owner, mode or number of names changed is refused")
  func distrusted() throws {
    for script in ["chmod 0640", "chown 1"] {
      let memory = Self.memory()
      try enter(1)
      _ = try standing(memory)
      try tick()
      try Command.succeed(["/bin/sh", "-c", "\(script) \(head)"])
      #expect(throws: FactorStoreError.self, "\(script)") { _ = try standing(memory) }
      try Command.succeed(["/bin/sh", "-c", "chmod 0600 \(head); chown 0 \(head)"])
    }
  }
}
