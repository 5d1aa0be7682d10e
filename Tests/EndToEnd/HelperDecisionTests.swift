import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// Sign-ins on a host without a service, which the helper decides. packaging/test runs the other suites with
  /// the service.
  @Suite(.withoutResidentService) struct HelperDecisions {
    private static let stack = [
      "auth required pam_mfa.so tries=2", "account required pam_mfa.so",
      "account required pam_permit.so",
    ]

    /// Who runs the application.
    enum Application: String, CaseIterable, Sendable, CustomTestStringConvertible {
      case root = "root's application"
      case user = "the user's application"
      case closedInput = "an application with closed standard input"

      var testDescription: String { rawValue }

      /// A command that ends by executing the application.
      var wrapper: [String] {
        switch self {
        case .root, .user: []
        // The answers come through another descriptor.
        case .closedInput:
          ["/bin/sh", "-c", "exec 5<&0 0<&-; exec \"$@\" --answers-fd 5", "sh"]
        }
      }
    }

    @Test(
      "a wrong code, another try and a used code are decided as with the service",
      arguments: Application.allCases)
    func codes(application: Application) throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let service = try machine.makeService(Self.stack)
      let start = try machine.log.position()
      var options = PAMClient.Options()
      options.asksAccount = true
      func signIn(_ answers: [String]) throws -> PAMOutcome {
        try PAMClient.signIn(
          service: service, user: user.name, answers: answers.map { .text($0) },
          options: options, as: application == .user ? user.identity : .current,
          through: application.wrapper)
      }
      let code = try enrollment.phone.code()
      let accepted = try signIn([try enrollment.phone.wrongCode(), code])
      #expect(accepted.results.map(\.code) == ["PAM_SUCCESS", "PAM_SUCCESS"], "\(accepted)")
      #expect(accepted.isScriptUsedUp, "\(accepted)")
      let replayed = try signIn([code, code])
      #expect(replayed.code == "PAM_AUTH_ERR", "\(replayed)")
      #expect(try StoreFiles(of: user.name).acceptedSteps().count == 1)
      let results = try OneCode.results(machine, since: start)
      #expect(results.prefix(3) == ["wrong", "accepted", "replayed"], "\(results)")
      let processes = try Command.succeed(["/bin/ps", "-A", "-o", "stat=,comm="])
      #expect(!processes.contains("mfa-helper") && !processes.contains("mfa-supervisor"))
    }

    @Test("a user who must enrol does so in the sign-in")
    func enrolment() throws {
      let user = try machine.addUser()
      try machine.writeConfiguration("[project]\nenrollment = required\n")
      let service = try machine.makeService([
        "auth required pam_permit.so", "auth required pam_mfa.so tries=1",
        "account required pam_mfa.so",
      ])
      let outcome = try Memory().enroll(user, service, through: [])
      #expect(outcome.code == "PAM_SUCCESS", "\(outcome)")
    }

    @Test("`su` of a user asks for the other user's code")
    func su() throws {
      try machine.writeService(
        "su", ["auth required pam_mfa.so tries=1", "account required pam_permit.so"])
      let (victim, enrollment) = try machine.addEnrolledUser()
      let caller = try machine.addUser()
      let session = try TerminalSession(
        ["/bin/su", victim.name, "-c", "echo as $(id -un)"], as: caller.identity)
      try session.answer("Verification code: ", with: try enrollment.phone.code())
      try session.expect("as \(victim.name)")
    }

    @Test("with no_new_privs, every application denies, and the log has the reason")
    func confined() throws {
      let (user, enrollment, service) = try machine.addSignIn()
      for identity in [Identity.current, user.identity] {
        let start = try machine.log.position()
        let outcome = try PAMClient.signIn(
          service: service, user: user.name, answers: [.text(try enrollment.phone.code())],
          as: identity, through: ["/usr/bin/setpriv", "--no-new-privs", "--"])
        #expect(outcome.code == "PAM_AUTH_ERR" && outcome.prompts.isEmpty, "\(outcome)")
        let line = try machine.log.waitForEntry(containing: "result=error", since: start)
        #expect(
          line.fields["part"] == "helper" && line.fields["reason"] == "no-new-privileges",
          "\(line)")
      }
    }
  }
}
