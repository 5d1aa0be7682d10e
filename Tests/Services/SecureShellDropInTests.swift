import MFAAdminTestSupport
import Testing

@testable import MFADoctor
@testable import MFAServices

@Suite struct SecureShellDropInTests {
  static let include = "Include /etc/ssh/sshd_config.d/*.conf\n"

  struct Row: CustomTestStringConvertible {
    let number: Int
    let main: String
    var others: [(path: String, text: String)] = []
    let obstacle: String?
    var exceptions: [String] = []
    var testDescription: String { "\(number)" }
  }

  static let folder = "/etc/ssh/sshd_config.d/"

  static let rows = [
    Row(number: 1, main: include + "PasswordAuthentication yes\n", obstacle: nil),
    Row(
      number: 2, main: "PasswordAuthentication yes\n" + include,
      obstacle: "/etc/ssh/sshd_config:1 sets passwordauthentication before"),
    Row(number: 3, main: "PasswordAuthentication no\n" + include, obstacle: nil),
    Row(number: 4, main: "#" + include, obstacle: "does not include"),
    Row(number: 5, main: "", obstacle: "does not include"),
    Row(number: 6, main: "Include sshd_config.d/*.conf", obstacle: nil),
    Row(number: 7, main: "  include=\"/etc/ssh/sshd_config.d/*.conf\"", obstacle: nil),
    Row(number: 8, main: "Include /etc/ssh/x /etc/ssh/sshd_config.d/*.conf", obstacle: nil),
    Row(number: 9, main: "Match User bob\n" + include, obstacle: "does not include"),
    Row(number: 10, main: "Match User bob\nMatch all\n" + include, obstacle: nil),
    Row(
      number: 11, main: "ChallengeResponseAuthentication no\n" + include,
      obstacle: "/etc/ssh/sshd_config:1 sets challengeresponseauthentication before"),
    Row(
      number: 12, main: "UsePAM=no\n" + include,
      obstacle: "/etc/ssh/sshd_config:1 sets usepam before"),
    Row(
      number: 13, main: include, others: [(folder + "00-a.conf", "\nAuthenticationMethods any\n")],
      obstacle: "00-a.conf:2 sets authenticationmethods before"),
    Row(
      number: 14, main: include,
      others: [(folder + "50-cloud.conf", "PasswordAuthentication yes\n")],
      obstacle: nil),
    Row(
      number: 15,
      main: include + "Match User bob\nAuthenticationMethods publickey\nX11Forwarding no\n",
      obstacle: nil, exceptions: ["/etc/ssh/sshd_config:3"]),
    Row(
      number: 16, main: include,
      others: [(folder + "9.conf", "Match Group a\n PasswordAuthentication yes\n")], obstacle: nil,
      exceptions: [folder + "9.conf:2"]),
    Row(number: 17, main: "PasswordAuthentication NO\n" + include, obstacle: nil),
    Row(
      number: 18, main: "UsePAM = no\n" + include,
      obstacle: "/etc/ssh/sshd_config:1 sets usepam before"),
    Row(number: 19, main: "UsePAM = yes\n# UsePAM no\n" + include, obstacle: nil),
    Row(number: 20, main: "UsePAM yes # a comment\n" + include, obstacle: nil),
    Row(number: 21, main: "Match User bob\nMatch all # a comment\n" + include, obstacle: nil),
    Row(
      number: 22, main: "PasswordAuthentication 'yes'\n" + include,
      obstacle: "/etc/ssh/sshd_config:1 sets passwordauthentication before"),
    Row(
      number: 23, main: "AuthenticationMethods 'keyboard-interactive'\n" + include, obstacle: nil),
  ]

  @Test("settings that override the drop-in, and exceptions from it, are found", arguments: rows)
  func obstacles(row: Row) {
    var host = MemoryHost()
    host.texts = ["/etc/ssh/sshd_config": row.main]
    for other in row.others { host.texts[other.path] = other.text }
    let file = SSHDFile(of: host)
    let obstacle = SecureShellDropIn.obstacle(in: file)
    if let expected = row.obstacle {
      #expect(
        obstacle?.message.contains(expected) == true, "\(row.number): \(obstacle?.message ?? "")")
    } else {
      #expect(obstacle == nil, "\(row.number): \(obstacle?.message ?? "")")
      let exceptions = SecureShellDropIn.exceptions(in: file)
      #expect(exceptions.map(\.place) == row.exceptions, "\(row.number)")
    }
  }

  static let effective = """
    port 22
    usepam yes
    pidfile /run/sshd.pid
    passwordauthentication no
    kbdinteractiveauthentication yes
    authenticationmethods keyboard-interactive

    """

  @Test("the output of sshd -T is compared setting by setting")
  func differences() {
    func settings(_ output: String) -> SSHDSettings { SSHDSettings(Array(output.utf8)) }
    #expect(SecureShellDropIn.differences(inEffective: settings(Self.effective)).isEmpty)
    for (part, other) in [
      ("usepam yes", "usepam no"), ("no\nkbd", "yes\nkbd"), ("tication yes", "tication no"),
      ("methods keyboard-interactive", "methods any"), ("usepam yes\n", ""),
    ] {
      let output = Self.effective.replacing(part, with: other)
      #expect(SecureShellDropIn.differences(inEffective: settings(output)).count == 1, "\(other)")
    }
    #expect(SecureShellDropIn.differences(inEffective: settings("")).count == 4)
    for (value, isKept) in [("yes", true), ("no", true), ("without-password", false)] {
      let output = Self.effective + "permitrootlogin \(value)\n"
      #expect(
        (SecureShellDropIn.warning(inEffective: settings(output)) == nil) == isKept, "\(value)")
    }
    #expect(settings(Self.effective).value(of: "pidfile") == "/run/sshd.pid")
  }

  @Test(
    "the name of a group is one word of sshd_config, and no pattern",
    arguments: [
      ("staff", "staff"), ("a.b-c_d@example.org", "a.b-c_d@example.org"),
      ("Domain Users", "\"Domain Users\""), ("50%", "\"50%\""), ("a=b", "\"a=b\""),
      ("#1", "\"#1\""), ("-a", "\"-a\""), ("\u{434}", "\"\u{434}\""),
      (String(repeating: "a", count: 255), String(repeating: "a", count: 255)),
      ("a,b", nil), ("a*", nil), ("a?", nil), ("!a", nil), ("", nil), (" a", nil), ("a ", nil),
      ("a\"b", nil), ("a\\b", nil), ("a\nb", nil), ("a:b", nil), ("a/b", nil),
      (String(repeating: "a", count: 256), nil),
    ] as [(String, String?)])
  func groupNames(name: String, word: String?) {
    #expect(SecureShellFactors.isGroup(name) == (word != nil))
    guard let word else { return }
    let factors = SecureShellFactors(first: .password, exemptGroups: [name])
    #expect(
      factors.exemptions == ["Match Group \(word)", "  AuthenticationMethods publickey"])
    for line in factors.exemptions {
      #expect(SecureShellFactors.isExemption(Array(line.utf8)), "\(line)")
    }
  }

  @Test(
    "a line for something else than one group is no exemption",
    arguments: [
      "Match Group *", "Match Group a b", "Match Group \"a\"", "Match Group \"a*\"",
      "Match Group \"a b\" User x", "Match Group", "Match Group \"",
    ])
  func otherLines(line: String) {
    #expect(!SecureShellFactors.isExemption(Array(line.utf8)))
  }
}
