import MFAWire
import MFAModel
import MFAPAMStack
import MFASignInTestSupport
import MFABase
import Testing

@testable import MFASignIn

@Suite("A line that applies after a key")
struct AfterKeyTests {
  let host = ScriptedHost()

  struct Row: CustomTestStringConvertible, Sendable {
    let number: Int
    var service = "sshd"
    var isEnrolled = true
    var configuration = "[project]\n"
    let methods: String?
    /// Whether the line asks for a code; the test answers with a wrong one.
    let asks: Bool
    let verdict: Verdict
    var testDescription: String { "row \(number)" }
  }

  private static let key = "publickey ssh-ed25519 AAAA\n"

  static let rows = [
    Row(number: 1, methods: key, asks: true, verdict: .deny),
    Row(number: 2, methods: "publickey ssh-rsa AAAA", asks: true, verdict: .deny),
    Row(number: 3, methods: "hostbased x y z\n" + key, asks: true, verdict: .deny),
    Row(number: 4, methods: "", asks: false, verdict: .pass),
    Row(number: 5, methods: nil, asks: false, verdict: .pass),
    Row(number: 6, methods: "hostbased publickey x AAAA\n", asks: false, verdict: .pass),
    Row(number: 7, methods: "publickey", asks: false, verdict: .pass),
    Row(number: 8, methods: "publickeys x\n", asks: false, verdict: .pass),
    // Only sshd verifies keys.
    Row(number: 9, service: "login", methods: key, asks: false, verdict: .pass),
    // The lines that follow decide about users without a factor.
    Row(number: 10, isEnrolled: false, methods: key, asks: false, verdict: .pass),
    Row(
      number: 11, isEnrolled: false, configuration: "[project]\nenrollment = required\n",
      methods: key, asks: false, verdict: .pass),
    Row(
      number: 12, configuration: "[project]\nstate = observe\n", methods: key, asks: false,
      verdict: .pass),
    Row(
      number: 13, configuration: "[project]\nstate = disabled\n", methods: key, asks: false,
      verdict: .pass),
    // An error denies, with a key and without one.
    Row(number: 14, configuration: "[project\n", methods: key, asks: false, verdict: .deny),
    Row(number: 15, configuration: "[project\n", methods: "", asks: false, verdict: .deny),
  ]

  private func signIn(_ row: Row, _ application: ScriptedApplication) throws -> Verdict {
    host.configuration = row.configuration
    if row.isEnrolled {
      _ = try host.memory.enroll(
        "Phone", secret: KnownFactor.secret, for: try #require(host.account))
    }
    let request = SignInRequest(
      user: Array("alice".utf8), service: Array(row.service.utf8),
      arguments: [Array("after_key".utf8), Array("tries=1".utf8)])
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
    let row = Row(number: 0, methods: Self.key, asks: true, verdict: .allow)
    let application = ScriptedApplication([.text(try KnownFactor.code(at: host.time))])
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
