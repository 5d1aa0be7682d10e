import MFATestSupport
import Testing

extension EndToEnd {
  /// The removal of devices, and what users without a device see.
  @Suite struct EnrollDevices {
    static let program = "/usr/bin/mfa-enroll"

    /// A policy that asks users to add a device while they can postpone it.
    static let offered = "[project]\nenrollment = offered\noffer_sign_ins = 3\n"
    static let required = "[project]\nenrollment = required\n"

    @Test(
      "the removal of a device is confirmed in the user's language",
      arguments: [
        ("fr_FR.UTF-8", "oui"), ("fr_FR.UTF-8", "Y"), ("es_ES.UTF-8", "sí"), ("ja_JP.UTF-8", "はい"),
        ("zh_TW.UTF-8", "是"),
      ])
    func confirmation(locale: String, answer: String) throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let confirmed = try Command.run(
        [Self.program, "remove", "phone", "--stdin"],
        input: Array("\(answer)\n\(user.password)\n\(try enrollment.phone.code())\n".utf8),
        as: user.identity, environment: ["LC_ALL": locale])
      #expect(confirmed.status == .exited(0), "\(confirmed.errorText)")
      let list = try user.mustEnroll("list", "--json")
      #expect(!list.contains("phone"), "\(list)")
    }

    @Test("a device need not be named for its removal if it is the only one")
    func unnamed() throws {
      let user = try machine.addUser()
      func remove(_ input: String = "") throws -> Command {
        try Command.run(
          [Self.program, "remove", "--stdin"], input: Array(input.utf8), as: user.identity)
      }
      #expect(try remove().errorText.contains("error: You have no device yet.\nhint: "))
      let first = try machine.enroll(user)
      let declined = try remove("n\n")
      #expect(declined.errorText.contains("Remove 'phone'? [y/N] "), "\(declined.errorText)")
      #expect(declined.errorText.contains("Nothing was removed."))
      #expect(!declined.errorText.contains("error:") && declined.status == .exited(0))
      _ = try machine.enroll(
        user, named: "tablet", presentCode: try first.phone.code(), confirmedAt: 0)
      let several = try remove("y\n")
      #expect(several.status == .exited(1))
      #expect(several.errorText.contains("error: You have several devices.\nhint: "))
      let session = try TerminalSession([Self.program, "remove", "--yes"], as: user.identity)
      try session.expect("tablet")
      try session.answer("Which device? Type its name or ID: ", with: "laptop")
      try session.expect("You have no device 'laptop'.")
      try session.answer("Which device? Type its name or ID: ", with: "phone")
      try session.answer("Password: ", with: user.password)
      try session.answer("enrolled: ", with: try first.phone.code(offset: 1))
      try session.expect("'phone' was removed.")
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      let help = try user.mustEnroll("remove", "--help")
      #expect(help.contains("[<device>]") && !help.contains("factor"), "\(help)")
    }

    @Test(
      "without a device, a command for devices asks nothing",
      arguments: [
        ["recovery-codes", "--new"], ["recovery-codes", "--new", "--save", "codes"],
        ["rename", "phone", "tablet"], ["resync"], ["resync", "phone"], ["unenroll"],
        ["unenroll", "phone", "--yes"], ["test"],
      ])
    func noDevice(arguments: [String]) throws {
      let user = try machine.addUser()
      let command = try Command.run(
        [Self.program] + arguments + ["--stdin"], input: Array("\(user.password)\n".utf8),
        as: user.identity, directory: user.home)
      #expect(command.status == .exited(1))
      #expect(
        command.errorText == """
          mfa-enroll: error: You have no device yet.
          hint: Add one: mfa-enroll

          """)
      #expect(try Command.run(["/usr/bin/test", "-e", user.home + "/codes"]).status == .exited(1))
    }

    struct Removal: Sendable, CustomTestStringConvertible {
      let policy: String
      let hasRecoveryCodes: Bool
      let told: String
      var testDescription: String { "\(policy.debugDescription)" }
    }

    static let onlyRemoved = "That was your only device. "
    static let removals = [
      Removal(
        policy: "", hasRecoveryCodes: true,
        told: onlyRemoved
          + "Your next sign-in asks for no code.\nYour recovery codes no longer work.\n"),
      Removal(
        policy: "", hasRecoveryCodes: false,
        told: onlyRemoved + "Your next sign-in asks for no code.\n"),
      Removal(
        policy: offered, hasRecoveryCodes: false,
        told: onlyRemoved + "This host expects you to add another.\n"),
    ]

    @Test("the removal of the only device says what the next sign-in asks for", arguments: removals)
    func onlyDevice(row: Removal) throws {
      try machine.writeConfiguration(row.policy)
      let (user, enrollment) = try machine.addEnrolledUser()
      if row.hasRecoveryCodes {
        try Command.succeed(
          [Self.program, "recovery-codes", "--new", "--stdin"],
          input: Array("\(user.password)\n\(try enrollment.phone.code(offset: -1))\n".utf8),
          as: user.identity)
      }
      let command = try Command.run(
        [Self.program, "remove", "--yes", "--stdin"],
        input: Array("\(user.password)\n\(try enrollment.phone.code())\n".utf8),
        as: user.identity)
      #expect(command.status == .exited(0), "\(command.errorText)")
      #expect(
        command.errorText.contains("'phone' was removed.\n\(row.told)"), "\(command.errorText)")
      #expect(!command.errorText.contains("newest"))
      #expect(command.errorText.contains("recovery codes") == row.hasRecoveryCodes)
    }

    @Test(
      "the status of a user without a device says what the next sign-in asks for",
      arguments: [
        ("", "no code is asked for"), (offered, "no code is asked for yet"),
        (required, "you must add a device at the next sign-in"),
        (required + "state = disabled\n", "no code is asked for"),
      ])
    func status(policy: String, line: String) throws {
      try machine.writeConfiguration(policy)
      let user = try machine.addUser()
      let status = try user.mustEnroll("status")
      #expect(status.contains("Sign-ins             \(line)"), "\(status)")
      let json = try user.mustEnroll("status", "--json")
      #expect(json.contains("\"standing\":\"open\""), "\(json)")
    }

    struct Ending: Sendable, CustomTestStringConvertible {
      /// The question at which the user presses a key.
      let question: String
      var environment: [String: String] = [:]
      var testDescription: String { "\(question) \(environment)" }
    }

    static let name = "Name for this device"
    static let code = "Code from the app: "
    static let endings = [
      Ending(question: "Password: "), Ending(question: name),
      Ending(question: code),
      Ending(question: code, environment: ["TERM": "dumb"]),
    ]

    @Test(
      "an enrolment that is interrupted, or whose input ends, says that nothing was added",
      arguments: endings, [false, true])
    func nothingAdded(row: Ending, isInterrupted: Bool) throws {
      let user = try machine.addUser()
      let session = try TerminalSession(
        [Self.program], as: user.identity, environment: row.environment)
      let answers = ["Password: ": user.password, Self.name: "", Self.code: ""]
      for question in ["Password: ", Self.name, Self.code] {
        try session.expect(question)
        guard question != row.question else { break }
        try session.send(try #require(answers[question]))
      }
      try session.sendKeys([isInterrupted ? 3 : 4])
      // The terminal has its own screen again when the message appears.
      let before = try session.expect("Nothing was added.\r\n")
      let hasScreen = row.question == Self.code && row.environment.isEmpty
      #expect(before.contains("\u{1B}[?1049l") == hasScreen, "\(session.transcript)")
      let status = try session.waitForExit()
      #expect(isInterrupted == (status == .killed(signal: 2)), "\(session.transcript)")
      #expect(!status.isSuccess)
      #expect(session.text.ranges(of: "Nothing was added.").count == 1, "\(session.transcript)")
    }

    @Test("a command that adds nothing does not say so when it is interrupted")
    func otherCommand() throws {
      let (user, _) = try machine.addEnrolledUser()
      let session = try user.startEnroll("resync")
      try session.expect("Password: ")
      try session.sendKeys([3])
      #expect(try session.waitForExit() == .killed(signal: 2))
      #expect(!session.text.contains("Nothing was added."), "\(session.transcript)")
    }

    @Test("only a sheet that replaces recovery codes says that older ones no longer work")
    func olderCodes() throws {
      let user = try machine.addUser()
      let older = "Older codes no longer work."
      let session = try user.startEnroll("--name", "phone")
      try session.answer("Password: ", with: user.password)
      let phone = try session.keyOnScreen().phone
      try session.send(try phone.code(offset: -1))
      let first = try session.expect("These codes are not shown again.")
      #expect(first.contains("Each code signs you in once") && !first.contains(older))
      try session.keepRecoveryCodes()
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      let second = try Command.succeed(
        [Self.program, "recovery-codes", "--new", "--stdin"],
        input: Array("\(user.password)\n\(try phone.code())\n".utf8), as: user.identity)
      #expect(second.contains(older), "\(second)")
    }

    @Test("where no QR code can be shown, the command that shows one is named")
    func locale() throws {
      let user = try machine.addUser()
      let session = try TerminalSession(
        [Self.program, "--name", "phone"], as: user.identity, environment: ["LC_ALL": "C"],
        rows: 24, columns: 80)
      try session.answer("Password: ", with: user.password)
      try session.expect("LC_ALL=C.UTF-8 mfa-enroll")
      try session.sendKeys([3])
      #expect(try !session.waitForExit().isSuccess)
    }
  }
}
