import MFAStore
import MFABase
import MFATestSupport
import Testing

/// MUST 1 and 2 of ForeignStore.swift, MUST 1 and 2 of StoreIdentityFile, and the store with them.
@Suite("A store that is not the host's own", .privateMachine)
struct ForeignStoreTests {
  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  private static let here = [UInt8](repeating: UInt8(ascii: "a"), count: 32)
  private static let elsewhere = [UInt8](repeating: UInt8(ascii: "b"), count: 32)

  private static func identity(
    log: UInt32, sequence: UInt64, machine: [UInt8]? = here
  ) -> ForeignStore.Known {
    var identity = StoreIdentity(machine: machine, keyMachine: machine)
    identity.log = log
    identity.sequence = sequence
    return .identity(identity)
  }

  @Test("the rule: what the identity and the store have, and the result")
  func rule() {
    let new = ForeignStore.Known.identity(StoreIdentity(machine: Self.here))
    let rows: [(ForeignStore.Known, ForeignStore.Found, [UInt8]?, ForeignStore?)] = [
      // 0: nothing was ever recorded, on this machine, on a clone, and without a machine.
      (new, .empty, Self.here, nil),
      (new, .empty, Self.elsewhere, nil),
      (new, .empty, nil, nil),
      // 3: a store was put beside a new identity.
      (new, .written(log: 7, sequence: 1), Self.here, .otherStore),
      (new, .otherKey, Self.here, .otherKey),
      // 5: interrupted before the first entry.
      (Self.identity(log: 7, sequence: 0), .empty, Self.here, nil),
      (Self.identity(log: 7, sequence: 0), .written(log: 7, sequence: 1), Self.here, nil),
      // 7: the host's own store, also after an interruption between the store and the identity.
      (Self.identity(log: 7, sequence: 4), .written(log: 7, sequence: 4), Self.here, nil),
      (Self.identity(log: 7, sequence: 4), .written(log: 7, sequence: 5), Self.here, nil),
      // 9: an earlier copy, an empty store, another store, a store of another key.
      (Self.identity(log: 7, sequence: 4), .written(log: 7, sequence: 3), Self.here, .older),
      (Self.identity(log: 7, sequence: 4), .written(log: 7, sequence: 0), Self.here, .older),
      (Self.identity(log: 7, sequence: 4), .empty, Self.here, .empty),
      (Self.identity(log: 7, sequence: 4), .written(log: 8, sequence: 9), Self.here, .otherStore),
      (Self.identity(log: 7, sequence: 4), .written(log: 0, sequence: 9), Self.here, .otherStore),
      (Self.identity(log: 7, sequence: 4), .otherKey, Self.here, .otherKey),
      // 15: what reads a damaged head denies.
      (Self.identity(log: 7, sequence: 4), .damaged, Self.here, nil),
      // 16: another machine, a machine whose file was removed, and one whose file was not known.
      (
        Self.identity(log: 7, sequence: 4), .written(log: 7, sequence: 4), Self.elsewhere,
        .otherMachine
      ),
      (Self.identity(log: 7, sequence: 4), .written(log: 7, sequence: 4), nil, .otherMachine),
      (
        Self.identity(log: 7, sequence: 4, machine: nil), .written(log: 7, sequence: 4), Self.here,
        nil
      ),
      // 19: no identity, or one of another key.
      (.missing, .empty, Self.here, .noIdentity),
      (.missing, .written(log: 7, sequence: 4), Self.here, .noIdentity),
      (.otherKey, .empty, Self.here, .otherKey),
      (.otherKey, .written(log: 7, sequence: 4), Self.here, .otherKey),
    ]
    for (number, row) in rows.enumerated() {
      #expect(
        ForeignStore.difference(row.0, row.1, machine: row.2) == row.3, "row \(number): \(row)")
    }
  }

  private var location: StoreLocation {
    get throws {
      let plain = try fixture.location()
      let folder = try #require(TrustedPath(Array("\(fixture.folder)/identity".utf8)))
      return StoreLocation(directory: plain.directory, key: plain.key, identity: folder)
    }
  }

  private func open() throws -> LocalFactorStore { try LocalFactorStore(try location) }

  /// Runs a shell script in the fixture's folder.
  private func run(_ script: String) throws {
    try Command.succeed(["/bin/sh", "-ec", "cd \(fixture.folder); " + script])
  }

  /// Makes the identity of a store in which nothing was recorded.
  private func begin() throws {
    try run("mkdir -m 0700 identity; head -c 512 /dev/zero >identity/store")
    try run("chmod 0600 identity/store; mkdir -m 0700 store/uids")
  }

  private func refusal() throws -> FactorStoreError? {
    let location = try location
    do throws(FactorStoreError) {
      _ = try LocalFactorStore(location).snapshot(of: fixture.account)
      return nil
    } catch { return error }
  }

  private func enter() throws { _ = try open().enter(StoreFixture.event) }

  /// Records an event, and returns why that is impossible.
  private func refusalOfEntry() throws -> FactorStoreError? {
    let store = try open()
    do throws(FactorStoreError) {
      _ = try store.enter(StoreFixture.event)
      return nil
    } catch { return error }
  }

  @Test("each way in which a store is not the host's own; adopting makes it the host's own")
  func files() throws {
    try begin()
    #expect(try refusal() == nil)
    try enter()
    #expect(try refusal() == nil)
    try run("cp -a store earlier")
    try enter()
    try run("cp -a store own; cp -a identity known")
    #expect(try refusal() == nil)
    let rows: [(String, ForeignStore)] = [
      ("rm -r store; mkdir -m 0700 store store/factors store/attempts store/uids", .empty),
      ("rm store/audit-log*", .empty),
      ("rm -r store/factors", .missing), ("rm -r store/attempts", .missing),
      ("rm -r store", .missing),
      ("chmod 0755 store; rm -r store/*", .missing),
      ("rm -r store; cp -a earlier store", .older),
      ("rm identity/store", .noIdentity), ("rm -r identity", .noIdentity),
      (
        "for at in 60 316; do "
          + "printf x | dd of=identity/store bs=1 seek=$at conv=notrunc status=none; done",
        .otherKey
      ),
      ("head -c 512 /dev/zero >identity/store", .otherStore),
      ("rm key; head -c 32 /dev/zero >key; chmod 0400 key", .otherKey),
    ]
    for (script, difference) in rows {
      try run("cp -a key key.kept; \(script)")
      #expect(try refusal() == .foreign(difference), "\(script)")
      try run("rm -rf store identity; cp -a own store; cp -a known identity; mv -f key.kept key")
      #expect(try refusal() == nil, "\(script)")
    }
    try run("rm -r store; cp -a earlier store")
    _ = try open().adopt(entering: StoreFixture.event)
    #expect(try refusal() == nil)
    try run("rm -r store; cp -a own store")
    #expect(try refusal() == .foreign(.older), "the adopted store is the newer one")
  }

  @Test("no entry is written to a log that is not the host's own")
  func noEntry() throws {
    try begin()
    try enter()
    try run("cp -a store earlier")
    try enter()
    try run("rm -r store; cp -a earlier store; cp -a store before")
    #expect(try refusalOfEntry() == .foreign(.older))
    try run("diff -r before store")
    try run("rm store/audit-log*")
    #expect(try refusalOfEntry() == .foreign(.empty))
  }

  @Test("an earlier copy is found although nothing was recorded since, if the identity was old")
  func advanced() throws {
    try begin()
    try enter()
    let enrolled = LocalFactorStoreUser(try open(), fixture)
    try enrolled.enroll()
    try run("cp -a store earlier; touch -d '59 minutes ago' identity/store")
    try enrolled.attempt()
    try run("mv store present; cp -a earlier store")
    #expect(try refusal() == nil, "the identity was written less than an hour ago")
    try run("rm -r store; mv present store; touch -d '61 minutes ago' identity/store")
    try enrolled.attempt()
    #expect(try refusal() == nil)
    try run("rm -r store; cp -a earlier store")
    #expect(try refusal() == .foreign(.older))
  }

  @Test("a file or folder of the identity that is not trusted denies")
  func distrusted() throws {
    try begin()
    try enter()
    let rows: [(String, TrustFailure)] = [
      ("chmod 0644 identity/store", .wrongPermissions), ("chmod 0755 identity", .wrongPermissions),
      ("chown daemon identity/store", .wrongOwner), ("chown daemon identity", .wrongOwner),
      ("ln identity/store identity/other", .severalNames),
      ("mv identity/store identity/other; ln -s other identity/store", .symbolicLink),
      ("rm identity/store; mkfifo -m 0600 identity/store", .notARegularFile),
      ("printf x >>identity/store", .wrongSize), (": >identity/store", .wrongSize),
    ]
    for (script, distrust) in rows {
      try run("cp -a identity known; \(script)")
      #expect(try refusal() == .untrusted(.identity, distrust), "\(script)")
      try run("rm -rf identity; mv known identity")
      #expect(try refusal() == nil, "\(script)")
    }
  }

  @Test("a process that remembers the identity finds that it was replaced")
  func replaced() throws {
    try begin()
    try enter()
    let store = try LocalFactorStore(try location, keepsKey: true)
    #expect(try store.snapshot(of: fixture.account) == nil)
    try run("touch -d '1 hour ago' identity/store; sleep 2.1")
    for _ in 0..<2 { #expect(try store.snapshot(of: fixture.account) == nil) }
    try run("cp identity/store kept; rm identity/store")
    #expect(throws: FactorStoreError.foreign(.noIdentity)) {
      _ = try store.snapshot(of: fixture.account)
    }
    try run("install -m 0600 kept identity/store")
    #expect(try store.snapshot(of: fixture.account) == nil)
  }
}

/// A user of a store whose identity is known.
private struct LocalFactorStoreUser {
  let store: LocalFactorStore
  let fixture: StoreFixture

  init(_ store: LocalFactorStore, _ fixture: StoreFixture) {
    self.store = store
    self.fixture = fixture
  }

  func enroll() throws {
    let entry = try store.entry(of: fixture.account, creating: true)
    let record = try entry.storedRecordOrNew()
    _ = try entry.replace(record: record, attempts: entry.attempts, entering: StoreFixture.event)
  }

  /// Counts an attempt, as a sign-in does.
  func attempt() throws {
    let entry = try store.entry(of: fixture.account, creating: true)
    try entry.write(entry.attempts.countingPostponedSignIn())
    try entry.sync()
  }
}
