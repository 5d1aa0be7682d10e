import MFATestSupport
import Testing

extension EndToEnd {
  /// Recovery for users who have lost their phone, or whose phone's clock is wrong.
  @Suite struct Recovery {
    static var code: Regex<(Substring, Substring)> { /[a-z2-7]{4}(-[a-z2-7]{4}){3}/ }

    /// Creates recovery codes with the tool, at a terminal.
    func makeCodes(_ user: MachineUser, presentCode: String) throws -> [String] {
      let session = try user.startEnroll("recovery-codes", "--new")
      try session.answer("Password: ", with: user.password)
      try session.answer("Code from a device you have already enrolled", with: presentCode)
      try session.expect("Recovery codes for \(user.name) on ")
      let shown = try session.expect("These codes are not shown again.")
      try session.keepRecoveryCodes()
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      return shown.matches(of: Self.code).map { String($0.output.0) }
    }

    func left(_ user: MachineUser) throws -> Command {
      try user.runEnroll("recovery-codes")
    }

    @Test(
      "a recovery code signs in once, and no other code takes its place",
      arguments: Patterns.Door.allCases)
    func recoveryCode(door: Patterns.Door) throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let patterns = Patterns()
      let server = try patterns.open(door, on: machine)
      let codes = try makeCodes(user, presentCode: try enrollment.phone.code())
      #expect(codes.count == 10 && Set(codes).count == 10)
      let start = try machine.log.position()

      func signIn(_ answer: String, left: Int) throws {
        let session = try patterns.knock(door, user, server)
        try session.answer("Verification code: ", with: answer)
        let told = try session.expect("Recovery code accepted. \(left) left.")
        #expect(told.firstMatch(of: Self.code) == nil)
        try patterns.expectSignedIn(door, session, user)
      }
      try signIn(codes[0], left: 9)

      let used = try patterns.knock(door, user, server)
      try used.answer("Verification code: ", with: codes[0])
      if door == .sshd { try used.answer("Press Enter: ", with: "") }
      try used.expect(door == .sshd ? "Permission denied" : "Login incorrect")
      #expect(try StoreFiles(of: user.name).failures() == 0)

      // Upper case and spaces are accepted.
      try signIn(codes[1].uppercased().replacing("-", with: " "), left: 8)
      try signIn(codes[2], left: 7)
      let entries = try OneCode.logged(machine, since: start)
      #expect(
        entries.map { $0.fields["result"] } == [
          "recovery-code", "replayed", "recovery-code", "recovery-code",
        ],
        "\(entries)")
      for text in codes {
        #expect(!entries.contains { $0.line.contains(text) })
        #expect(server?.log.contains(text) != true)
      }
      #expect(try StoreFiles(of: user.name).failures() == 0)
    }

    @Test("new recovery codes invalidate the old ones, and a low number of codes is reported")
    func newSet() throws {
      let (user, enrollment, service) = try machine.addSignIn()
      let none = try left(user)
      #expect(none.text == "No recovery codes are left.\n")
      let old = try makeCodes(user, presentCode: try enrollment.phone.code(offset: -1))
      let new = try makeCodes(user, presentCode: try enrollment.phone.code())
      #expect(Set(old + new).count == 20)
      #expect(try left(user).text == "10 recovery codes are left.\n")
      let hint = "hint: Make new ones: mfa-enroll recovery-codes --new\n"
      #expect(try left(user).errorText == hint)

      var options = PAMClient.Options()
      options.isSilent = true
      func signIn(_ answer: String) throws -> PAMOutcome {
        try PAMClient.signIn(
          service: service, user: user.name, answers: [.text(answer)], options: options)
      }
      #expect(try signIn(old[0]).code == "PAM_AUTH_ERR")
      #expect(try signIn(old[9]).code == "PAM_AUTH_ERR")
      for number in 0..<6 { #expect(try signIn(new[number]).code == "PAM_SUCCESS") }
      let four = try left(user)
      #expect(four.text == "4 recovery codes are left.\n" && four.errorText == hint)
      #expect(try signIn(new[6]).code == "PAM_SUCCESS")
      let three = try left(user)
      #expect(three.text == "3 recovery codes are left.\n")
      #expect(three.errorText == hint)
      options.isSilent = false
      let warned = try signIn(new[7])
      #expect(warned.code == "PAM_SUCCESS")
      #expect(
        warned.notices.contains(
          "Recovery code accepted. 2 left. Make new ones: mfa-enroll recovery-codes --new"),
        "\(warned)")
      for arguments in [["list"], ["test"]] {
        let said = try Command.run(
          ["/usr/bin/mfa-enroll"] + arguments + ["--stdin"],
          input: Array("\(try enrollment.phone.code(offset: 1))\n".utf8), as: user.identity)
        #expect(said.status == .exited(0), "\(said.errorText)")
        #expect(said.errorText.contains("2 recovery codes are left.\nhint: "), "\(said.errorText)")
      }
    }

    @Test("a test recognises a recovery code, and does not use it")
    func testedCode() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let codes = try makeCodes(user, presentCode: try enrollment.phone.code())
      let start = try machine.log.position()
      func test(_ answer: String) throws -> Command {
        try user.runEnroll("test", "--stdin", input: "\(answer)\n")
      }
      for _ in 1...2 {
        let said = try test(codes[0])
        #expect(said.status == .exited(0), "\(said.errorText)")
        #expect(
          said.errorText.contains("one of your recovery codes. It was not used"),
          "\(said.errorText)")
      }
      #expect(try left(user).text == "10 recovery codes are left.\n")
      let device = try test(try enrollment.phone.code(offset: 1))
      #expect(device.errorText.contains("Correct: a code of 'phone'. It can't be used again."))
      #expect(try test("aaaa-bbbb-cccc-dddd").status == .exited(3))
      let entries = try OneCode.logged(machine, since: start)
      #expect(
        entries.map { $0.fields["result"] } == [
          "recovery-code-tested", "recovery-code-tested", "accepted", "wrong",
        ], "\(entries)")
      let service = try machine.makeService(OneCode.stack)
      let outcome = try user.signIn(to: service, typing: codes[0])
      #expect(outcome.code == "PAM_SUCCESS", "\(outcome)")
    }

    @Test("after a wrong code of a device, only the code is asked for again")
    func repeatedQuestion() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let session = try user.startEnroll("recovery-codes", "--new")
      try session.answer("Password: ", with: user.password)
      let prompt = "Code from a device you have already enrolled: "
      try session.answer(prompt, with: try enrollment.phone.wrongCode())
      try session.expect("Wrong code.")
      let again = try session.expect(prompt)
      #expect(!again.contains("Password"), "\(again)")
      try session.send(try enrollment.phone.code())
      try session.expect("Recovery codes for \(user.name) on ")
      try session.keepRecoveryCodes()
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
    }

    @Test(
      "where policy allows it, a recovery code unlocks locked factors",
      arguments: Patterns.Door.allCases)
    func unlocking(door: Patterns.Door) throws {
      try machine.writeConfiguration(
        "[project]\nthrottle_after = 3\ndisable_after = 3\nrecovery_unlocks = on\n")
      let (user, enrollment) = try machine.addEnrolledUser()
      let codes = try makeCodes(user, presentCode: try enrollment.phone.code(offset: -4))
      try lock(user, enrollment, on: machine)
      let status = try user.mustEnroll("status")
      #expect(status.contains("locked until you sign in with a recovery code"), "\(status)")
      let patterns = Patterns()
      let server = try patterns.open(door, on: machine)
      // sshd says that the password was proven. Before that is certain, all users are asked the same.
      let prompt =
        door == .sshd ? "Your devices are locked. Recovery code: " : "Verification code: "
      // Another code is neither counted nor accepted.
      let locked = try patterns.knock(door, user, server)
      try locked.answer(prompt, with: try enrollment.phone.code())
      try locked.expect("Sign in with")
      #expect(try StoreFiles(of: user.name).failures() == 3)
      let session = try patterns.knock(door, user, server)
      try session.answer(prompt, with: codes[0])
      try session.expect("Recovery code accepted. 9 left.")
      try patterns.expectSignedIn(door, session, user)
      #expect(try StoreFiles(of: user.name).failures() == 0)
      let service = try machine.makeService(OneCode.stack)
      let next = try user.signIn(to: service, typing: try enrollment.phone.code())
      #expect(next.code == "PAM_SUCCESS", "\(next)")
    }

    /// Locks the factors by wrong codes.
    private func lock(
      _ user: MachineUser, _ enrollment: Enrollment, on machine: Machine
    ) throws {
      let service = try machine.makeService(OneCode.stack)
      for guess in try enrollment.phone.wrongCodes(count: 3) {
        _ = try user.signIn(to: service, typing: guess)
      }
      #expect(try StoreFiles(of: user.name).failures() == 3)
    }

    @Test("what prevents an enrolment is said before any question")
    func checkedFirst() throws {
      let (user, _) = try machine.addEnrolledUser()
      let list = try user.mustEnroll("list")
      let name = try #require(list.split(separator: "\n").last?.split(separator: " ").last)
      let command = try user.runEnroll("--stdin", "--name", String(name))
      #expect(command.status == .exited(1), "\(command.errorText)")
      #expect(
        command.errorText.contains("You already have a device with this name."),
        "\(command.errorText)")
      #expect(!command.errorText.contains("Password"), "\(command.errorText)")
    }

    @Test("new recovery codes are saved in a new file that only the user can read")
    func savedSheet() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let old = try makeCodes(user, presentCode: try enrollment.phone.code(offset: -1))
      let image = try StoreFiles(of: user.name).image()
      let path = user.home + "/codes"
      func save(_ path: String, input: String) throws -> Command {
        try Command.run(
          ["/usr/bin/mfa-enroll", "recovery-codes", "--new", "--stdin", "--save", path],
          input: Array(input.utf8), as: user.identity)
      }
      // An existing file and a link are refused before any question, so no input is read.
      try machine.write("mine", to: path, owner: user.name, group: user.name, mode: "0644")
      try Command.succeed(["/usr/bin/ln", "-s", user.home + "/other", user.home + "/link"])
      for existing in [path, user.home + "/link"] {
        let refused = try save(existing, input: "")
        #expect(refused.status == .exited(1), "\(refused.errorText)")
        #expect(refused.errorText.contains("already exists"), "\(refused.errorText)")
      }
      #expect(try Command.succeed(["/usr/bin/cat", path]) == "mine")
      // The file is removed if no codes are made, and the old codes stay valid.
      let unproven = try save(user.home + "/new", input: "not the password\n")
      #expect(unproven.status == .exited(2), "\(unproven.errorText)")
      #expect(try Command.run(["/usr/bin/test", "-e", user.home + "/new"]).status == .exited(1))
      #expect(try StoreFiles(of: user.name).image().record == image.record)

      let saved = try save(
        user.home + "/new", input: "\(user.password)\n\(try enrollment.phone.code())\n")
      #expect(saved.status == .exited(0), "\(saved.errorText)")
      #expect(saved.text.isEmpty && saved.errorText.firstMatch(of: Self.code) == nil)
      let status = try Command.succeed(["/usr/bin/stat", "-c", "%a %U", user.home + "/new"])
      #expect(status == "600 \(user.name)\n")
      let sheet = try Command.succeed(["/usr/bin/cat", user.home + "/new"])
      #expect(sheet.hasPrefix("Recovery codes for \(user.name) on "), "\(sheet)")
      let codes = sheet.matches(of: Self.code).map { String($0.output.0) }
      #expect(codes.count == 10 && Set(codes).isDisjoint(with: old))
      let service = try machine.makeService(OneCode.stack)
      func signIn(_ answer: String) throws -> PAMOutcome {
        try user.signIn(to: service, typing: answer)
      }
      #expect(try signIn(old[0]).code == "PAM_AUTH_ERR")
      #expect(try signIn(codes[9]).code == "PAM_SUCCESS")
    }

    struct Drift: Sendable, CustomTestStringConvertible {
      /// The number of steps that the phone is ahead; 8 steps are four minutes.
      let steps: Int
      /// The last used step, relative to the current one.
      let lastUsed: Int
      let isDone: Bool
      var testDescription: String { "\(steps) steps" }
    }

    static let drifts = [
      Drift(steps: 8, lastUsed: -5, isDone: true),
      Drift(steps: -8, lastUsed: -40, isDone: true),
      // Both codes precede the last accepted one, so a pair that an attacker saw changes nothing.
      Drift(steps: -8, lastUsed: -5, isDone: false),
      // More than five minutes off, in the past and in the future.
      Drift(steps: 15, lastUsed: -5, isDone: false),
      Drift(steps: -15, lastUsed: -40, isDone: false),
    ]

    @Test("a phone whose clock is four minutes off is resynchronised", arguments: drifts)
    func resynchronized(row: Drift) throws {
      let user = try machine.addUser()
      let phone = Authenticator(key: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
      let path = user.home + "/.google_authenticator"
      let present = phone.step()
      try machine.write(
        "\(phone.key)\n\" WINDOW_SIZE 3\n\" DISALLOW_REUSE \(present + row.lastUsed)\n"
          + "\" TOTP_AUTH\n", to: path, owner: user.name, group: user.name, mode: "0600")
      try machine.mustAdminister("import", "--google-authenticator", "/home", "--user", user.name)
      let shown = try phone.codes(fromStep: present + row.steps, count: 3)
      let patterns = Patterns()
      let server = try patterns.open(.sshd, on: machine)
      func signIn(_ code: String) throws -> TerminalSession {
        let session = try patterns.knock(.sshd, user, server)
        try session.answer("Verification code: ", with: code)
        return session
      }
      func expectRefused(_ code: String) throws {
        try SecureShell().expectEnd(.refused, try signIn(code), user.name)
      }
      try expectRefused(shown[0])

      let session = try user.startEnroll("resync")
      try session.answer("Password: ", with: user.password)
      try session.answer("Code from a device you have already enrolled", with: "")
      try session.answer("Code from the app: ", with: shown[0])
      try session.answer("The next code, when the app shows it: ", with: shown[1])
      guard row.isDone else {
        try session.expect("error: ")
        #expect(try !session.waitForExit().isSuccess, "\(session.transcript)")
        try expectRefused(shown[2])
        let right = try signIn(try phone.code())
        return try patterns.expectSignedIn(.sshd, right, user)
      }
      try session.expect("was corrected. The two codes can't be used again.")
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      try expectRefused(shown[1])
      try patterns.expectSignedIn(.sshd, try signIn(shown[2]), user)
      // A clock with the previous offset is now wrong.
      try expectRefused(try phone.code(offset: 1))
    }
  }
}
