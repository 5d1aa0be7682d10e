import MFAImport
import MFATestSupport
import Testing

/// Files after use with the other modules: codes used there count as used here.
@Suite(.serialized, .privateMachine)
struct UsedFileTests {
  @Test(arguments: [-1, 0, 1], [false, true])
  func googleAuthenticator(offset: Int, isReusable: Bool) throws {
    try Machine.use { machine in
      let user = try machine.addUser()
      let service = try machine.makeService(["auth required pam_google_authenticator.so"])
      let path = user.home + "/.google_authenticator"
      try Command.succeed(
        [
          "/usr/bin/google-authenticator", "-t", isReusable ? "-D" : "-d", "-r", "3", "-R", "30",
          "-w", "3", "-f", "-q", "-Q", "NONE", "-C", "-s", path,
        ], as: user.identity)
      let fresh = try Command.succeed(["/bin/cat", path]).split(separator: "\n").map(String.init)
      let phone = Authenticator(key: fresh[0])
      // The time step may end between this clock read and the module's.
      var step = phone.step() + offset
      if try !isAccepted(phone.codes(fromStep: step, count: 1)[0], service: service, user: user) {
        step = phone.step() + offset
        let code = try phone.codes(fromStep: step, count: 1)[0]
        try #require(try isAccepted(code, service: service, user: user))
      }
      let scratchCode = fresh[fresh.count - 1]
      #expect(try isAccepted(scratchCode, service: service, user: user))
      let now = Int64(phone.step()) * 30

      let text = try #require(machine.contents(of: path))
      let result = try GoogleAuthenticatorFile.parse(text.span)
      #expect(result.recoveryCodes.count == 4)
      #expect(!result.recoveryCodes.texts.contains(scratchCode))
      guard case .rateLimitDropped(attempts: 3, seconds: 30)? = result.warnings.first else {
        Issue.record("\(result.warnings)")
        return
      }
      let watermark = result.factor.watermark(at: now)
      // If used codes are not recorded, every code up to now counts as used.
      #expect(watermark == (isReusable ? now / 30 : Int64(step)))
    }
  }

  /// The other module learns the skew from failures; the import keeps it and reports it.
  @Test func googleAuthenticatorWithAnotherClock() throws {
    try Machine.use { machine in
      let user = try machine.addUser()
      let service = try machine.makeService(["auth required pam_google_authenticator.so"])
      let phone = Authenticator(key: GoogleAuthenticatorFileTests.key)
      let path = user.home + "/.google_authenticator"
      // Two of the three measurements that the module needs are in the file; the third is made
      // here.
      let start = phone.step()
      let text = """
        \(phone.key)
        " WINDOW_SIZE 3
        " RESETTING_TIME_SKEW \(start - 2)-100 \(start - 1)-100
        " DISALLOW_REUSE
        " TOTP_AUTH

        """
      try machine.write(text, to: path, owner: user.name, group: user.name, mode: "0600")
      let code = try phone.codes(fromStep: phone.step() - 100, count: 1)[0]
      _ = try isAccepted(code, service: service, user: user)
      let changed = try #require(machine.contents(of: path))
      let result = try GoogleAuthenticatorFile.parse(changed.span)
      // -101 if the time step ended meanwhile.
      #expect([-100, -101].contains(result.factor.timeOffset))
      #expect(result.warnings.contains(.timeSkew(steps: result.factor.timeOffset)))
    }
  }

  @Test(arguments: [
    ("HOTP/T30", 6, 30, -2), ("HOTP/T30/6", 6, 30, 0), ("HOTP/T30/7", 7, 30, 1),
    ("HOTP/T30/8", 8, 30, 5), ("HOTP/T60", 6, 60, 0), ("HOTP/T60/8", 8, 60, -1),
  ])
  func oath(type: String, digits: Int, period: Int, offset: Int) throws {
    try Machine.use { machine in
      let user = try machine.addUser()
      let path = machine.folder + "/users.oath"
      let service = try machine.makeService([
        "auth required pam_oath.so usersfile=\(path) window=6 digits=\(digits)"
      ])
      let phone = Authenticator(
        key: GoogleAuthenticatorFileTests.key, digits: digits, period: period)
      try machine.write(
        "# tokens\n\(type) \(user.name) - \(UsersOATHFileTests.key)\n", to: path, mode: "0600")
      let step = phone.step() + offset
      let code = try phone.codes(fromStep: step, count: 1)[0]
      try #require(try isAccepted(code, service: service, user: user))

      let text = try #require(machine.contents(of: path))
      let entries = try UsersOATHFile.parse(text.span, window: 6) { time in
        let east = Int64(localOffset(of: time))
        return [time.secondsSinceEpochAsUTC - east]
      }
      let entry = try #require(entries.first)
      #expect(entries.count == 1)
      #expect(entry.user?.bytes == Array(user.name.utf8))
      let factor = try entry.result.get()
      #expect(factor.warnings.isEmpty)
      #expect(factor.watermark(at: Int64(phone.step() * period)) == Int64(step))
    }
  }

  func isAccepted(_ code: String, service: String, user: MachineUser) throws -> Bool {
    try user.signIn(to: service, typing: code).code
      == "PAM_SUCCESS"
  }
}
