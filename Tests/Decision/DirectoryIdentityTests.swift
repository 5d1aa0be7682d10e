import MFAApplication
import MFAFactorStore
import MFAFactors
import MFAFleetProtocol
import MFAOneTimePassword
import MFAResidentProtocol
import MFASharedStore
import MFASharedStoreTestSupport
import MFASignIn
import MFASignInTestSupport
import MFASystem
import Testing

@testable import MFADecision
@testable import MFAServed

/// MUST 1 and 2 of DirectoryIdentities.swift.
@Suite("Entries of a directory and names", .privateMachine)
struct DirectoryIdentityTests {
  private static let first = DirectoryIdentity.entry(Array("first".utf8))
  private static let second = DirectoryIdentity.entry(Array("second".utf8))

  /// A realm that has the first entry for alice.
  private static func realm() throws -> DecisionTests.Realm {
    let realm = try DecisionTests.Realm()
    let store = TestRealm(realm.engine).store(at: try Clock.now())
    try DirectoryRegistry(store).setEntry(Array("first".utf8), of: Array("alice".utf8))
    return realm
  }

  /// The facts of a host about alice, with this entry.
  private static func facts(_ identity: DirectoryIdentity) -> HostFacts {
    DecisionTests.facts("alice").identified { _ in identity }
  }

  /// Signs alice in with the code. Returns the number of the verdict.
  private static func signIn(
    _ path: String, _ identity: DirectoryIdentity, _ nonce: UInt8
  ) throws -> UInt8? {
    let code = try KnownFactor.code(at: try Clock.now())
    return try DecisionTests.verdict(
      path, DecisionTests.converse(facts(identity), nonce: nonce),
      DecisionTests.start("alice", answers: [DecisionTests.answer(code)]))
  }

  /// Asks as the account line of a service does.
  private static func account(_ path: String, _ identity: DirectoryIdentity) throws -> UInt8? {
    try DecisionTests.verdict(
      path, DecisionTests.converse(facts(identity), nonce: 9),
      .start(
        ConversationStart(
          .account, SignInRequest(user: Array("alice".utf8), service: Array("sshd".utf8)),
          showsMessages: true, caller: 0, note: nil, tryNumber: 1, answered: [])))
  }

  private static let allowed: UInt8 = 1

  @Test("the factors of a name are worth nothing to another person")
  func anotherPerson() async {
    await #expect(processExitsWith: .success) {
      try DecisionTests.serving(try Self.realm()) { path in
        // The code is right each time, and is not used up.
        let verdicts = [
          try Self.signIn(path, Self.second, 1), try Self.signIn(path, .local, 2),
          try Self.account(path, Self.second), try Self.signIn(path, Self.first, 3),
        ]
        let deny = Verdict.deny.number
        #expect(verdicts == [deny, deny, deny, Self.allowed])
      }
    }
  }

  @Test("a host without a directory is believed about the name")
  func withoutDirectory() async {
    await #expect(processExitsWith: .success) {
      try DecisionTests.serving(try Self.realm()) { path in
        let verdict = try Self.signIn(path, .unknown, 1)
        #expect(verdict == Self.allowed)
      }
    }
  }

  @Test(
    "only a host where the user may enrol determines the entry",
    arguments: [("", true), ("enrolling = on", false)])
  func otherHost(configuration: String, isAllowed: Bool) async {
    await #expect(processExitsWith: .success) { [configuration, isAllowed] in
      try DecisionTests.serving(try DecisionTests.Realm(), configuration: configuration) { path in
        _ = try Self.account(path, Self.first)
        let verdict = try Self.signIn(path, Self.second, 1)
        #expect(verdict == (isAllowed ? Self.allowed : Verdict.deny.number))
      }
    }
  }

  @Test("the entry is forgotten with the last factor, and then belongs to who enrols next")
  func remembered() throws {
    let realm = TestRealm(MemoryEngine())
    let identities = DirectoryIdentities(store: realm.store())
    let account = Account(name: Array("alice".utf8), uid: 1000)
    func user(_ identity: DirectoryIdentity) -> AccountFacts {
      AccountFacts(account: account, groups: [], areGroupsCertain: true, identity: identity)
    }
    func entry() throws -> [UInt8]? { try DirectoryRegistry(realm.store()).entry(of: account.name) }
    try identities.remember(user(Self.first))
    #expect(try entry() == nil)
    try FactorStoreConformance { realm.store() }.enroll()
    try identities.remember(user(.unknown))
    #expect(try entry() == nil)
    try identities.remember(user(Self.first))
    #expect(try entry() == Array("first".utf8))
    #expect(try !identities.isAnotherPerson(user(Self.first)))
    #expect(try !identities.isAnotherPerson(user(.unknown)))
    #expect(try identities.isAnotherPerson(user(Self.second)))
    #expect(try identities.isAnotherPerson(user(.local)))
    try identities.remember(user(.unknown))
    #expect(try entry() == Array("first".utf8))
    let users = RealmUsers(
      realm.store(), by: RealmAdministration.actor, at: 1_800_000_000)
    #expect(try users.revoke(account.name)?.count == 1)
    #expect(try entry() == nil)
    // A host without a directory at which the user has removed the last factor.
    try DirectoryRegistry(realm.store()).setEntry([1], of: account.name)
    try identities.remember(user(.unknown))
    #expect(try entry() == nil)
    #expect(try !identities.isAnotherPerson(user(Self.second)))
  }
}
