import MFAAdminTestSupport
import MFAModel
import MFAPAMStack
import Testing

@testable import MFADoctor

@Suite("Doctor findings when enrolment is required")
struct DoctorTests {
  struct Row: CustomTestStringConvertible {
    let number: Int
    let configuration: String
    let sshd: String
    /// The findings as `place code`, in order of the services.
    let expected: [String]
    var testDescription: String { "\(number)" }
  }

  static let required = "[project]\nenrollment = required\n"
  static let sound =
    "auth required pam_mfa.so\naccount required pam_mfa.so\n@include common-account\n"

  static let rows = [
    Row(number: 1, configuration: required, sshd: sound, expected: []),
    Row(
      number: 2, configuration: required, sshd: "auth required pam_mfa.so\n@include common-account",
      expected: ["/pam/sshd:1 missing"]),
    Row(
      number: 3, configuration: required,
      sshd: "auth required pam_mfa.so\n@include common-account\naccount required pam_mfa.so\n",
      expected: ["/pam/common-account:1 skippable"]),
    Row(
      number: 4, configuration: required,
      sshd: "auth required pam_mfa.so\naccount optional pam_mfa.so\n",
      expected: ["/pam/sshd:2 denial-ignored"]),
    Row(
      number: 5, configuration: required,
      sshd: "auth required pam_mfa.so config=/etc/a\naccount required pam_mfa.so\n",
      expected: ["/pam/sshd:2 other-configuration"]),
    Row(
      number: 6, configuration: required, sshd: sound + "account [default=reset] x.so\n",
      expected: ["/pam/sshd:4 result-reset"]),
    Row(
      number: 7, configuration: required, sshd: "auth required pam_mfa.so\naccount reqired x.so\n",
      expected: ["/pam/sshd:2 not-understood"]),
    Row(
      number: 8, configuration: required, sshd: "auth reqired x.so\n",
      expected: ["/pam/sshd:1 not-understood"]),
    // The stack does not contain the module.
    Row(number: 9, configuration: required, sshd: "auth required x.so\n", expected: []),
    // Enrolment is not required.
    Row(
      number: 10, configuration: "[project]\n", sshd: "auth required pam_mfa.so\n", expected: []),
    Row(
      number: 11, configuration: "[project]\nenrollment = offered\noffer_sign_ins = 3\n",
      sshd: "auth required pam_mfa.so\n", expected: ["/pam/sshd:1 missing"]),
    Row(
      number: 12,
      configuration: "[project]\n[tenant a]\nservices = sudo\nenrollment = required\n",
      sshd: "auth required pam_mfa.so\n", expected: []),
    Row(
      number: 13,
      configuration: "[project]\n[tenant a]\nservices = sudo, sshd\nenrollment = required\n",
      sshd: "auth required pam_mfa.so\n", expected: ["/pam/sshd:1 missing"]),
    Row(
      number: 14, configuration: "[project]\n[tenant a]\ngroups = staff\nenrollment = required\n",
      sshd: "auth required pam_mfa.so\n", expected: ["/pam/sshd:1 missing"]),
    Row(
      number: 16, configuration: required,
      sshd: "account sufficient pam_rootok.so\n" + sound, expected: ["/pam/sshd:1 skippable"]),
    // The line is in an included file, which is not a service itself.
    Row(
      number: 15, configuration: required, sshd: "@include common-auth\n",
      expected: ["/pam/common-auth:1 missing"]),
  ]

  private func findings(_ row: Row) throws -> [Finding] {
    var host = MemoryHost()
    host.stacks.files = [
      "sshd": row.sshd, "common-auth": "auth required pam_mfa.so\n",
      "common-account": "account [success=1 new_authtok_reqd=done default=ignore] pam_unix.so\n",
      "cron": "@include common-account\n",
      "su": "account sufficient pam_rootok.so\n" + Self.sound,
    ]
    host.configurationText = row.configuration
    let snapshot = try HostSnapshot(of: host)
    return UnreadableStack.findings(on: snapshot) + MissingAccountLine.findings(on: snapshot)
  }

  @Test("each service that would deny unenrolled users is reported once", arguments: rows)
  func table(row: Row) throws {
    #expect(try findings(row).map { "\($0.place) \($0.code)" } == row.expected)
  }

  @Test("a finding shows the line to write")
  func text() throws {
    let missing = try #require(try findings(Self.rows[1]).first)
    #expect(missing.text.hasPrefix("error: /pam/sshd:1: sshd: users who must enrol are denied"))
    #expect(
      missing.message
        == "users who must enrol are denied by /pam/sshd:1: the stack has no account line for "
        + "pam_mfa.so")
    #expect(
      missing.hint
        == "add \"account required pam_mfa.so\" above all other account lines and above every "
        + "@include that contains one")
    let passed = try #require(try findings(Self.rows[2]).first)
    #expect(passed.message.hasSuffix("the module's account line at /pam/sshd:3 or jump over it"))
    #expect(passed.hint.hasPrefix("replace it: add \"account required pam_mfa.so\" above"))
    let other = try #require(try findings(Self.rows[4]).first)
    #expect(other.hint.contains("\"account required pam_mfa.so config=/etc/a\""))
    for row in Self.rows {
      for finding in try findings(row) {
        #expect(isHarmless(finding.message + finding.hint + finding.json.text))
      }
    }
  }

  @Test("control characters from service files are escaped")
  func escapes() throws {
    let row = Row(
      number: 0, configuration: Self.required,
      sshd: "auth required pam_mfa.so config=/\u{9B}2J\n", expected: [])
    let finding = try #require(try findings(row).first)
    #expect(isHarmless(finding.hint))
  }
}
