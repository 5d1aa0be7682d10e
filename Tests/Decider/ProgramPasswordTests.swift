import MFABase
import MFADecider
import MFAModel
import MFASignIn
import MFASignInTestSupport
import MFAWire
import Testing

/// Authentication that always succeeds.
private struct GivenProof: AccountProof {
  func prove(_ account: Account, by prompter: some Prompter) -> ProofResult { .proven }
}

@Suite("Program passwords through the helper")
struct ProgramPasswordTests: ScriptedConversations {
  let host = ScriptedHost()
  let trail = AuditTrail()

  init() { host.configuration = "[project]\nprogram_passwords = dovecot, smtp\n" }

  private func run(_ script: [Line]) throws -> ScriptedClient {
    try run(script) { client in
      try host.converse(
        with: client, proof: GivenProof(), audit: { [trail] in trail.write($0, $1, $2) })
    }
  }

  private func make(
    _ name: String = "Mail", services: String = "", networks: String = "", seconds: UInt32 = 86_400
  ) -> Line {
    { _ in
      try HelperRequestBox(
        .makeProgramPassword(
          ProgramPasswordRequest(
            name: try #require(DisplayName(Array(name.utf8))), services: Array(services.utf8),
            networks: Array(networks.utf8), seconds: seconds)))
    }
  }

  private var listPasswords: Line { { _ in try HelperRequestBox(.listProgramPasswords) } }
  private var removeListed: Line {
    { client in
      try HelperRequestBox(
        .removeProgramPassword(try #require(client.programPasswords.first).id))
    }
  }

  private func signIn(_ text: String) -> Verdict {
    SignInRun(
      SignInRequest(service: "dovecot", terminal: nil, arguments: ["program_password"]), host: host,
      application: ScriptedApplication([.text(text)])
    ).authenticate()
  }

  /// Begins a session with a code of the factor that `enrollKnown` made.
  private func opening() throws -> [Line] { [session, answer(try host.code())] }

  @Test("one is made, signs in, is listed and is removed")
  func life() throws {
    try enrollKnown()
    let client = try run(try opening() + [make(networks: "192.0.2.0/24"), listPasswords])
    #expect(client.heard.suffix(2) == [.programPassword, .programPasswords(["Mail"])])
    let summary = try #require(client.programPasswords.first)
    #expect(summary.scope?.servicesText == Array("dovecot smtp".utf8))
    #expect(summary.scope?.networksText == Array("192.0.2.0/24".utf8))
    #expect(summary.expiresAt - summary.madeAt == 86_400)
    #expect(trail.records.last == "management mfa:program-password-made true")
    #expect(host.memory.record?.notices.last?.kind == .programPasswordMade)
    #expect(host.delivered.count == 1)
    #expect(signIn(client.programPassword) == .deny, "the address is not known")
    let other = try run([session, answer(try host.code(1)), make("Phone", services: "dovecot")])
    #expect(signIn(other.programPassword) == .allow)
    let end = try run(
      [session, answer(try host.code(2)), listPasswords, removeListed, removeListed, listPasswords])
    #expect(
      end.heard.suffix(3) == [
        .done, .failed(.programPasswordRefused(.notFound)), .programPasswords(["Phone"]),
      ])
    #expect(trail.records.last == "management mfa:program-password-removed true")
  }

  @Test("one ends with the last factor, and with a revocation")
  func ends() throws {
    let factor = try enrollKnown()
    let client = try run(
      try opening() + [
        make(), { _ in try HelperRequestBox(.unenroll(factor: factor.id)) },
      ])
    #expect(host.memory.record?.grants.isEmpty == true)
    #expect(signIn(client.programPassword) == .deny)
  }

  @Test("changes need a session with a code, and a factor")
  func sessions() throws {
    #expect(try run([make()]).heard.last == .failed(.requiresRecentLogin))
    #expect(
      try run([make(services: "sshd")]).heard.last
        == .failed(.programPasswordRefused(.notAccepted)))
    #expect(try run([session, make()]).heard.last == .failed(.factorNotFound))
    try enrollKnown()
    #expect(
      try run([session, answer(""), make()]).heard.last == .failed(.secondFactorRequired))
    #expect(try run([listPasswords]).heard.last == .programPasswords([]))
    #expect(host.memory.record?.grants.isEmpty == true)
  }

  @Test("each refusal says what is wrong, and changes nothing")
  func refusals() throws {
    try enrollKnown()
    let client = try run(
      try opening() + [
        make(services: "sshd"), make(services: "dovecot sshd"), make(services: "Dovecot"),
        make(networks: "192.0.2.1/24"), make(seconds: 86_399), make(seconds: 63_072_001), make(),
        make(),
      ])
    #expect(
      client.heard.suffix(8) == [
        .failed(.programPasswordRefused(.notAccepted)),
        .failed(.programPasswordRefused(.notAccepted)), .failed(.invalidArgument),
        .failed(.invalidArgument), .failed(.invalidArgument), .failed(.invalidArgument),
        .programPassword, .failed(.programPasswordRefused(.nameTaken)),
      ])
    host.configuration = ""
    let refused = try run([session, answer(try host.code(1)), make("Other")])
    #expect(refused.heard.last == .failed(.programPasswordRefused(.notAccepted)))
    #expect(host.memory.record?.grants.count == 1)
  }

  @Test("a user has eight at most; one whose time is over makes place")
  func most() throws {
    try enrollKnown()
    let client = try run(try opening() + (0..<9).map { make("Program \($0)") })
    #expect(
      client.heard.suffix(2) == [.programPassword, .failed(.programPasswordRefused(.tooMany))])
    host.time += 86_400
    let later = try run([session, answer(try host.code()), make("Program 9"), listPasswords])
    #expect(later.heard.suffix(2) == [.programPassword, .programPasswords(["Program 9"])])
  }
}
