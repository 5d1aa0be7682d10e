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
      try Machine.use { machine in
        let (user, enrollment) = try machine.addEnrolledUser()
        let confirmed = try Command.run(
          [Self.program, "remove", "phone", "--stdin"],
          input: Array("\(answer)\n\(user.password)\n\(try enrollment.phone.code())\n".utf8),
          as: user.identity, environment: ["LC_ALL": locale])
        #expect(confirmed.status == .exited(0), "\(confirmed.errorText)")
        let list = try Command.succeed([Self.program, "list", "--json"], as: user.identity)
        #expect(!list.contains("phone"), "\(list)")
      }
    }

    @Test("a device need not be named for its removal if it is the only one")
    func unnamed() throws {
      try Machine.use { machine in
        let user = try machine.addUser()
        func remove(_ input: String = "") throws -> Command {
          try Command.run(
            [Self.program, "remove", "--stdin"], input: Array(input.utf8), as: user.identity)
        }
        #expect(try remove().errorText.contains("error: You have no device yet.\nhint: "))
        let first = try machine.enroll(user)
        let declined = try remove("n\n")
        #expect(declined.errorText.contains("Remove 'phone'? [y/N] "), "\(declined.errorText)")
        #expect(declined.errorText.contains("error: Nothing was removed."))
        _ = try machine.enroll(
          user, named: "tablet", presentCode: try first.phone.code(), confirmedAt: 0)
        let several = try remove("y\n")
        #expect(several.status == .exited(1))
        #expect(several.errorText.contains("error: You have several devices.\nhint: "))
        let help = try Command.succeed([Self.program, "remove", "--help"], as: user.identity)
        #expect(help.contains("[<device>]") && !help.contains("factor"), "\(help)")
      }
    }

    @Test(
      "without a device, a command for devices asks nothing",
      arguments: [
        ["recovery-codes", "--new"], ["recovery-codes", "--new", "--save", "codes"],
        ["rename", "phone", "tablet"], ["resync"], ["resync", "phone"], ["unenroll"],
        ["unenroll", "phone", "--yes"], ["test"],
      ])
    func noDevice(arguments: [String]) throws {
      try Machine.use { machine in
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
        #expect(
          try Command.run(["/usr/bin/test", "-e", user.home + "/codes"]).status == .exited(1))
      }
    }

    struct Removal: Sendable, CustomTestStringConvertible {
      let number: Int
      let policy: String
      let hasRecoveryCodes: Bool
      let told: String
      var testDescription: String { "\(number): \(policy.debugDescription)" }
    }

    static let onlyRemoved = "That was your only device. "
    static let removals = [
      Removal(
        number: 1, policy: "", hasRecoveryCodes: true,
        told: onlyRemoved
          + "Your next sign-in asks for no code.\nYour recovery codes no longer work.\n"),
      Removal(
        number: 2, policy: "", hasRecoveryCodes: false,
        told: onlyRemoved + "Your next sign-in asks for no code.\n"),
      Removal(
        number: 3, policy: offered, hasRecoveryCodes: false,
        told: onlyRemoved + "This host expects you to add another.\n"),
    ]

    @Test("the removal of the only device says what the next sign-in asks for", arguments: removals)
    func onlyDevice(row: Removal) throws {
      try Machine.use { machine in
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
    }

    @Test(
      "the status of a user without a device says what the next sign-in asks for",
      arguments: [
        ("", "no code is asked for"), (offered, "no code is asked for yet"),
        (required, "you must add a device at the next sign-in"),
        (required + "state = disabled\n", "no code is asked for"),
      ])
    func status(policy: String, line: String) throws {
      try Machine.use { machine in
        try machine.writeConfiguration(policy)
        let user = try machine.addUser()
        let status = try Command.succeed([Self.program, "status"], as: user.identity)
        #expect(status.contains("Sign-ins             \(line)"), "\(status)")
        let json = try Command.succeed([Self.program, "status", "--json"], as: user.identity)
        #expect(json.contains("\"standing\" : \"open\""), "\(json)")
      }
    }

    @Test("only a sheet that replaces recovery codes says that older ones no longer work")
    func olderCodes() throws {
      try Machine.use { machine in
        let user = try machine.addUser()
        let older = "Older codes no longer work."
        let session = try TerminalSession([Self.program, "--name", "phone"], as: user.identity)
        try session.expect("Password: ")
        try session.send(user.password)
        let phone = try session.keyOnScreen().phone
        try session.send(try phone.code(offset: -1))
        let first = try session.expect("These codes are not shown again.")
        #expect(first.contains("Each code signs you in once") && !first.contains(older))
        #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
        let second = try Command.succeed(
          [Self.program, "recovery-codes", "--new", "--stdin"],
          input: Array("\(user.password)\n\(try phone.code())\n".utf8), as: user.identity)
        #expect(second.contains(older), "\(second)")
      }
    }
  }
}
