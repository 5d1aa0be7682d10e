import MFAAdmin
import MFAAdminTestSupport
import MFABase
import MFAModel
import MFASignInTestSupport
import MFATestSupport
import Testing

@testable import MFADoctor
@testable import MFAPAMStack

@Suite("What keeps an account from using a service, whatever policy says")
struct AccountObstacleTests {
  /// The fields after the password, and why pam_unix.so refuses the account on day 20,000.
  static let shadowRows: [(fields: String, expected: String?)] = [
    ("19000:0:99999:7:::", nil), ("19000:0:99999:7::20001:", nil),
    ("19000:0:99999:7::20000:", "the account expired on 2024-10-04"),
    ("19000:0:99999:7::0:", "the account expired on 1970-01-01"), ("19000:0:99999:7::-1:", nil),
    // The password has expired, and can be changed.
    ("0:0:99999:7:::", nil), ("19000:0:90:7:::", nil), ("19980:0:10:7:10::", nil),
    ("19979:0:10:7:10::", "the password expired, and can no longer be changed"),
    ("19000:0::7:0::", nil), ("19000:0:9223372036854775807:7:9223372036854775807::", nil),
    ("", nil), ("x:y:z", nil),
  ]

  @Test("an account has expired if pam_unix.so says so", arguments: shadowRows)
  func expiry(fields: String, expected: String?) throws {
    let entry = try #require(
      ShadowEntry(
        "alice:$y$:\(fields)".split(separator: ":", omittingEmptySubsequences: false)
          .map { Array($0.utf8) }))
    #expect(entry.expiry(at: 20_000 * 86_400 + 5) == expected)
    #expect(entry.hasPassword)
  }

  /// Settings of sshd, the groups of alice, and the list because of which sshd refuses her.
  static let listRows: [(settings: [String], groups: [String]?, expected: String?)] = [
    ([], nil, nil), (["denyusers bob"], nil, nil),
    (["denyusers bob", "denyusers al*"], nil, "denyusers"),
    (["denyusers alice@192.0.2.0/24"], nil, nil),
    (["allowusers bob", "allowusers alice"], nil, nil),
    (["allowusers bob"], nil, "allowusers"), (["allowusers alice@192.0.2.1"], nil, nil),
    (["allowusers bob@192.0.2.1"], nil, "allowusers"), (["denygroups staff"], ["users"], nil),
    (["denygroups st?ff"], ["users", "staff"], "denygroups"), (["denygroups staff"], nil, nil),
    (["allowgroups staff"], ["users"], "allowgroups"), (["allowgroups staff"], ["staff"], nil),
    (["allowgroups staff"], nil, nil), (["denyusers alice", "allowusers alice"], nil, "denyusers"),
  ]

  @Test("sshd refuses accounts by its lists", arguments: listRows)
  func lists(settings: [String], groups: [String]?, expected: String?) {
    let settings = SSHDSettings(Array((settings.joined(separator: "\n") + "\n").utf8))
    #expect(settings.refusingList(of: "alice") { groups } == expected)
  }

  /// Settings of sshd, and the list because of which sshd refuses alice from 192.0.2.7.
  static let addressRows: [(settings: [String], expected: String?)] = [
    (["denyusers alice@192.0.2.0/24"], "denyusers"), (["denyusers alice@192.0.2.*"], "denyusers"),
    (["denyusers alice@10.0.0.0/8"], nil), (["denyusers bob@192.0.2.7"], nil),
    (["allowusers alice@10.0.0.0/8"], "allowusers"), (["allowusers al*@192.0.2.7"], nil),
    // The name of the host is not known.
    (["denyusers alice@example.org"], nil), (["denyusers alice@*.org", "usedns yes"], nil),
    (["allowusers alice@*.org", "usedns yes"], nil), (["allowusers alice@*.org"], "allowusers"),
  ]

  @Test("sshd refuses accounts at addresses by its lists", arguments: addressRows)
  func addresses(settings: [String], expected: String?) {
    let settings = SSHDSettings(Array((settings.joined(separator: "\n") + "\n").utf8))
    #expect(settings.refusingList(of: "alice", from: "192.0.2.7") { nil } == expected)
  }

  /// A host, and what keeps alice from using a service.
  struct Row: CustomTestStringConvertible, Sendable {
    let number: Int
    var service = "sshd"
    var prepare: @Sendable (inout MemoryHost) -> Void = { _ in }
    var reason: String?
    var deniesSignIn = true
    var testDescription: String { "\(number)" }
  }

  private static func shell(_ path: String) -> @Sendable (inout MemoryHost) -> Void {
    { host in
      host.known = .success([
        KnownAccount(
          account: Account(name: Array("alice".utf8), uid: 1000), shell: Array(path.utf8),
          home: Array("/home/alice".utf8))
      ])
    }
  }

  static let rows = [
    Row(number: 1), Row(number: 2, service: "sudo"),
    Row(
      number: 3, prepare: { $0.sshdOfOthers += "denyusers alice\n" },
      reason: "sshd refuses the account by DenyUsers: "),
    Row(
      number: 4, prepare: { $0.sshdOfOthers += "allowgroups staff\n" },
      reason: "sshd refuses the account, which is not in AllowGroups: "),
    Row(number: 5, service: "sudo", prepare: { $0.sshdOfOthers += "denyusers alice\n" }),
    Row(
      number: 6, prepare: shell("/no/shell"),
      reason: "sshd refuses the account: its shell /no/shell does not exist"),
    Row(
      number: 7,
      prepare: {
        shell("/etc/passwd")(&$0)
        $0.statuses["/etc/passwd"] = MemoryHost.file(0, 0o644)
      }, reason: "sshd refuses the account: its shell /etc/passwd is not a program"),
    Row(number: 8, service: "sudo", prepare: shell("/no/shell")),
    Row(
      number: 9, service: "login", prepare: shell("/no/shell"),
      reason: "its shell /no/shell does not exist", deniesSignIn: false),
    Row(
      number: 10, prepare: shell("/usr/sbin/nologin"),
      reason: "sshd refuses the account: its shell /usr/sbin/nologin does not exist"),
    Row(
      number: 16,
      prepare: {
        shell("/usr/sbin/nologin")(&$0)
        $0.statuses["/usr/sbin/nologin"] = MemoryHost.file(0, 0o755)
      }, reason: "its shell /usr/sbin/nologin ends each session at once", deniesSignIn: false),
    // sshd itself serves files.
    Row(
      number: 17,
      prepare: {
        shell("/usr/sbin/nologin")(&$0)
        $0.statuses["/usr/sbin/nologin"] = MemoryHost.file(0, 0o755)
        $0.sshdOfOthers += "subsystem sftp internal-sftp\n"
      }),
    Row(
      number: 11, service: "sudo", prepare: { $0.withoutPassword = ["alice"] },
      reason: "a password is required, and the account has none"),
    // Another module may know a password.
    Row(
      number: 12, service: "sudo",
      prepare: {
        $0.withoutPassword = ["alice"]
        $0.stacks.files["sudo"] = "auth sufficient pam_sss.so\n" + MemoryHost.Stacks.sound
      }),
    Row(
      number: 13, prepare: { $0.withoutPassword = ["alice"] },
      reason: "the account has neither a password nor a key"),
    Row(
      number: 14, service: "login", prepare: { $0.shadow["alice"] = "$y$:19000:0:99999:7::19000:" },
      reason: "the account expired on 2022-01-08"),
    Row(
      number: 18, service: "login",
      prepare: {
        $0.texts["/etc/nologin"] = ""
        $0.stacks.files["login"] = "account required pam_nologin.so\n" + MemoryHost.Stacks.sound
      }, reason: "pam_nologin.so refuses all users but root while /etc/nologin exists: "),
    // What another line ignores refuses nobody.
    Row(
      number: 19, service: "login",
      prepare: {
        $0.texts["/etc/nologin"] = ""
        $0.stacks.files["login"] = "account optional pam_nologin.so\n" + MemoryHost.Stacks.sound
      }),
    // cron runs no auth line.
    Row(
      number: 20, service: "cron",
      prepare: {
        $0.texts["/etc/nologin"] = ""
        $0.stacks.files["cron"] = "auth required pam_nologin.so\n" + MemoryHost.Stacks.sound
      }),
    // Another module decides about accounts.
    Row(
      number: 15, service: "login",
      prepare: {
        $0.shadow["alice"] = "$y$:19000:0:99999:7::19000:"
        $0.stacks.files["common-account"] =
          "account sufficient pam_sss.so\naccount required pam_unix.so\n"
      }),
  ]

  @Test("an obstacle is found where nothing unknown decides", arguments: rows)
  func obstacles(row: Row) throws {
    var examined = MemoryHost()
    row.prepare(&examined)
    let host = ScriptedHost()
    host.stacks.files = examined.stacks.files
    let user = try #require(UserName(Array("alice".utf8)))
    let explanation = Explanation(
      Explanation.Question(user, at: Array(row.service.utf8)), rules: HostRules(of: examined),
      on: host)
    let found = explanation.accountObstacle
    #expect((found == nil) == (row.reason == nil), "\(explanation.decision) \(found as Any)")
    guard let reason = row.reason else { return }
    #expect(found?.reason.hasPrefix(reason) == true, "\(found as Any)")
    #expect(found?.deniesSignIn == row.deniesSignIn)
    #expect((explanation.decision.kind == .denied) == row.deniesSignIn, "\(explanation.decision)")
  }

  /// The arguments of a condition, and whether it holds for alice, whose ID is 1000 and who is in staff.
  static let conditionRows: [(line: String, expected: Bool?)] = [
    ("pam_succeed_if.so quiet user ingroup staff", true),
    ("pam_succeed_if.so user ingroup others:staff", true),
    ("pam_succeed_if.so user ingroup others", false),
    ("pam_succeed_if.so user notingroup others", true),
    ("pam_succeed_if.so user ingroup broken", nil),
    ("pam_succeed_if.so user = alice quiet_success", true),
    ("pam_succeed_if.so user != alice", false),
    ("pam_succeed_if.so user in bob:alice", true), ("pam_succeed_if.so user notin bob", true),
    ("pam_succeed_if.so uid >= 1000", nil), ("pam_succeed_if.so uid ge 1000 uid lt 2000", true),
    ("pam_succeed_if.so uid eq 0", false), ("pam_succeed_if.so use_uid user ingroup staff", nil),
    ("pam_succeed_if.so rhost = here user = bob", false),
    ("pam_succeed_if.so rhost = here user = alice", nil), ("pam_succeed_if.so user", nil),
    ("pam_succeed_if.so service = sshd user = alice", true),
    ("pam_listfile.so item=user sense=allow file=/list onerr=fail", true),
    ("pam_listfile.so item=user sense=deny file=/list onerr=fail", false),
    ("pam_listfile.so item=user sense=deny file=/other onerr=fail", nil),
    ("pam_listfile.so item=group sense=deny file=/list", nil),
    ("pam_access.so user = alice", nil), ("pam_shells.so", true), ("pam_nologin.so", nil),
    ("pam_nologin.so file=/list", false), ("pam_nologin.so file=/other", nil),
    ("pam_faillock.so preauth", nil), ("pam_faillock.so preauth dir=/failures", false),
    ("pam_faillock.so preauth dir=/failures deny=4", nil),
  ]

  @Test("conditions about a user are carried out", arguments: conditionRows)
  func conditions(line: String, expected: Bool?) throws {
    let stack = try ServiceStack(
      .auth, of: Array("sshd".utf8), from: MemoryStacks(files: ["sshd": "auth required \(line)\n"]))
    let subject = StackEntry.ConditionSubject(
      account: Account(name: Array("alice".utf8), uid: 1000), service: Array("sshd".utf8),
      isMember: { group in
        switch String(decoding: group, as: UTF8.self) {
        case "staff": true
        case "others": false
        case _: nil
        }
      },
      lines: { file in
        switch file {
        case "/list": [Array("bob".utf8), Array("alice".utf8)]
        case "/etc/shells": [Array("/bin/sh".utf8)]
        case _: nil
        }
      }, shell: [],
      failures: { folder in
        folder == "/failures" ? FailureTallyTests.tally([(1, 995), (1, 996), (1, 997)]) : nil
      }, now: 1000)
    #expect(try #require(stack.entries.first).holds(for: subject) == expected, "\(line)")
  }
}
