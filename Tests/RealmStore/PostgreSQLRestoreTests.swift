import MFAStore
import MFAAttempt
import MFAModel
import MFARealmStore
import MFAPostgreSQLTestSupport
import MFASharedStoreTestSupport
import MFASignInTestSupport
import MFABase
import MFATestSupport
import Testing

/// A code that was used after the last backup, and backups that are restored in different ways.
@Suite("PostgreSQL restore", .privateMachine)
struct PostgreSQLRestoreTests {
  /// A way to restore a backup.
  enum Restore: CaseIterable {
    case dumpInTheSameServer
    case dumpInANewServer
    case baseBackupThatIsJustStarted
    case baseBackupThatIsRecovered

    /// Whether the database differs from the one that the realm knows.
    var isRecognized: Bool {
      switch self {
      case .dumpInTheSameServer, .baseBackupThatIsJustStarted: false
      case .dumpInANewServer, .baseBackupThatIsRecovered: true
      }
    }
  }

  private let database: RealmDatabase
  private let account = Account(name: Array("alice".utf8), uid: 1000)
  private let now: Int64

  init() throws {
    database = try RealmDatabase()
    now = try Clock.now()
  }

  private func attempt(
    _ code: String, at time: Int64, in cluster: PostgreSQLCluster
  ) throws -> Attempt.Result {
    let store = TestRealm(EngineWithoutClock(PostgreSQLEngine(cluster.configuration()))).store(
      at: time)
    return try Attempt.make(
      TypedCodes(whole: Array(code.utf8).span), by: account, in: store,
      Attempt.Context(settings: .defaults, clock: { time })
    ).result
  }

  private func enroll() throws {
    let (cluster, now) = (database.cluster, now)
    try FactorStoreConformance {
      TestRealm(EngineWithoutClock(PostgreSQLEngine(cluster.configuration()))).store(at: now)
    }.enroll()
  }

  /// Makes a backup, lets a code in, and returns the server with the backup.
  private func restored(_ restore: Restore, after use: () throws -> Void) throws
    -> PostgreSQLCluster
  {
    let cluster = database.cluster
    switch restore {
    case .dumpInTheSameServer:
      let dump = try cluster.dump()
      try use()
      try cluster.restore(dump)
      return cluster
    case .dumpInANewServer:
      let dump = try cluster.dump()
      try use()
      let other = try PostgreSQLCluster(hasOwnIdentifier: true)
      try other.createRoles()
      try other.restore(dump)
      return other
    case .baseBackupThatIsJustStarted, .baseBackupThatIsRecovered:
      let other = try PostgreSQLCluster(
        copyOf: cluster, isRecovering: restore == .baseBackupThatIsRecovered)
      try use()
      try cluster.stop()
      try other.start()
      if restore == .baseBackupThatIsRecovered {
        try other.wait(for: "f", "SELECT pg_is_in_recovery()")
      }
      return other
    }
  }

  @Test("a used code is refused after a restore and a new epoch", arguments: Restore.allCases)
  func newEpoch(_ restore: Restore) throws {
    try enroll()
    let code = try KnownFactor.code(at: now)
    let cluster = try restored(restore) {
      guard case .accepted = try attempt(code, at: now, in: database.cluster) else {
        throw HarnessFailure("the code was not accepted before the restore")
      }
    }
    let engine = PostgreSQLEngine(cluster.configuration())
    let snapshot = try engine.load(EngineSample.key(), EngineContext())
    #expect((snapshot.incarnation != snapshot.realm.incarnation) == restore.isRecognized)
    if !restore.isRecognized {
      let actor = AuditLogEvent.Actor(
        name: Array("root".utf8), uid: 0, program: Array("tests".utf8), source: Source([]))
      let state = try TestRealm(EngineWithoutClock(engine)).store(at: now).beginEpoch(by: actor)
      #expect(state.epoch == snapshot.realm.epoch + 1)
      #expect(state.fence >= now)
      #expect(state.fenceIntervals == 10)
    }
    guard case .rejected(.replayed) = try attempt(code, at: now, in: cluster) else {
      Issue.record("the code was accepted again")
      return
    }
    #expect(
      try engine.load(EngineSample.key(), EngineContext()).realm.epoch
        == snapshot.realm.epoch + 1)
    let later = now + 1200
    guard
      case .accepted = try attempt(try KnownFactor.code(at: later), at: later, in: cluster)
    else {
      Issue.record("a later code was refused")
      return
    }
  }
}
