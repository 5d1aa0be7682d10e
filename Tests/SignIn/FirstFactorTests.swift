import MFAWire
import MFAModel
import MFAPAMStack
import MFASignInTestSupport
import MFABase
import Testing

@testable import MFASignIn

@Suite("The first factor in sshd")
struct FirstFactorTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let number: Int
    var service = "sshd"
    /// The `auth` lines of the service.
    let lines: String
    var isEnrolled = false
    var configuration = "[project]\n"
    var arguments: [String] = []
    /// What sshd has verified.
    var methods: String? = ""
    let verdict: Verdict
    var testDescription: String { "row \(number)" }
  }

  private static let codeOnly = "auth required pam_mfa.so\nauth required pam_permit.so\n"
  private static let afterPassword = "auth requisite pam_unix.so\nauth required pam_mfa.so\n"
  private static let key = "publickey ssh-ed25519 AAAA\n"

  static let rows = [
    // The lines for a key and then a code, and sshd requires no key.
    Row(number: 1, lines: codeOnly, verdict: .deny),
    Row(number: 2, lines: codeOnly, methods: key, verdict: .pass),
    // What sshd has verified is too long to be read, so there is something.
    Row(number: 3, lines: codeOnly, methods: nil, verdict: .pass),
    Row(
      number: 4, lines: codeOnly, configuration: "[project]\nstate = disabled\n", verdict: .deny),
    Row(number: 5, lines: codeOnly, configuration: "[project]\nstate = observe\n", verdict: .deny),
    Row(
      number: 6, lines: codeOnly, configuration: "[project]\nenrollment = required\n",
      verdict: .deny),
    Row(
      number: 7, lines: codeOnly,
      configuration: "[project]\nenrollment = offered\noffer_sign_ins = 5\n", verdict: .deny),
    Row(number: 8, lines: codeOnly, arguments: ["after_key"], verdict: .deny),
    // A wrong answer is admitted while policy only observes.
    Row(
      number: 9, lines: codeOnly, isEnrolled: true, configuration: "[project]\nstate = observe\n",
      verdict: .deny),
    Row(number: 10, lines: codeOnly, isEnrolled: true, verdict: .deny),
    // Another line can deny.
    Row(number: 11, lines: afterPassword, verdict: .pass),
    Row(
      number: 12, lines: afterPassword, configuration: "[project]\nstate = disabled\n",
      verdict: .pass),
    // Other services have proven the user in their own ways.
    Row(number: 13, service: "login", lines: codeOnly, verdict: .pass),
    // The stack cannot be read.
    Row(number: 14, lines: "auth reqired x.so\n", verdict: .pass),
  ]

  @Test("nothing proven is denied if no other line could deny", arguments: rows)
  func guarded(row: Row) throws {
    let host = ScriptedHost()
    host.configuration = row.configuration
    host.stacks.files[row.service] = row.lines + "account required pam_mfa.so\n"
    if row.isEnrolled {
      _ = try host.memory.enroll(
        "Phone", secret: KnownFactor.secret, for: try #require(host.account))
    }
    let application = ScriptedApplication(row.isEnrolled ? [.text("000000")] : [])
    application.methods = row.methods
    let request = SignInRequest(
      user: Array("alice".utf8), service: Array(row.service.utf8),
      arguments: (["tries=1"] + row.arguments).map { Array($0.utf8) })
    let verdict = SignInRun(request, host: host, application: application).authenticate()
    #expect(verdict == row.verdict, "row \(row.number)")
    let isNamed = application.logged.contains {
      $0.contains("result=error") && $0.contains("reason=first-factor-missing")
    }
    #expect(isNamed == (row.verdict == .deny && row.number != 10), "\(application.logged)")
  }
}
