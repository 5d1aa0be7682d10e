import MFAWire
import MFAStore
import MFAModel
import MFASignIn
import MFASignInTestSupport
import MFABase
import Testing

@Suite("Users without a factor")
struct EnrollmentPatternTests {
  let host = ScriptedHost()

  private func request(
    _ service: String, _ arguments: [String], from address: String?
  ) -> SignInRequest {
    SignInRequest(service: service, remoteHost: address, arguments: arguments)
  }

  private func signIn(
    _ application: ScriptedApplication, service: String = "sshd", _ arguments: [String] = [],
    from address: String? = "203.0.113.9"
  ) -> Verdict {
    SignInRun(request(service, arguments, from: address), host: host, application: application)
      .authenticate()
  }

  private func account(_ application: ScriptedApplication, service: String = "sshd") -> Verdict {
    SignInRun(request(service, [], from: nil), host: host, application: application).checkAccount()
  }

  // MARK: Required

  @Test("if the account line is not certain to run, both lines deny users without a factor")
  func required() throws {
    host.configuration = "[project]\nenrollment = required\n"
    host.stacks.files = ["sshd": "account sufficient x.so\naccount required pam_mfa.so\n"]
    let application = ScriptedApplication([.text("123456")])
    #expect(signIn(application) == .deny)
    // The prompt is the same as for all users.
    #expect(application.prompts == ["Verification code: "])
    #expect(application.isUsedUp)
    #expect(application.told.count == 1)
    #expect(application.told[0].contains("you have not"))
    #expect(application.essentials == application.told)
    #expect(application.logged.count == 1)
    #expect(application.logged[0].hasPrefix("result=enrollment-required user=alice service=sshd"))
    #expect(
      application.logged[0].hasSuffix(
        "reason=no-account-line account-line=skippable place=/pam/sshd:1"))
    #expect(application.noted == nil)
    #expect(account(ScriptedApplication()) == .deny)
    try host.enroll()
    #expect(signIn(ScriptedApplication([.text(try host.code())])) == .allow)
    #expect(account(ScriptedApplication()) == .allow)
  }

  @Test("if the account line is certain to run, the auth line leaves the enrolment to it")
  func pending() {
    host.configuration = "[project]\nenrollment = required\n"
    let application = ScriptedApplication()
    #expect(signIn(application) == .pass)
    #expect(application.prompts.isEmpty && application.told.isEmpty)
    #expect(application.noted == Array("ealice".utf8))
    #expect(application.logged.count == 1)
    #expect(application.logged[0].hasPrefix("result=enrollment-pending user=alice service=sshd"))
    #expect(!host.memory.hasPlace)
    // The stack is not examined for users who have a factor or do not need one.
    host.stacks.files = [:]
    host.configuration = "[project]\nenrollment = self-service\n"
    let other = ScriptedApplication()
    #expect(signIn(other) == .pass)
    #expect(other.noted == nil)
  }

  @Test("a line that lets root pass does not let other callers pass")
  func su() {
    host.configuration = "[project]\nenrollment = required\n"
    host.stacks.files["sshd"] =
      "account sufficient pam_rootok.so\naccount required pam_mfa.so\n"
    #expect(signIn(ScriptedApplication([.text("")])) == .deny)
    host.isCalledByRoot = false
    #expect(signIn(ScriptedApplication()) == .pass)
  }

  @Test(
    "a user who was to enrol is denied if a factor was enrolled meanwhile"
  )
  func enrolledBeforeTheAccountLine() throws {
    let application = ScriptedApplication([])
    application.noted = [TransactionNote.enrollment.rawValue] + Array("alice".utf8)
    try host.enroll()
    let request = SignInRequest()
    #expect(SignInRun(request, host: host, application: application).checkAccount() == .deny)
    #expect(application.logged.last?.hasSuffix("reason=enrolled-meanwhile") == true)
    application.noted = nil
    #expect(SignInRun(request, host: host, application: application).checkAccount() == .allow)
  }

  @Test("if the note cannot be stored, the user is denied")
  func noNote() {
    host.configuration = "[project]\nenrollment = required\n"
    let application = ScriptedApplication()
    application.takesNotes = false
    #expect(signIn(application) == .deny)
  }

  @Test("with forward_pass, a user who must enrol is prompted, and the password is forwarded")
  func pendingForwards() {
    host.configuration = "[project]\nenrollment = required\n"
    let application = ScriptedApplication([.text("password")])
    #expect(signIn(application, ["forward_pass"]) == .pass)
    #expect(application.prompts == ["Password and verification code: "])
    #expect(application.forwarded == ["password"])
    let silent = ScriptedApplication([.none])
    #expect(signIn(silent, ["forward_pass"]) == .deny)
    let broken = ScriptedApplication([.text("password")])
    broken.forwards = false
    #expect(signIn(broken, ["forward_pass"]) == .deny)
  }

  @Test("an account line with a different configuration does not count")
  func otherConfiguration() {
    host.configuration = "[project]\nenrollment = required\n"
    let application = ScriptedApplication([.text("123456")])
    #expect(signIn(application, ["config=/etc/mfa/strict.conf"]) == .deny)
    #expect(application.logged[0].contains("account-line=other-configuration place=/pam/other:1"))
  }

  @Test("in the observe state, users are neither denied nor asked to enrol")
  func observes() {
    host.configuration = "[project]\nstate = observe\nenrollment = required\n"
    let application = ScriptedApplication()
    #expect(signIn(application) == .pass)
    let line = ScriptedApplication()
    line.noted = application.noted
    #expect(account(line) == .pass)
    #expect(line.prompts.isEmpty && line.told.isEmpty)
    #expect(line.logged[0].contains("reason=only-observed"))
    host.stacks.files = [:]
    #expect(signIn(ScriptedApplication([.text("")])) == .pass)
  }

  @Test("forward_pass forwards the answer if enrolment is required but impossible")
  func requiredForwards() {
    host.configuration = "[project]\nenrollment = required\n"
    host.stacks.files = [:]
    let application = ScriptedApplication([.text("password")])
    #expect(signIn(application, ["forward_pass"]) == .deny)
    #expect(application.forwarded == ["password"])
    #expect(application.told.isEmpty)
  }

  // MARK: Offered

  @Test("after an offer has ended, both lines deny users without a factor")
  func offeredByCount() throws {
    host.configuration = "[project]\nenrollment = offered\noffer_sign_ins = 1\n"
    let application = ScriptedApplication([.text("")])
    #expect(signIn(application) == .pass)
    // Users who fail the first factor do not reach the account line, which alone counts.
    #expect(signIn(ScriptedApplication()) == .pass)
    #expect(account(application) == .pass && application.isUsedUp)
    #expect(signIn(ScriptedApplication()) == .pass)
    #expect(account(ScriptedApplication()) == .deny)
    host.stacks.files = [:]
    #expect(signIn(ScriptedApplication([.text("")])) == .deny)
    try host.enroll()
    #expect(account(ScriptedApplication()) == .allow)
  }

  @Test(
    "an offer ends at the end of its last day",
    arguments: [
      (1, 1_700_006_399 as Int64, Verdict.pass), (2, 1_700_006_400, .deny),
    ])
  func offeredByDay(row: Int, now: Int64, expected: Verdict) {
    // 1,700,006,400 is the beginning of 2023-11-15 in UTC.
    host.configuration = "[project]\nenrollment = offered\noffer_until = 2023-11-14\n"
    host.time = now
    host.stacks.files = [:]
    #expect(signIn(ScriptedApplication([.text("")])) == expected, "row \(row)")
    let line = ScriptedApplication()
    #expect(account(line) == expected, "row \(row)")
    guard expected == .pass else { return }
    #expect(
      line.told == [
        "Protect your account with an authenticator app: mfa-enroll "
          + "It is required after 14 November 2023 (UTC)."
      ])
    #expect(
      !host.memory.steps.contains { if case .write = $0 { true } else { false } },
      "no sign-in is to be counted")
  }

  @Test("no files are created for a user before the first factor is verified")
  func authLineCreatesNoFiles() {
    host.configuration = "[project]\nenrollment = offered\noffer_sign_ins = 3\n"
    let application = ScriptedApplication([.text("")])
    #expect(signIn(application) == .pass)
    #expect(!host.memory.hasPlace)
    #expect(account(application) == .pass)
    #expect(host.memory.hasPlace)
  }

  @Test("under an offer, a sign-in whose count cannot be read is denied")
  func uncountedOffer() {
    host.configuration = "[project]\nenrollment = offered\noffer_sign_ins = 3\n"
    host.stacks.files = [:]
    host.memory.failure = (.lock, .busy)
    #expect(signIn(ScriptedApplication()) == .deny)
  }

  // MARK: Incremental

  @Test("a tenant can require a factor for one service, although other sign-ins need none")
  func incremental() throws {
    host.configuration = """
      [project]
      enrollment = self-service
      [tenant administration]
      services = sudo, su
      enrollment = required

      """
    host.stacks.files["sudo"] = "account optional pam_mfa.so\n"
    #expect(signIn(ScriptedApplication()) == .pass)
    #expect(signIn(ScriptedApplication([.text("")]), service: "sudo") == .deny)
    #expect(account(ScriptedApplication()) == .pass)
    #expect(account(ScriptedApplication(), service: "sudo") == .deny)
  }

  @Test(
    "groups and addresses decide; if they are unknown, the stricter rule applies",
    arguments: [
      (1, ["staff"], "203.0.113.9", Verdict.deny), (2, [], "203.0.113.9", .pass),
      (3, nil, "203.0.113.9", .deny), (4, ["staff"], "198.51.100.7", .pass),
      (5, ["staff"], "host.example", .deny), (6, ["staff"], nil, .deny),
    ] as [(Int, [String]?, String?, Verdict)])
  func selectors(row: Int, groups: [String]?, address: String?, expected: Verdict) {
    host.configuration = """
      [project]
      [tenant staff]
      groups = staff
      networks = 203.0.113.0/24
      enrollment = required

      """
    host.groups = groups
    host.stacks.files = [:]
    let application = ScriptedApplication([.text("")])
    #expect(signIn(application, from: address) == expected, "row \(row)")
  }

  @Test("with tenants, a failed account lookup denies, whatever [project] says")
  func failedLookUp() throws {
    host.configuration = "[project]\nstate = observe\n"
    host.accountFailure = SystemError(.lookUpAccount, number: 5)
    #expect(signIn(ScriptedApplication()) == .pass)
    host.configuration += "[tenant root]\nusers = root\nstate = enabled\n"
    #expect(signIn(ScriptedApplication()) == .deny)
  }

  @Test("a tenant disables and enables the second factor for a service")
  func states() throws {
    try host.enroll()
    host.configuration = """
      [project]
      state = disabled
      [tenant remote]
      services = sshd
      state = enabled

      """
    #expect(signIn(ScriptedApplication(), service: "login") == .pass)
    #expect(signIn(ScriptedApplication([.text("")])) == .deny)
  }
}
