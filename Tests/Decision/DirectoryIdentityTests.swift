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

/// The MUSTs of DirectoryIdentities.swift.
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

  /// The facts of a host about a user with this entry.
  private static func facts(_ identity: DirectoryIdentity, _ name: String) -> HostFacts {
    DecisionTests.facts(name).identified { _ in identity }
  }

  /// Signs a user in with the code that is valid `steps` time steps from now. Returns the number of the verdict.
  private static func signIn(
    _ path: String, _ identity: DirectoryIdentity, _ nonce: UInt8, as name: String = "alice",
    steps: Int64 = 0
  ) throws -> UInt8? {
    let code = try KnownFactor.code(at: try Clock.now() + 30 * steps)
    return try DecisionTests.verdict(
      path, DecisionTests.converse(facts(identity, name), nonce: nonce),
      DecisionTests.start(name, answers: [DecisionTests.answer(code)]))
  }

  /// Asks as the account line of a service does.
  private static func account(_ path: String, _ identity: DirectoryIdentity) throws -> UInt8? {
    try DecisionTests.verdict(
      path, DecisionTests.converse(facts(identity, "alice"), nonce: 9),
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

  @Test("after an accepted code, the factors of a renamed user belong to the new name")
  func renamed() async {
    await #expect(processExitsWith: .success) {
      try DecisionTests.serving(
        try Self.realm(), configuration: "enrolling = on", users: "alice alicia"
      ) { path in
        _ = try DecisionTests.verdict(
          path, DecisionTests.converse(Self.facts(Self.first, "alicia"), nonce: 1),
          DecisionTests.start("alicia", answers: [DecisionTests.answer("000000")]))
        let verdicts = [
          // A wrong code moved nothing.
          try Self.signIn(path, .unknown, 2, as: "alicia"),
          try Self.signIn(path, Self.second, 3, as: "alicia"),
          try Self.signIn(path, Self.first, 4, as: "alicia"),
          // The code is used up under both names.
          try Self.signIn(path, Self.first, 5, as: "alicia"), try Self.signIn(path, .unknown, 6),
          try Self.signIn(path, .unknown, 7, as: "alicia", steps: 1),
          try Self.signIn(path, .unknown, 8, steps: 2),
        ]
        let accepted = verdicts.map { $0 == Self.allowed }
        #expect(accepted == [false, false, true, false, false, true, false])
      }
    }
  }

  @Test("a repeated request gets its verdict, also after the factors were moved")
  func renamedAndRepeated() async {
    await #expect(processExitsWith: .success) {
      try DecisionTests.serving(
        try Self.realm(), configuration: "enrolling = on", users: "alice alicia"
      ) { path in
        let verdicts = try (0..<3).map { _ in try Self.signIn(path, Self.first, 4, as: "alicia") }
        #expect(verdicts == [Self.allowed, Self.allowed, Self.allowed])
        let other = try Self.signIn(path, Self.first, 5, as: "alicia")
        #expect(other != Self.allowed)
      }
    }
  }

  @Test("a host where the user may not enrol asks for the codes, but moves no factors")
  func renamedElsewhere() async {
    await #expect(processExitsWith: .success) {
      try DecisionTests.serving(try Self.realm(), users: "alice alicia") { path in
        let verdicts = [
          try Self.signIn(path, Self.first, 1, as: "alicia"),
          try Self.signIn(path, .unknown, 2, as: "alicia", steps: 1),
          try Self.signIn(path, .unknown, 3, steps: 1),
        ]
        #expect(verdicts.map { $0 == Self.allowed } == [true, false, true])
      }
    }
  }

  @Test("a host that may not ask about the earlier name is refused")
  func renamedForbidden() async {
    await #expect(processExitsWith: .success) {
      try DecisionTests.serving(try Self.realm(), users: "alicia") { path in
        let verdict = try Self.signIn(path, Self.first, 1, as: "alicia")
        #expect(verdict == Verdict.deny.number)
      }
    }
  }

  @Test("only the entry decides who a renamed user is")
  func owners() throws {
    let realm = TestRealm(MemoryEngine())
    let identities = DirectoryIdentities(store: realm.store())
    let registry = DirectoryRegistry(realm.store())
    func user(_ name: String, _ identity: DirectoryIdentity) -> AccountFacts {
      AccountFacts(
        account: Account(name: Array(name.utf8), uid: 1000), groups: [], areGroupsCertain: true,
        identity: identity)
    }
    try FactorStoreConformance { realm.store() }.enroll()
    #expect(try identities.owner(for: user("alicia", Self.first)) == .same)
    try identities.remember(user("alice", Self.first))
    let alice = Array("alice".utf8)
    #expect(try identities.owner(for: user("alicia", Self.first)) == .renamed(from: alice))
    for identity in [Self.second, .local, .unknown] {
      #expect(try identities.owner(for: user("alicia", identity)) == .same)
    }
    // The row that leads from the entry to the name is not enough.
    try registry.setEntry(Array("second".utf8), of: alice)
    #expect(try identities.owner(for: user("alicia", Self.first)) == .same)
    try registry.setEntry(Array("first".utf8), of: alice)
    // Factors under the new name are another person's, or the user's own.
    try FactorStoreConformance { realm.store() }.enroll(
      "Phone", Account(name: Array("alicia".utf8), uid: 1000))
    #expect(try identities.owner(for: user("alicia", Self.first)) == .same)
    try registry.setEntry(Array("third".utf8), of: Array("alicia".utf8))
    #expect(try identities.owner(for: user("alicia", Self.first)) == .anotherPerson)
  }

  @Test("it takes as many loads for a user who has enrolled as for one who has not")
  func loads() throws {
    let realm = TestRealm(MemoryEngine())
    let identities = DirectoryIdentities(store: realm.store())
    try FactorStoreConformance { realm.store() }.enroll()
    func loads(_ name: String) throws -> Int {
      let user = AccountFacts(
        account: Account(name: Array(name.utf8), uid: 1000), groups: [], areGroupsCertain: true,
        identity: .entry(Array(name.utf8)))
      if name == "alice" { try identities.remember(user) }
      let before = realm.engine.loads
      #expect(try identities.owner(for: user) == .same)
      return realm.engine.loads - before
    }
    #expect(try loads("alice") == 2)
    #expect(try loads("bob") == 2)
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
    #expect(try identities.owner(for: user(Self.first)) == .same)
    #expect(try identities.owner(for: user(.unknown)) == .same)
    #expect(try identities.owner(for: user(Self.second)) == .anotherPerson)
    #expect(try identities.owner(for: user(.local)) == .anotherPerson)
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
    #expect(try identities.owner(for: user(Self.second)) == .same)
  }
}
