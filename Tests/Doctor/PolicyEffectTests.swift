import MFAAdminTestSupport
import MFAAttempt
import MFABase
import MFAModel
import MFASignInTestSupport
import MFATestSupport
import Testing

@testable import MFAAdmin
@testable import MFADoctor

/// The effects of changes of the configuration, with a real store, whose folder must belong to root.
@Suite(.privateMachine) struct PolicyEffectTests {
  static let lines =
    "auth requisite pam_unix.so\nauth requisite pam_mfa.so\naccount required pam_permit.so\n"

  struct Row: CustomTestStringConvertible {
    let number: Int
    var before: String? = "[project]\n"
    let after: String
    var services = ["sudo": lines]
    /// Whether alice has recovery codes.
    var hasRecoveryCodes = false
    let expected: String
    /// What is said about factors that are no longer allowed.
    var losses: [String] = []
    var testDescription: String { "\(number)" }
  }

  static let rows = [
    Row(
      number: 1, after: "[project]\nstate = disabled\n",
      expected: "1 user (alice) will be let in without a code at sudo (before: asked for a code)\n"),
    Row(
      number: 2, before: "[project]\nstate = disabled\n", after: "[project]\n",
      expected: "1 user (alice) will be asked for a code at sudo (before: let in without a code)\n"),
    Row(
      number: 3, after: "[project]\nstate = observe\n",
      expected:
        "1 user (alice) will be asked for a code at sudo, and let in whatever they answer "
        + "(before: asked for a code)\n"),
    Row(
      number: 4, after: "[project]\nenrollment = required\n",
      expected:
        "2 users (bob, carol) will be denied at sudo: a factor is required, but none is enrolled; "),
    Row(
      number: 5, after: "[project]\nissuer = Example\n",
      expected: "the sign-ins of the 4 users that the system lists are decided as before\n"),
    // Only one of two services, and only some addresses.
    Row(
      number: 6, after: "[project]\n[tenant a]\nservices = login\nstate = disabled\n",
      services: ["sudo": lines, "login": lines],
      expected: "1 user (alice) will be let in without a code at login (before: asked for a code)\n"
    ),
    Row(
      number: 7, after: "[project]\n[tenant a]\nnetworks = 203.0.113.0/24\nstate = disabled\n",
      services: ["cockpit": lines],
      expected:
        "1 user (alice) will be let in without a code at cockpit from 203.0.113.0 (before: asked for a code)\n"
    ),
    // A configuration with a mistake denies every user.
    Row(
      number: 8, before: "[project]\nstate = on\n", after: "[project]\nstate = disabled\n",
      expected:
        "3 users (alice, bob, carol) will be let in without a code at sudo (before: denied)\n"),
    Row(
      number: 9, after: "[project]\nstate = disabled\n", services: [:],
      expected: "no service calls pam_mfa.so, so no sign-in changes\n"),
    // A type of factors that alice has is no longer allowed.
    Row(
      number: 10, after: "[project]\nfactors = phone\n",
      expected:
        "1 user (alice) will be denied at sudo: \"factors\" does not allow authenticator apps "
        + "(before: asked for a code)\n",
      losses: [
        "1 user (alice) can no longer use their authenticator apps; 1 of them (alice) can no longer "
          + "sign in; to allow these factors, add totp to factors"
      ]),
    Row(
      number: 11, before: "[project]\nstate = disabled\n", after: "[project]\nfactors = phone\n",
      expected:
        "1 user (alice) will be denied at sudo: \"factors\" does not allow authenticator apps "
        + "(before: let in without a code)\n",
      losses: [
        "1 user (alice) can no longer use their authenticator apps; 1 of them (alice) can no longer "
          + "sign in; to allow these factors, add totp to factors"
      ]),
    Row(
      number: 12, after: "[project]\nfactors = phone\n", hasRecoveryCodes: true,
      expected: "the sign-ins of the 4 users that the system lists are decided as before\n",
      losses: [
        "1 user (alice) can no longer use their authenticator apps; none is locked out, because of "
          + "other factors or recovery codes"
      ]),
    Row(
      number: 13, after: "[project]\nfactors = totp\n",
      expected: "the sign-ins of the 4 users that the system lists are decided as before\n"),
  ]

  static func policy(_ text: String) -> PolicyEffect.Policy {
    [
      nil: Result { () throws(ConfigurationError) in
        try Configuration.parse(Array(text.utf8).span)
      }
    ]
  }

  @Test("the users whose sign-ins change are counted and named", arguments: rows)
  func effect(row: Row) throws {
    let store = try TemporaryStore()
    try store.enroll("alice", uid: 1000, ["phone"])
    if row.hasRecoveryCodes { try store.addRecoveryCode(of: "alice") }
    store.accounts["bob"] = 1001
    store.accounts["carol"] = 1002
    store.accounts["root"] = 0
    let rest = ScriptedHost()
    rest.stacks.files.merge(row.services) { $1 }
    var host = MemoryHost()
    host.stacks = MemoryHost.Stacks(files: rest.stacks.files)
    for name in host.stacks.files.keys where row.services[name] == nil {
      host.stacks.files[name] = nil
    }
    let accounts = ["alice", "bob", "carol", "root"].map {
      Account(name: Array($0.utf8), uid: store.accounts[$0] ?? 0)
    }
    let effect = PolicyEffect(
      try HostSnapshot(of: host), from: Self.policy(row.before ?? ""), to: Self.policy(row.after),
      accounts: accounts,
      on: StoreHost(files: store, rest: rest, isMemberOf: { _, _ in false }))
    #expect(effect.text.hasPrefix(row.expected), "\(effect.text)")
    #expect(row.expected.hasSuffix("; ") || effect.text == row.expected)
    #expect(isHarmless(effect.text))
    #expect(effect.losses.map(\.sentence) == row.losses)
  }
}
