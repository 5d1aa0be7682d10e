import Foundation
import MFABase
import MFAModel
import MFAPAMStack
import MFASignInTestSupport
import MFAWire
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
    Row(number: 4, lines: codeOnly, configuration: "[project]\nstate = disabled\n", verdict: .deny),
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
      try host.enroll()
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

@Suite("A line that applies after a key")
struct AfterKeyTests {
  let host = ScriptedHost()

  struct Row: Sendable {
    var service = "sshd"
    var isEnrolled = true
    var configuration = "[project]\n"
    let methods: String?
    /// Whether the line asks for a code; the test answers with a wrong one.
    let asks: Bool
    let verdict: Verdict
  }

  private static let key = "publickey ssh-ed25519 AAAA\n"

  static let rows = [
    Row(methods: key, asks: true, verdict: .deny),
    Row(methods: "publickey ssh-rsa AAAA", asks: true, verdict: .deny),
    Row(methods: "hostbased x y z\n" + key, asks: true, verdict: .deny),
    Row(methods: "", asks: false, verdict: .pass),
    Row(methods: nil, asks: false, verdict: .pass),
    Row(methods: "hostbased publickey x AAAA\n", asks: false, verdict: .pass),
    Row(methods: "publickey", asks: false, verdict: .pass),
    Row(methods: "publickeys x\n", asks: false, verdict: .pass),
    // Only sshd verifies keys.
    Row(service: "login", methods: key, asks: false, verdict: .pass),
    // The lines that follow decide about users without a factor.
    Row(isEnrolled: false, methods: key, asks: false, verdict: .pass),
    Row(
      isEnrolled: false, configuration: "[project]\nenrollment = required\n",
      methods: key, asks: false, verdict: .pass),
    Row(configuration: "[project]\nstate = observe\n", methods: key, asks: false, verdict: .pass),
    Row(configuration: "[project]\nstate = disabled\n", methods: key, asks: false, verdict: .pass),
    // An error denies, with a key and without one.
    Row(configuration: "[project\n", methods: key, asks: false, verdict: .deny),
    Row(configuration: "[project\n", methods: "", asks: false, verdict: .deny),
  ]

  private func signIn(_ row: Row, _ application: ScriptedApplication) throws -> Verdict {
    host.configuration = row.configuration
    if row.isEnrolled {
      try host.enroll()
    }
    let request = SignInRequest(service: row.service, arguments: ["after_key", "tries=1"])
    application.methods = row.methods
    return SignInRun(request, host: host, application: application).authenticate()
  }

  @Test(
    "it asks for a code only after a key, and leaves other sign-ins to the next lines",
    arguments: rows)
  func decision(row: Row) throws {
    let application = ScriptedApplication([.text("000000")])
    #expect(try signIn(row, application) == row.verdict)
    #expect(application.prompts.count == (row.asks ? 1 : 0), "\(application.prompts)")
    // The line that decides logs the result.
    #expect(application.logged.isEmpty == (row.verdict == .pass), "\(application.logged)")
    #expect(application.told.isEmpty == (row.verdict == .pass), "\(application.told)")
  }

  @Test("the right code after a key allows the sign-in")
  func rightCode() throws {
    let row = Row(methods: Self.key, asks: true, verdict: .allow)
    let application = ScriptedApplication([.text(try host.code())])
    #expect(try signIn(row, application) == .allow)
  }

  @Test(
    "after_key cannot be combined with an argument about the password",
    arguments: ["after_password", "try_first_pass", "use_first_pass", "forward_pass"])
  func contradictions(argument: String) {
    let arguments = [Array("after_key".utf8), Array(argument.utf8)]
    #expect(throws: ModuleOptions.Refusal.keyWithPassword) { _ = try ModuleOptions(arguments) }
  }
}

/// Compares the lines that allow a sign-in with the table in packaging/THREATS.md.
@Suite("The places that allow a sign-in")
struct AllowingPlacesTests {
  private struct Place: Hashable, CustomStringConvertible {
    let file: String
    let line: String
    var description: String { "\(file): \(line)" }
  }

  private static let checkout = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// A value that allows, where it is returned, assigned or passed on.
  private static func allows(_ line: String, isC: Bool) -> Bool {
    guard !line.hasPrefix("//") else { return false }
    if isC {
      return line.replacing("== MFA_ALLOW", with: "")
        .contains(/return PAM_SUCCESS\b|. MFA_ALLOW\b|\(MFA_ALLOW\)/)
    }
    return line.contains(/(return|[:=?(,\[]) *(Verdict|mfa_verdict)?\.allow\b(?!\()/)
  }

  /// The lines in the module, and in the layers with the programs that decide.
  private static func found() throws -> [Place] {
    let folders = [
      "pam", "Sources/Core", "Sources/Module", "Sources/Realm", "Sources/Service", "Sources/SignIn",
      "Sources/Wire",
    ]
    return try folders.flatMap { folder in
      let paths = try FileManager.default.subpathsOfDirectory(
        atPath: checkout.appending(path: folder).path)
      return try paths.filter { $0.hasSuffix(".swift") || $0.hasSuffix(".c") }.flatMap { path in
        let text = try String(
          contentsOf: checkout.appending(path: "\(folder)/\(path)"), encoding: .utf8)
        return text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
          .filter { allows($0, isC: path.hasSuffix(".c")) }
          .map { Place(file: "\(folder)/\(path)", line: $0) }
      }
    }
  }

  private static func table() throws -> [Place] {
    let text = try String(
      contentsOf: checkout.appending(path: "packaging/THREATS.md"), encoding: .utf8)
    let parts = text.components(separatedBy: "\n## Where a sign-in is allowed\n")
    let section = try #require(parts.dropFirst().first).components(separatedBy: "\n## ")[0]
    return section.matches(of: /(?m)^\| `([^`]+)` \| `([^`]+)` \| [^|]+ \|$/).map {
      Place(file: String($0.1), line: String($0.2))
    }
  }

  @Test("packaging/THREATS.md lists each line once, and no other")
  func listed() throws {
    let (found, table) = (try Self.found(), try Self.table())
    #expect(found.sorted { "\($0)" < "\($1)" } == table.sorted { "\($0)" < "\($1)" })
    #expect(table.count == 8)
  }

  @Test(
    "a line that allows is recognised",
    arguments: [
      ("return .allow", false, true), ("case (.enabled, .allowed): .allow", false, true),
      ("case .allow: .allowed", false, false), ("let verdict = Verdict.allow", false, true),
      ("// return .allow", false, false), ("finish(.allow)", false, true),
      ("if verdict == .allow {", false, true), ("rules.allows(.phone)", false, false),
      ("if (a && b) return MFA_ALLOW;", true, true), ("MFA_ALLOW MFA_NAMED", true, false),
      ("verdict = MFA_ALLOW;", true, true),
      ("if (line == MFA_AUTH && verdict == MFA_ALLOW) settle();", true, false),
      ("return PAM_SUCCESS;", true, true), ("if (x != PAM_SUCCESS) return y;", true, false),
    ])
  func recognised(line: String, isC: Bool, allows: Bool) {
    #expect(Self.allows(line, isC: isC) == allows, "\(line)")
  }
}
