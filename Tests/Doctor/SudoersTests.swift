import MFATestSupport
import Testing

@testable import MFADoctor

/// Random rules, and what the installed sudo does with them.
@Suite(
  "Agreement with the installed sudo",
  .enabled(
    if: SudoersSample.canReplaceRules,
    "needs root, the right to create namespaces, and sudo with cvtsudoers and setpriv"))
struct SudoersTests {
  /// System accounts that every Debian system has, each in its own group only.
  static let users = ["games", "man", "lp"]
  static let commands = ["/usr/bin/true", "/usr/bin/id", "/usr/bin/env"]

  /// Returns random rules about these users and commands. Nothing in them is unknown to the tests.
  static func randomRules(_ generator: inout SeededGenerator) -> String {
    func pick(_ choices: [String]) -> String { choices.randomElement(using: &generator) ?? "" }
    func list(_ choices: [String]) -> String {
      (0..<Int.random(in: 1...3, using: &generator)).map { _ in
        (Int.random(in: 0..<5, using: &generator) == 0 ? "!" : "") + pick(choices)
      }.joined(separator: ", ")
    }
    let people = users + users.map { "%" + $0 } + ["ALL", "PEOPLE", "#5"]
    var lines = [
      "Defaults !mail_no_user, !mail_badpass, !log_denied, !log_allowed",
      "User_Alias PEOPLE = " + list(users + ["%lp"]),
      "Cmnd_Alias SOME = " + list(commands), "Runas_Alias OPS = " + list(["root", "man", "ALL"]),
    ]
    for _ in 0..<Int.random(in: 0...2, using: &generator) {
      let scope = pick(["", ":" + pick(people), "@ALL", "@nowhere", ">root", ">man"])
      lines.append("Defaults\(scope) \(pick(["!authenticate", "authenticate"]))")
    }
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      let runAs = pick(["", "(ALL) ", "(root) ", "(man) ", "(OPS) ", "(ALL, !root) ", "(#0) "])
      let tag = pick(["", "NOPASSWD: ", "NOPASSWD: ", "PASSWD: "])
      let host = pick(["ALL", "ALL", "ALL", "nowhere", "ALL, !nowhere"])
      let named = list(commands + ["ALL", "ALL", "SOME"])
      lines.append("\(list(people)) \(host) = \(runAs)\(tag)\(named)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// What sudo does with rules: the output of `sudo -V`, and for each user the list of the rules and
  /// the commands that run as root without a password.
  struct Answers {
    let version: [UInt8]
    let lists: [[UInt8]]
    let runs: Set<String>
  }

  static func ask(_ rules: String) throws -> Answers {
    let asked = users.map { user in
      "echo ==; sudo -ll -U \(user); "
        + commands.map {
          "setpriv --reuid \(user) --regid \(user) --init-groups sudo -n \($0) >/dev/null 2>&1 && "
            + "echo 'runs \(user) \($0)' >&2; "
        }.joined()
    }.joined()
    let command = try Command.run(
      SudoersSample.unshare + [
        "mount -t tmpfs rules /run; cat >/run/rules; chmod 0440 /run/rules; "
          + "mount --bind /run/rules /etc/sudoers; sudo -V; set +e; \(asked) true"
      ], input: Array(rules.utf8))
    let parts = command.text.split(separator: "==\n", omittingEmptySubsequences: false)
    try #require(parts.count == users.count + 1, "\(rules) \(command.text) \(command.errorText)")
    return Answers(
      version: Array(parts[0].utf8), lists: parts.dropFirst().map { Array($0.utf8) },
      runs: Set(
        command.errorText.split(separator: "\n").filter { $0.hasPrefix("runs ") }
          .map { String($0.dropFirst(5)) }))
  }

  /// The effects by which sudo asks for nothing, as text.
  static func open(
    _ policy: SudoersPolicy, _ user: SudoersUser, _ context: SudoersContext
  ) -> Set<String> {
    Set(
      policy.effects(for: user, in: context).compactMap { effect in
        guard case .asksForNothing = effect.kind else { return nil }
        return "\(effect.command.text) as \(effect.target)"
      })
  }

  @Test(
    "the users who are asked for nothing are those whom sudo asks for nothing", arguments: 1...60)
  func agreesWithSudo(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let rules = Self.randomRules(&generator)
    let policy = try SudoersSample.convert(rules)
    let answers = try Self.ask(rules)
    let context = SudoersContext(
      host: SudoersHost(name: "no-such-host", usesFullName: false),
      version: try #require(SudoVersion(answers.version)), time: "20261123100000Z")
    for (name, list) in zip(Self.users, answers.lists) {
      let uid = try Int64(Command.succeed(["/usr/bin/id", "-u", name]).filter { $0 != "\n" })
      let user = SudoersUser(name: name, uid: uid, groups: [name])
      let open = Self.open(policy, user, context)
      // The list does not say which settings apply to which account.
      if !rules.contains("Defaults>") {
        #expect(
          open == Self.open(try SudoersPolicy(listing: list), user, context),
          "\(name)\n\(rules)\(String(decoding: list, as: UTF8.self))")
      }
      for command in Self.commands {
        let runs = answers.runs.contains("\(name) \(command)")
        let isNamed = open.contains("\(command) as root")
        let isForAll = open.contains("ALL as root")
        #expect(!runs || isNamed || isForAll, "\(name) \(command) \(open)\n\(rules)")
        #expect(runs || !isNamed, "\(name) \(command) \(open)\n\(rules)")
        if isForAll, !rules.contains(command) {
          #expect(runs, "\(name) \(command) \(open)\n\(rules)")
        }
      }
    }
  }
}
