import MFATestSupport
import Testing

extension EndToEnd {
  /// `prompt` and `tries` of mfa.conf, for a program that knows questions by their text and answers each with what it has.
  @Suite struct Prompts {
    init() throws { try machine.keepServices() }

    @Test("a service asks a French user its own question, and one wrong code ends the sign-in")
    func ownQuestion() throws {
      let user = try machine.addUser()
      let enrolled = try Conversations.converse(
        user, ["enroll", "--name", "Pixel"],
        ["password": [user.password], "newFactorCode": ["right"]], language: "fr_FR.UTF-8")
      let key = try #require(enrolled.line("key")["key"] as? String, "\(enrolled)")
      let phone = Authenticator(key: key)
      let lines = [
        "auth requisite pam_unix.so", "auth required pam_mfa.so after_password",
        "account required pam_permit.so",
      ]
      let (vpn, other) = (try machine.makeService(lines), try machine.makeService(lines))
      try machine.writeConfiguration(
        "[project]\n[tenant vpn]\nservices = \(vpn)\nprompt = Verification code:\ntries = 1\n")
      func signIn(_ service: String, _ codes: [String]) throws -> PAMOutcome {
        try PAMClient.signIn(
          service: service, user: user.name, answers: ([user.password] + codes).map { .text($0) })
      }
      let wrong = try phone.wrongCodes(count: 4)
      let refused = try signIn(vpn, wrong)
      #expect(refused.code == "PAM_AUTH_ERR", "\(refused)")
      #expect(refused.prompts == ["Password: ", "Verification code: "], "\(refused)")
      #expect(try StoreFiles(of: user.name).failures() == 1)
      let accepted = try signIn(vpn, [try phone.code(offset: 1)])
      #expect(accepted.code == "PAM_SUCCESS", "\(accepted)")
      // Another service asks in the user's language, three times.
      let french = try signIn(other, wrong)
      #expect(
        french.prompts
          == ["Password: "] + Array(repeating: "Code \u{E0} usage unique\u{A0}: ", count: 3),
        "\(french)")
      let explained = try machine.administer("explain", "--user", user.name, "--service", vpn)
      #expect(explained.text.contains("prompt = Verification code:"), "\(explained.text)")
      #expect(explained.text.contains("tries = 1"), "\(explained.text)")
    }

    @Test("enable tries a service whose question for a code mentions a password")
    func mentionsPassword() throws {
      let service = try machine.makeService([
        "auth requisite pam_unix.so", "account required pam_unix.so",
      ])
      try machine.writeConfiguration("[project]\nprompt = One-time password:\n")
      let (user, enrollment) = try machine.addEnrolledUser()
      try machine.mustAdminister("enable", "--no-confirm", "--fields", service)
      let code = try enrollment.phone.code()
      let outcome = try PAMClient.signIn(
        service: service, user: user.name, answers: [.text(user.password), .text(code)])
      #expect(outcome.code == "PAM_SUCCESS", "\(outcome)")
      #expect(outcome.prompts == ["Password: ", "One-time password: "], "\(outcome)")
      try machine.mustAdminister("disable", service)
    }
  }
}
