import MFATestSupport
import Testing

extension EndToEnd {
  /// The guide's stack for clients with one prompt, in which the code precedes the password, as
  /// seen by a client without a valid password or code.
  @Suite struct CodeBeforePassword {
    static let stack = [
      "auth required pam_mfa.so forward_pass", "@include common-auth",
      "account required pam_mfa.so",
    ]

    @Test(
      "all denials look the same, whether or not the user exists, has a factor or is locked",
      arguments: ["password000000", "password", "000000", ""])
    func denials(typed: String) throws {
      try Machine.use { machine in
        let service = try machine.makeService(Self.stack)
        let (enrolled, _) = try machine.addEnrolledUser()
        let (throttled, _) = try machine.addEnrolledUser()
        let (locked, _) = try machine.addEnrolledUser()
        let unenrolled = try machine.addUser()
        try machine.writeConfiguration(
          "[project]\nthrottle_after = 2\n[tenant locked]\nusers = \(locked.name)\n"
            + "disable_after = 2\n")
        for (number, user) in [throttled, locked, throttled, locked].enumerated() {
          _ = try signIn(service, user.name, "password00000\(number)")
        }
        let start = try machine.log.position()
        _ = try signIn(service, throttled.name, "password000000")
        _ = try signIn(service, locked.name, "password000000")
        #expect(try OneCode.results(machine, since: start) == ["throttled", "locked"])
        let users = [
          enrolled.name, throttled.name, locked.name, unenrolled.name, "root", "nobody0",
        ]
        for user in users {
          let outcome = try signIn(service, user, typed)
          #expect(outcome.prompts == ["Password and one-time code: "], "\(user): \(outcome)")
          #expect(outcome.notices.isEmpty, "\(user): \(outcome)")
          #expect(outcome.code == "PAM_AUTH_ERR", "\(user): \(outcome)")
          #expect(outcome.delays.count == 1, "\(user): \(outcome)")
          #expect(outcome.delays.allSatisfy { $0 >= 1_000_000 }, "\(user): \(outcome)")
        }
      }
    }

    @Test("password and code sign in, or the password alone for a user without a factor")
    func accepted() throws {
      try Machine.use { machine in
        let service = try machine.makeService(Self.stack)
        let (enrolled, enrollment) = try machine.addEnrolledUser()
        let unenrolled = try machine.addUser()
        let code = try enrollment.phone.code()
        for (user, typed, expected) in [
          (enrolled, enrolled.password, "PAM_AUTH_ERR"),
          (enrolled, enrolled.password + "000000", "PAM_AUTH_ERR"),
          (enrolled, enrolled.password + code, "PAM_SUCCESS"),
          (enrolled, enrolled.password + code, "PAM_AUTH_ERR"),
          (unenrolled, unenrolled.password, "PAM_SUCCESS"),
        ] {
          let outcome = try signIn(service, user.name, typed)
          #expect(outcome.code == expected, "\(outcome)")
          #expect(outcome.prompts == ["Password and one-time code: "], "\(outcome)")
        }
      }
    }

    @Test("a denial is delayed if the module is the only one in the stack")
    func delay() throws {
      try Machine.use { machine in
        let service = try machine.makeService(OneCode.stack)
        let (enrolled, enrollment) = try machine.addEnrolledUser()
        for user in [enrolled.name, "nobody0"] {
          let outcome = try signIn(service, user, "000000")
          #expect(outcome.delays.count == 1 && outcome.code == "PAM_AUTH_ERR", "\(outcome)")
        }
        let accepted = try signIn(service, enrolled.name, try enrollment.phone.code())
        #expect(accepted.delays.isEmpty && accepted.code == "PAM_SUCCESS", "\(accepted)")
      }
    }

    func signIn(_ service: String, _ user: String, _ typed: String) throws -> PAMOutcome {
      try PAMClient.signIn(service: service, user: user, answers: [.text(typed)])
    }
  }
}
