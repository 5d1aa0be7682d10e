import MFAWire
import MFAStore
import MFAModel
import MFARealm
import MFARealmStore
import MFASharedStoreTestSupport
import MFASignIn
import MFASignInTestSupport
import MFABase
import Testing

@testable import MFAVerifier
@testable import MFADecider

/// The MUSTs of DirectoryIdentities.swift.
@Suite("Entries of a directory and names", .privateMachine)
struct DirectoryIdentityTests {
  private static let first = DirectoryIdentity.entry(Array("first".utf8))
  private static let second = DirectoryIdentity.entry(Array("second".utf8))

  /// A host where all users may enrol.
  private static let desk = Array("desk1.example.org".utf8)
  private static let desks = "\n[hosts desks]\nenrolling = on\n"
  /// A host of an attacker, where the attacker's users may enrol.
  private static let shop = Array("shop1.example.org".utf8)
  private static let shops = "\n[hosts shops]\nusers = alice mallory\nenrolling = on\n"

  /// A realm that has the first entry for alice, by the report of the desk.
  private static func realm() throws -> DecisionTests.Realm {
    let realm = try DecisionTests.Realm()
    try realm.join(desk, group: "desks")
    let store = TestRealm(realm.engine).store(at: try Clock.now())
    let holder = try DirectoryRegistry(store).bind(
      Array("first".utf8), to: Array("alice".utf8), reportedBy: desk)
    #expect(holder == nil)
    return realm
  }

  /// The facts of a host about a user with this entry.
  private static func facts(_ identity: DirectoryIdentity, _ name: String) -> HostFacts {
    DecisionTests.facts(name).identified { _ in identity }
  }

  /// Signs a user in with the code that is valid `steps` time steps from now. Returns the number of the verdict.
  /// When this process began, in seconds since the epoch. All codes of a test are of one time, so that a code that is
  /// typed again is the same.
  private static let begin: Int64 = {
    do { return try Clock.now() } catch { return 0 }
  }()

  private static func signIn(
    _ path: String, _ identity: DirectoryIdentity, _ nonce: UInt8, as name: String = "alice",
    steps: Int64 = 0
  ) throws -> UInt8? {
    let code = try KnownFactor.code(at: begin + 30 * steps)
    return try DecisionTests.verdict(
      path, facts(identity, name), nonce: nonce, DecisionTests.start(name), code: code)
  }

  /// Asks as the account line of a service does.
  @discardableResult
  private static func account(
    _ path: String, _ identity: DirectoryIdentity, as name: String = "alice",
    at host: [UInt8] = DecisionTests.host
  ) throws -> UInt8? {
    try DecisionTests.verdict(
      path, facts(identity, name), host: host, nonce: 9,
      DecisionTests.start(name, line: .account))
  }

  private static let allowed: UInt8 = 1

  @Test("the factors of a name are worth nothing to another person")
  func anotherPerson() async {
    await #expect(processExitsWith: .success) {
      try DecisionTests.serving(try Self.realm()) { path in
        // The code is right each time, and is not used up.
        let verdicts: [UInt8?] = [
          try Self.signIn(path, Self.second, 1), try Self.signIn(path, .local, 2),
          try Self.account(path, Self.second), try Self.signIn(path, Self.first, 3),
        ]
        let deny: UInt8 = 0
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
        #expect(verdict == (isAllowed ? Self.allowed : 0))
      }
    }
  }

  @Test("after an accepted code, the factors of a renamed user belong to the new name")
  func renamed() async {
    await #expect(processExitsWith: .success) {
      try DecisionTests.serving(
        try Self.realm(), configuration: "enrolling = on" + Self.desks, users: "alice alicia"
      ) { path in
        _ = try DecisionTests.verdict(
          path, Self.facts(Self.first, "alicia"), nonce: 1, DecisionTests.start("alicia"),
          code: "000000")
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
        try Self.realm(), configuration: "enrolling = on" + Self.desks, users: "alice alicia"
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
      try DecisionTests.serving(
        try Self.realm(), configuration: Self.desks, users: "alice alicia"
      ) { path in
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
      try DecisionTests.serving(
        try Self.realm(), configuration: Self.desks, users: "alicia"
      ) { path in
        let verdict = try Self.signIn(path, Self.first, 1, as: "alicia")
        #expect(verdict == 0)
      }
    }
  }

  @Test("a user's entry that a host reports for its own user does not change the user's sign-in")
  func takeover() async {
    await #expect(processExitsWith: .success) {
      let realm = try DecisionTests.Realm()
      try realm.join(Self.shop, group: "shops")
      try DecisionTests.serving(
        realm, configuration: "enrolling = on" + Self.shops, users: "*"
      ) { path in
        let before = try Self.signIn(path, Self.second, 1, as: "victim")
        // alice is the attacker's user, and has factors.
        try Self.account(path, Self.second, at: Self.shop)
        let verdict = try Self.signIn(path, Self.second, 2, as: "victim")
        #expect(verdict == before && verdict != Self.allowed)
        // The factors are still those of alice, and the code is not used up.
        let own = try Self.signIn(path, .unknown, 3)
        #expect(own == Self.allowed)
      }
    }
  }

  @Test("the entry of a renamed user stays with the user's factors, whatever another host reports")
  func takeoverOfARenamedUser() async {
    await #expect(processExitsWith: .success) {
      let realm = try Self.realm()
      try realm.join(Self.shop, group: "shops")
      try FactorStoreConformance { TestRealm(realm.engine).store() }.enroll(
        "Phone", Account(name: Array("mallory".utf8), uid: 1000))
      try DecisionTests.serving(
        realm, configuration: "enrolling = on" + Self.shops + Self.desks, users: "*"
      ) { path in
        try Self.account(path, Self.first, as: "mallory", at: Self.shop)
        let verdicts = [
          try Self.signIn(path, Self.first, 1, as: "alicia"),
          // The factors that were asked for, and moved, are those of alice.
          try Self.signIn(path, .unknown, 2, as: "mallory"), try Self.signIn(path, .unknown, 3),
        ]
        #expect(verdicts.map { $0 == Self.allowed } == [true, true, false])
      }
    }
  }

  /// Returns the lookup for reports of a host; by default, of the one that may enrol all users.
  private func identities(
    _ realm: TestRealm<MemoryEngine>, host: [UInt8] = Self.desk
  ) -> DirectoryIdentities<MemoryEngine> {
    DirectoryIdentities(store: realm.store(), host: host) { host in
      host == Self.desk ? Self.everybody : host == Self.shop ? Self.ownUsers : nil
    }
  }

  private static func permissions(_ users: [[UInt8]]?) -> HostPermissions {
    var group = HostGroup(name: [1])
    group.users = users
    group.mayEnroll = true
    return HostPermissions([group])
  }

  private static let everybody = permissions(nil)
  private static let ownUsers = permissions([Array("alice".utf8), Array("mallory".utf8)])

  @Test("only the entry decides who a renamed user is")
  func owners() throws {
    let realm = TestRealm(MemoryEngine())
    let identities = identities(realm)
    let registry = DirectoryRegistry(realm.store())
    func owner(_ user: AccountFacts) throws -> DirectoryIdentities<MemoryEngine>.Owner {
      try identities.owner(for: user, Self.everybody)
    }
    func user(_ name: String, _ identity: DirectoryIdentity) -> AccountFacts {
      AccountFacts(
        account: Account(name: Array(name.utf8), uid: 1000), groups: [], areGroupsCertain: true,
        identity: identity)
    }
    try FactorStoreConformance { realm.store() }.enroll()
    #expect(try owner(user("alicia", Self.first)) == .same)
    #expect(try identities.remember(user("alice", Self.first)) == nil)
    let alice = Array("alice".utf8)
    #expect(try owner(user("alicia", Self.first)) == .renamed(from: alice))
    for identity in [Self.second, .local, .unknown] {
      #expect(try owner(user("alicia", identity)) == .same)
    }
    // The row that leads from the entry to the name is not enough.
    #expect(try registry.bind(Array("second".utf8), to: alice, reportedBy: Self.desk) == nil)
    #expect(try owner(user("alicia", Self.first)) == .same)
    #expect(try registry.bind(Array("first".utf8), to: alice, reportedBy: Self.desk) == nil)
    // Factors under the new name are another person's, or the user's own.
    try FactorStoreConformance { realm.store() }.enroll(
      "Phone", Account(name: Array("alicia".utf8), uid: 1000))
    #expect(try owner(user("alicia", Self.first)) == .same)
    #expect(
      try registry.bind(Array("third".utf8), to: Array("alicia".utf8), reportedBy: Self.desk) == nil
    )
    #expect(try owner(user("alicia", Self.first)) == .anotherPerson)
  }

  @Test("it takes as many loads for a user who has enrolled as for one who has not")
  func loads() throws {
    let realm = TestRealm(MemoryEngine())
    let identities = identities(realm)
    try FactorStoreConformance { realm.store() }.enroll()
    func loads(_ name: String) throws -> Int {
      let user = AccountFacts(
        account: Account(name: Array(name.utf8), uid: 1000), groups: [], areGroupsCertain: true,
        identity: .entry(Array(name.utf8)))
      if name == "alice" { #expect(try identities.remember(user) == nil) }
      let before = realm.engine.loads
      #expect(try identities.owner(for: user, Self.everybody) == .same)
      return realm.engine.loads - before
    }
    #expect(try loads("alice") == 2)
    #expect(try loads("bob") == 2)
  }

  @Test("the entry is forgotten with the last factor, and then belongs to who enrols next")
  func remembered() throws {
    let realm = TestRealm(MemoryEngine())
    let identities = identities(realm)
    let account = Account(name: Array("alice".utf8), uid: 1000)
    func user(_ identity: DirectoryIdentity) -> AccountFacts {
      AccountFacts(account: account, groups: [], areGroupsCertain: true, identity: identity)
    }
    func owner(for user: AccountFacts) throws -> DirectoryIdentities<MemoryEngine>.Owner {
      try identities.owner(for: user, Self.everybody)
    }
    func entry() throws -> [UInt8]? { try DirectoryRegistry(realm.store()).entry(of: account.name) }
    _ = try identities.remember(user(Self.first))
    #expect(try entry() == nil)
    try FactorStoreConformance { realm.store() }.enroll()
    _ = try identities.remember(user(.unknown))
    #expect(try entry() == nil)
    _ = try identities.remember(user(Self.first))
    #expect(try entry() == Array("first".utf8))
    #expect(try owner(for: user(Self.first)) == .same)
    #expect(try owner(for: user(.unknown)) == .same)
    #expect(try owner(for: user(Self.second)) == .anotherPerson)
    #expect(try owner(for: user(.local)) == .anotherPerson)
    _ = try identities.remember(user(.unknown))
    #expect(try entry() == Array("first".utf8))
    let users = RealmUsers(
      realm.store(), by: RealmAdministration.actor, at: 1_800_000_000)
    guard
      case .made(.revoked(let removal), _) = try users.apply(
        .revokeEverything, to: account.name, .defaults)
    else {
      Issue.record("nothing was revoked")
      return
    }
    #expect(removal.factors.count == 1)
    #expect(try entry() == nil)
    // A host without a directory at which the user has removed the last factor.
    #expect(
      try DirectoryRegistry(realm.store()).bind([1], to: account.name, reportedBy: Self.desk) == nil
    )
    _ = try identities.remember(user(.unknown))
    #expect(try entry() == nil)
    #expect(try owner(for: user(Self.second)) == .same)
  }

  @Test("only a host that may enrol both names says that a user was renamed")
  func confirmed() throws {
    let realm = TestRealm(MemoryEngine())
    let alice = Array("alice".utf8)
    func user(_ name: String) -> AccountFacts {
      AccountFacts(
        account: Account(name: Array(name.utf8), uid: 1000), groups: [], areGroupsCertain: true,
        identity: Self.first)
    }
    func owner(_ name: String) throws -> DirectoryIdentities<MemoryEngine>.Owner {
      try identities(realm).owner(for: user(name), Self.everybody)
    }
    try FactorStoreConformance { realm.store() }.enroll()
    #expect(try identities(realm, host: Self.shop).remember(user("alice")) == nil)
    // The shop may enrol mallory, and not alicia.
    #expect(try owner("mallory") == .renamed(from: alice))
    #expect(try owner("alicia") == .disputed(holder: alice))
    #expect(try identities(realm).remember(user("alice")) == nil)
    #expect(try owner("alicia") == .renamed(from: alice))
    // The host that asks may not ask about alice.
    let other = Self.permissions([Array("alicia".utf8)])
    #expect(try identities(realm).owner(for: user("alicia"), other) == .notPermitted)
    // alicia enrols under the name alone, because the entry is alice's.
    try FactorStoreConformance { realm.store() }.enroll(
      "Phone", Account(name: Array("alicia".utf8), uid: 1000))
    #expect(try identities(realm).remember(user("alicia")) == alice)
    #expect(try DirectoryRegistry(realm.store()).entry(of: Array("alicia".utf8)) == nil)
    let users = RealmUsers(realm.store(), by: RealmAdministration.actor, at: 1_800_000_000)
    guard case .made = try users.apply(.revokeEverything, to: alice, .defaults) else {
      Issue.record("nothing was revoked")
      return
    }
    #expect(try identities(realm).remember(user("alicia")) == nil)
    #expect(
      try DirectoryRegistry(realm.store()).entry(of: Array("alicia".utf8)) == Array("first".utf8))
  }
}
