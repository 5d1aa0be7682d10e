import MFABase
import MFAModel
import MFASharedStoreTestSupport
import MFAStore
import MFATestSupport
import Testing

@Suite("The local store", .privateMachine)
struct LocalFactorStoreTests {
  let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  @Test("an enrolled factor is read back with its secret")
  func roundTrip() throws {
    let factor = try fixture.enroll()
    let second = try fixture.enroll("Tablet", confirmedAt: 20)
    let snapshot = try #require(try fixture.open().snapshot(of: fixture.account))
    #expect(snapshot.record.factors == [factor, second])
    #expect(snapshot.attempts.watermarks.map(\.step) == [10, 20])
    let entry = try fixture.open().entry(of: fixture.account, creating: false)
    let secret = try entry.secret(of: factor)
    let expected = Array("12345678901234567890".utf8)
    let isSame = constantTimeEquals(secret.span, expected.span)
    #expect(isSame)
    let contents = try fixture.bytes(of: fixture.record)
    #expect(!contains(contents, expected))
  }

  @Test(
    "a user whose encoded name is too long for a file is not enrolled, and cannot enrol",
    arguments: [String(repeating: "\u{434}", count: 80), String(repeating: "a", count: 241)])
  func nameTooLong(name: String) throws {
    try fixture.enroll(entering: StoreFixture.event)
    let account = Account(name: Array(name.utf8), uid: 1001)
    let store = try fixture.open()
    #expect(try store.snapshot(of: account) == nil)
    #expect(try store.keptSnapshot(of: account) == nil)
    #expect(try store.kept(for: account) == nil)
    #expect(try store.fingerprint(of: account) == [])
    #expect(try store.reader().snapshot(of: account) == nil)
    let entry = try store.existingEntry(of: account)
    #expect(entry == nil)
    #expect(throws: FactorStoreError.nameTooLong) { try fixture.enroll(account) }
  }

  private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    bytes.indices.contains { bytes[$0...].starts(with: part) }
  }

  @Test("the digest of a typed code depends on the code, its length and the record")
  func failedCodeDigest() throws {
    try fixture.enroll()
    let entry = try fixture.open().entry(of: fixture.account, creating: false)
    let record = try #require(entry.record)
    let code = Code(value: 12, length: .six)
    let digest = try entry.digest(ofTyped: code, in: record)
    #expect(try entry.digest(ofTyped: code, in: record) == digest)
    for other in [Code(value: 13, length: .six), Code(value: 12, length: .seven)] {
      #expect(try entry.digest(ofTyped: other, in: record) != digest)
    }
    let id = try #require(FactorID(bytes: [UInt8](repeating: 7, count: FactorID.length)))
    let second = FactorRecord(user: record.user, uid: record.uid, id: id)
    #expect(try entry.digest(ofTyped: code, in: second) != digest)
  }

  @Test("without enrolled users there is no snapshot, and no key is needed")
  func nothing() throws {
    try Command.succeed(["/usr/bin/env", "rm", fixture.folder + "/key"])
    #expect(try fixture.open().snapshot(of: fixture.account) == nil)
  }

  @Test(
    "files with a wrong owner, mode, type or size are refused",
    arguments: [
      (1, "chmod 0640 $R", .untrusted(.record, .wrongPermissions)),
      (2, "chmod 4600 $R", .untrusted(.record, .wrongPermissions)),
      (3, "chown 1 $R", .untrusted(.record, .wrongOwner)),
      (4, "ln $R $R.2", .untrusted(.record, .severalNames)),
      (5, "mv $R $R.2; ln -s $R.2 $R", .untrusted(.record, .symbolicLink)),
      (6, "rm $R; mkfifo -m 0600 $R", .untrusted(.record, .notARegularFile)),
      (7, "rm $R; mkdir -m 0600 $R", .untrusted(.record, .notARegularFile)),
      (8, "truncate -s 0 $R", .untrusted(.record, .empty)),
      (9, "truncate -s 10M $R", .untrusted(.record, .tooLarge)),
      (10, "chmod 0640 $A", .untrusted(.attempts, .wrongPermissions)),
      (11, "chown 1 $A", .untrusted(.attempts, .wrongOwner)),
      (12, "ln $A $A.2", .untrusted(.attempts, .severalNames)),
      (13, "mv $A $A.2; ln -s $A.2 $A", .untrusted(.attempts, .symbolicLink)),
      (14, "rm $A; mkfifo -m 0600 $A", .untrusted(.attempts, .notARegularFile)),
      (15, "truncate -s 0 $A", .untrusted(.attempts, .wrongSize)),
      (16, "truncate -s 2047 $A", .untrusted(.attempts, .wrongSize)),
      (17, "truncate -s 10M $A", .untrusted(.attempts, .wrongSize)),
      (18, "head -c 2048 /dev/zero > $A", .damaged(.attempts)),
      (19, "chmod 0600 $K", .untrusted(.key, .wrongPermissions)),
      (20, "chown 1 $K", .untrusted(.key, .wrongOwner)),
      (21, "chmod 0600 $K; printf x >> $K; chmod 0400 $K", .untrusted(.key, .wrongSize)),
      (22, "mv $K $K.2; ln -s $K.2 $K", .untrusted(.key, .symbolicLink)),
      (23, "chmod 0600 $K; head -c 32 /dev/zero > $K; chmod 0400 $K", .otherKey),
      (24, "chmod 2755 $F", .untrusted(.factors, .wrongPermissions)),
      (25, "chown 1 $F", .untrusted(.factors, .wrongOwner)),
      (26, "mv $F $F.2; ln -s $F.2 $F", .untrusted(.factors, .notADirectory)),
      (27, "mv $R $R.2; ln -s /nowhere $R", .untrusted(.record, .symbolicLink)),
      (28, "chmod 0666 $R", .untrusted(.record, .wrongPermissions)),
      (29, "chmod 0400 $R", .untrusted(.record, .wrongPermissions)),
      (30, "echo hello > $R", .damaged(.record)),
      (31, "rm $A; mkdir -m 0600 $A", .untrusted(.attempts, .notARegularFile)),
      (32, "ln $K $K.2", .untrusted(.key, .severalNames)),
      (33, "chmod 0600 $K; : > $K; chmod 0400 $K", .untrusted(.key, .wrongSize)),
      (34, "rm $K; mkfifo -m 0400 $K", .untrusted(.key, .notARegularFile)),
      (35, "chmod 0711 ${A%/*}", .untrusted(.attempts, .wrongPermissions)),
    ] as [(Int, String, FactorStoreError)])
  func distrusted(number: Int, change: String, expected: FactorStoreError) throws {
    try fixture.enroll()
    let script = "R=$1/store/factors/alice A=$1/store/attempts/alice K=$1/key F=$1/store/factors; "
    try Command.succeed(["/usr/bin/env", "sh", "-ec", script + change, "sh", fixture.folder])
    #expect(try fixture.refusal() == expected, "row \(number)")
  }

  @Test("a record without attempts, or attempts without a record, deny sign-ins")
  func halves() throws {
    try fixture.enroll()
    try Command.succeed(["/usr/bin/env", "rm", fixture.attempts])
    guard case .system(.attempts, let error) = try fixture.refusal() else {
      Issue.record("a record without its attempt state was accepted")
      return
    }
    #expect(error.isNotFound)
  }

  @Test("a record truncated at any length is refused and left unchanged")
  func everyTruncation() throws {
    try fixture.enroll()
    let whole = try fixture.bytes(of: fixture.record)
    for length in whole.indices {
      let cut = Array(whole.prefix(length))
      try fixture.overwrite(fixture.record, cut)
      #expect(try fixture.refusal() != nil, "length \(length)")
      #expect(try fixture.bytes(of: fixture.record) == cut)
    }
    try fixture.overwrite(fixture.record, whole + [0])
    #expect(try fixture.refusal() != nil)
    try fixture.overwrite(fixture.record, whole)
    #expect(try fixture.refusal() == nil)
  }

  @Test("a record with any bit changed is refused and left unchanged")
  func everyByteFlipped() throws {
    try fixture.enroll()
    let whole = try fixture.bytes(of: fixture.record)
    for index in whole.indices {
      for bit in 0..<8 {
        var changed = whole
        changed[index] ^= 1 << UInt8(bit)
        try fixture.overwrite(fixture.record, changed)
        #expect(try fixture.refusal() != nil, "byte \(index), bit \(bit)")
      }
    }
  }

  @Test("a record of another user, of another uid, or of an earlier owner of the name is refused")
  func movedRecord() throws {
    try fixture.enroll()
    let store = fixture.folder + "/store"
    for part in ["factors", "attempts"] {
      try Command.succeed([
        "/usr/bin/env", "cp", "-p", "\(store)/\(part)/alice", "\(store)/\(part)/bob",
      ])
    }
    let opened = try fixture.open()
    #expect(throws: FactorStoreError.belongsToAnother) {
      _ = try opened.snapshot(of: Account(name: Array("bob".utf8), uid: 1000))
    }
    #expect(throws: FactorStoreError.belongsToAnother) {
      _ = try opened.snapshot(of: Account(name: Array("alice".utf8), uid: 1001))
    }
  }

  @Test("a record of an unknown version is refused with that reason")
  func otherVersion() throws {
    try fixture.enroll()
    var bytes = try fixture.bytes(of: fixture.record)
    for version in [UInt8(0), UInt8(FactorRecord.version + 1), 255] {
      bytes[5] = version
      try fixture.overwrite(fixture.record, bytes)
      #expect(try fixture.refusal() == .otherVersion(UInt16(version)))
    }
  }

  @Test("the attempt state of a replaced record is refused")
  func attemptsOfAnotherRecord() throws {
    try fixture.enroll()
    let old = try fixture.bytes(of: fixture.attempts)
    try unenrollAll()
    try fixture.enroll()
    try fixture.overwrite(fixture.attempts, old)
    #expect(try fixture.refusal() == .rolledBack(.attempts))
  }

  /// A separate function, at whose end the lock is released.
  private func unenrollAll() throws {
    let entry = try fixture.open().entry(of: fixture.account, creating: false)
    var record = try #require(entry.record)
    _ = try record.remove(record.factors[0].id)
    _ = try entry.replace(record: record, attempts: entry.attempts, entering: nil)
    #expect(entry.record == nil)
  }

  @Test("if one slot is damaged, the other one is used; if both are, the state is refused")
  func tornSlot() throws {
    try fixture.enroll()
    try count()
    let older = try #require(try fixture.open().snapshot(of: fixture.account)).attempts
    #expect(older.failures == 1)
    let before = try fixture.bytes(of: fixture.attempts)
    try count()
    let after = try fixture.bytes(of: fixture.attempts)
    let newest = before[..<1024] == after[..<1024] ? 1024 : 0
    #expect(before[..<1024] == after[..<1024] || before[1024...] == after[1024...])
    let written = AttemptState.encodedLength + 32
    for index in newest..<newest + written {
      var torn = after
      torn[index] ^= 0x40
      try fixture.overwrite(fixture.attempts, torn)
      let state = try #require(try fixture.open().snapshot(of: fixture.account)).attempts
      #expect(state == older, "byte \(index)")
    }
    // Damaging the older slot changes nothing either.
    for index in 1024 - newest..<1024 - newest + written {
      var torn = after
      torn[index] ^= 0x80
      try fixture.overwrite(fixture.attempts, torn)
      let state = try #require(try fixture.open().snapshot(of: fixture.account)).attempts
      #expect(state.failures == 2, "byte \(index)")
    }
    for index in 0..<written {
      var torn = after
      torn[index] ^= 0x01
      torn[1024 + index] ^= 0x01
      try fixture.overwrite(fixture.attempts, torn)
      #expect(try fixture.refusal() != nil, "byte \(index) of both slots")
    }
    try fixture.overwrite(fixture.attempts, after)
    #expect(try #require(try fixture.open().snapshot(of: fixture.account)).attempts.failures == 2)
  }

  private func count() throws {
    let entry = try fixture.open().entry(of: fixture.account, creating: false)
    guard case .counted(let state) = entry.attempts.begin(ThrottlePolicy(), now: 1_700_000_000)
    else {
      Issue.record("the attempt was refused")
      return
    }
    try entry.write(state)
    try entry.sync()
  }

  @Test("two writes before a sync use the same slot, so that the other one stays intact")
  func oneSlotUntilSynced() throws {
    try fixture.enroll()
    let before = try fixture.bytes(of: fixture.attempts)
    let entry = try fixture.open().entry(of: fixture.account, creating: false)
    guard case .counted(let state) = entry.attempts.begin(ThrottlePolicy(), now: 1_700_000_000)
    else { return }
    try entry.write(state)
    try entry.write(entry.attempts.unlocked())
    let after = try fixture.bytes(of: fixture.attempts)
    #expect((before[..<1024] == after[..<1024]) != (before[1024...] == after[1024...]))
    try entry.sync()
  }

  @Test("a leftover draft is removed, and a folder in its place fails only the change")
  func drafts() throws {
    try fixture.enroll()
    let draft = fixture.folder + "/store/factors/.alice"
    try Command.succeed(["/usr/bin/env", "sh", "-c", "echo junk > \"$1\"", "sh", draft])
    try fixture.enroll("Tablet")
    #expect(try Command.run(["/usr/bin/env", "test", "-e", draft]).status.isSuccess == false)
    try Command.succeed(["/usr/bin/env", "mkdir", draft])
    #expect(throws: FactorStoreError.self) { try fixture.enroll("Card") }
    let snapshot = try #require(try fixture.open().snapshot(of: fixture.account))
    #expect(
      snapshot.record.factors.map(\.displayName.utf8) == [
        Array("Phone".utf8), Array("Tablet".utf8),
      ])
  }

  @Test("a change that fails after its audit log entry keeps the old state, and can be repeated")
  func interruptedAtEachStep() throws {
    let first = try fixture.enroll()
    try fixture.rename()
    // The attempt state and the audit log contain the change, but the record cannot be written.
    let draft = fixture.folder + "/store/factors/.alice"
    try Command.succeed(["/usr/bin/env", "mkdir", draft])
    #expect(throws: FactorStoreError.self) { try fixture.rename("Tablet") }
    for _ in 1...2 {
      let before = try #require(try fixture.open().snapshot(of: fixture.account))
      #expect(before.record.factors == [first])
      #expect(
        before.attempts.accepting([.init(factor: first.id, step: 10)]) == nil)
      // Attempts before the repetition do not affect it.
      try count()
    }
    try Command.succeed(["/usr/bin/env", "rmdir", draft])
    try fixture.rename("Tablet")
    let after = try #require(try fixture.open().snapshot(of: fixture.account))
    #expect(after.record.factors.map(\.displayName.utf8) == [Array("Tablet".utf8)])
    #expect(after.record.generation == 2 && after.attempts.failures == 2)
    // After a failed first enrolment the user has no factor, and can enrol again.
    let bob = try StoreFixture()
    try Command.succeed(["/usr/bin/env", "mkdir", bob.folder + "/store/factors/.alice"])
    #expect(throws: FactorStoreError.self) { try bob.enroll(entering: StoreFixture.event) }
    #expect(try bob.open().snapshot(of: bob.account) == nil)
    try Command.succeed(["/usr/bin/env", "rmdir", bob.folder + "/store/factors/.alice"])
    try bob.enroll("Again", entering: StoreFixture.event)
    #expect(try bob.open().snapshot(of: bob.account)?.record.factors.count == 1)
  }

  /// Begins a change whose audit log entry cannot be written.
  private func failBeforeItsEntry() throws {
    let entry = try fixture.open().entry(of: fixture.account, creating: true)
    let record = try entry.storedRecordOrNew()
    let log = fixture.folder + "/store/audit-log"
    try Command.succeed(["/bin/mv", log, log + ".away"])
    #expect(throws: FactorStoreError.self) {
      _ = try entry.replace(record: record, attempts: entry.attempts, entering: StoreFixture.event)
    }
    try Command.succeed(["/bin/mv", log + ".away", log])
  }

  @Test(
    "an unfinished audit log entry belongs to its user even if another change fails, and another user's entry completes it",
    arguments: [true, false])
  func interruptedTwice(hasFactor: Bool) throws {
    if hasFactor { try fixture.enroll("First", entering: StoreFixture.event) }
    let bob = Account(name: Array("bob".utf8), uid: 1001)
    try fixture.enroll(bob)
    let files = ["/store/audit-log.head", "/store/audit-log.index"]
    let before = try files.map { try fixture.bytes(of: fixture.folder + $0) }
    let draft = fixture.folder + "/store/factors/.alice"
    try Command.succeed(["/usr/bin/env", "mkdir", draft])
    #expect(throws: FactorStoreError.self) {
      try fixture.enroll("Second", confirmedAt: 11, entering: StoreFixture.event)
    }
    try Command.succeed(["/usr/bin/env", "rmdir", draft])
    // Simulates a process that ended after it wrote the line of its entry.
    for (file, bytes) in zip(files, before) { try fixture.overwrite(fixture.folder + file, bytes) }
    try failBeforeItsEntry()
    try fixture.enroll(bob, "Tablet")
    let names = try fixture.open().snapshot(of: fixture.account)?.record.factors.map(\.displayName)
    #expect(names == (hasFactor ? [try #require(DisplayName(Array("First".utf8)))] : nil))
    try fixture.enroll("Third", confirmedAt: 12, entering: StoreFixture.event)
    let after = try #require(try fixture.open().snapshot(of: fixture.account))
    #expect(after.record.factors.count == (hasFactor ? 2 : 1))
  }

  @Test("a parent folder that other users may change is not trusted")
  func parents() throws {
    try fixture.enroll()
    try Command.succeed(["/usr/bin/env", "chmod", "0777", fixture.folder])
    #expect(throws: FactorStoreError.untrusted(.directory, .wrongPermissions)) {
      _ = try fixture.open()
    }
    try Command.succeed(["/usr/bin/env", "chmod", "0700", fixture.folder])
    try Command.succeed(["/usr/bin/env", "chown", "1", fixture.folder])
    #expect(throws: FactorStoreError.untrusted(.directory, .wrongOwner)) { _ = try fixture.open() }
  }

  @Test("user names with dots, slashes, percent signs and other bytes stay within the folder")
  func names() throws {
    for name in [".", "..", ".hidden", "a/b", "A%2F", "DOM\\alice", "bjørn", "a b"] {
      let file = try #require(FileName(percentEncoding: Array(name.utf8)))
      #expect(!file.bytes.contains(UInt8(ascii: "/")))
      #expect(file.bytes.first != UInt8(ascii: "."))
      #expect(file.percentDecoded == Array(name.utf8))
    }
    #expect(FileName(percentEncoding: [UInt8](repeating: 0x20, count: 81)) == nil)
    #expect(FileName(Array("..".utf8)) == nil)
  }
}

@Suite("The local store conforms")
struct LocalFactorStoreConformanceTests {
  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  private var conformance: FactorStoreConformance<LocalFactorStore> {
    FactorStoreConformance(isAtomic: false) { [fixture] in try fixture.open() }
  }

  @Test(arguments: FactorStoreCheck.allCases)
  func conforms(_ check: FactorStoreCheck) throws { try conformance.run(check) }
}
