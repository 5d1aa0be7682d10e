import MFATestSupport
import Testing

extension EndToEnd {
  /// The installed module under valgrind's memcheck: no invalid or uninitialised memory is used,
  /// and none is leaked.
  @Suite(.enabled("valgrind is not installed") { Valgrind.isInstalled })
  struct Memory {
    /// Signs in once, and expects no memory errors.
    func expectClean(
      _ service: String, _ user: String, _ answers: [PAMClient.Answer], _ code: String,
      on machine: Machine, asksAccount: Bool = false
    ) throws {
      var options = PAMClient.Options()
      options.asksAccount = asksAccount
      let (outcome, errors) = try Valgrind.memcheck(on: machine) { wrapper throws(HarnessFailure) in
        try PAMClient.signIn(
          service: service, user: user, answers: answers, options: options, through: wrapper)
      }
      #expect(outcome.code == code, "\(outcome)")
      #expect(errors.isEmpty, "\(errors)")
    }

    @Test("verifying codes causes no memory errors", arguments: ["", "debug"])
    func codes(arguments: String) throws {
      try Machine.use { machine in
        try machine.writeConfiguration("[project]\nthrottle_after = 2\n")
        let (user, enrollment) = try machine.addEnrolledUser()
        let service = try machine.makeService(["auth required pam_mfa.so tries=1 \(arguments)"])
        let code = try enrollment.phone.code()
        for (typed, expected) in [
          (code, "PAM_SUCCESS"), (code, "PAM_AUTH_ERR"), ("", "PAM_AUTH_ERR"),
          ("000001", "PAM_AUTH_ERR"), ("000000", "PAM_MAXTRIES"), ("000000", "PAM_MAXTRIES"),
        ] { try expectClean(service, user.name, [.text(typed)], expected, on: machine) }
        try expectClean(service, user.name, [], "PAM_MAXTRIES", on: machine)
        try expectClean(service, "nobody0", [.text("000000")], "PAM_AUTH_ERR", on: machine)
      }
    }

    @Test("recovery codes and bypass codes cause no memory errors")
    func recovery() throws {
      try Machine.use { machine in
        let (user, enrollment) = try machine.addEnrolledUser()
        let service = try machine.makeService(OneCode.stack)
        let codes = try Recovery().makeCodes(
          user, presentCode: try enrollment.phone.code())
        try expectClean(
          service, user.name, [.text(try #require(codes.first))], "PAM_SUCCESS", on: machine)
        let bypass = try Command.succeed([
          "/usr/sbin/mfa-admin", "bypass", user.name, "--reason", "test", "--json",
        ])
        let code = try #require(bypass.firstMatch(of: Recovery.code)).output.0
        try expectClean(
          service, user.name, [.text(String(code))], "PAM_SUCCESS", on: machine)
      }
    }

    @Test("enrolment during a sign-in causes no memory errors")
    func enrollment() throws {
      try Machine.use { machine in
        let user = try machine.addUser()
        try machine.writeConfiguration("[project]\nenrollment = required\n")
        let service = try machine.makeService([
          "auth required pam_permit.so", "auth required pam_mfa.so tries=1",
          "account required pam_mfa.so",
        ])
        let (outcome, errors) = try Valgrind.memcheck(on: machine) {
          wrapper throws(HarnessFailure) in
          try enroll(user, service, through: wrapper)
        }
        #expect(outcome.code == "PAM_SUCCESS", "\(outcome)")
        #expect(errors.isEmpty, "\(errors)")
      }
    }

    func enroll(
      _ user: MachineUser, _ service: String, through wrapper: [String]
    ) throws(HarnessFailure) -> PAMOutcome {
      let session = try PAMSession(service: service, user: user.name, through: wrapper)
      _ = try session.question()
      session.answer(.text("3"))
      guard let shown = try session.question(),
        let url = shown.firstMatch(of: /(otpauth:[^\n]+)\n/)
      else { throw HarnessFailure("no key was shown") }
      let phone = try Authenticator(url: String(url.output.1))
      session.answer(.text(try phone.code(offset: -1)))
      // The name of the device, and the recovery codes.
      while try session.question() != nil { session.answer(.text("")) }
      return try session.finish()
    }

    @Test("users without a factor, and forward_pass, cause no memory errors")
    func notEnrolled() throws {
      try Machine.use { machine in
        let user = try machine.addUser()
        let (enrolled, enrollment) = try machine.addEnrolledUser()
        let plain = try machine.makeService(OneCode.stack)
        try expectClean(plain, user.name, [], "PAM_PERM_DENIED", on: machine)
        // The stack's only `account` line is the module's, which returns PAM_IGNORE.
        let forwarding = try machine.makeService(CodeBeforePassword.stack)
        for (who, typed, expected) in [
          (user, user.password, "PAM_PERM_DENIED"), (user, "wrong000000", "PAM_AUTH_ERR"),
          (enrolled, enrolled.password + "000000", "PAM_AUTH_ERR"),
          (enrolled, enrolled.password + (try enrollment.phone.code()), "PAM_SUCCESS"),
        ] {
          try expectClean(
            forwarding, who.name, [.text(typed)], expected, on: machine, asksAccount: true)
        }
      }
    }
  }
}
