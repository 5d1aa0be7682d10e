import MFATestSupport
import Testing

extension EndToEnd {
  /// Passwords for programs that cannot ask for a code, with Debian's vsftpd.
  @Suite struct ProgramPasswords {
    init() throws { try machine.keepServices() }

    /// Makes a password at a terminal, and returns it.
    private func make(
      _ user: MachineUser, _ code: String, _ arguments: [String]
    ) throws -> String {
      let session = try TerminalSession(
        ["/usr/bin/mfa-enroll", "program-password"] + arguments, as: user.identity)
      try session.answer("Password: ", with: user.password)
      try session.answer("Code from a device you have already enrolled", with: code)
      try session.expect("The password for '\(arguments[0])':")
      let shown = try session.expect("It is not shown again.")
      try session.expect("until ")
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      let found = try #require(shown.firstMatch(of: /mfa(-[a-z2-7]{5}){4}/))
      return String(found.output.0)
    }

    @Test("the program signs in again and again, until the user removes its password")
    func life() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let server = try OneField.Server(on: machine)
      try machine.writeConfiguration("[project]\nprogram_passwords = vsftpd\n")
      let enabled = try machine.administer("enable", "--no-confirm", "vsftpd")
      #expect(enabled.status == .exited(0), "\(enabled.errorText)")
      #expect(
        enabled.errorText.contains(
          "note: vsftpd: programs can use passwords that users make with: mfa-enroll program-password"
        ),
        "\(enabled.errorText)")
      let doctor = try machine.administer("doctor", "--json").text
      #expect(!doctor.contains("\"program-password"), "\(doctor)")

      let codes = try enrollment.phone.codes(fromStep: enrollment.phone.step() - 3, count: 8)
      let password = try make(user, codes[0], ["Backup", "--days", "30"])
      let start = try machine.log.position()
      for _ in 0..<3 { #expect(try server.letsIn(user, password)) }
      #expect(
        try !server.letsIn(user, String(password.dropLast()) + "z") || password.hasSuffix("z"))
      #expect(try server.letsIn(user, user.password + codes[4]), "password and code")
      #expect(try !server.letsIn(user, user.password + codes[4]))
      let entries = try OneCode.logged(machine, since: start)
      #expect(
        entries.prefix(3).allSatisfy { $0.fields["result"] == "program-password" }, "\(entries)")
      #expect(entries.first?.fields["name"] == "Backup", "\(entries)")
      #expect(
        entries.dropFirst(3).first?.fields["result"] == "wrong-program-password", "\(entries)")

      // The password is of no use where it was not made for.
      let near = try make(user, codes[5], ["Near", "--network", "192.0.2.0/24"])
      #expect(try !server.letsIn(user, near))
      let listed = try user.mustEnroll("program-password")
      #expect(
        listed.contains("'Backup': vsftpd, until ")
          && listed.contains("'Near': vsftpd, from 192.0.2.0/24, until "), "\(listed)")
      let granted = try machine.administer("grants", user.name).text
      #expect(
        granted.contains("program-password")
          && granted.contains("Near, for vsftpd from 192.0.2.0/24"), "\(granted)")

      let session = try user.startEnroll("program-password", "--remove", "Backup")
      try session.answer("Password: ", with: user.password)
      try session.answer("Code from a device you have already enrolled", with: codes[6])
      try session.expect("The password for 'Backup' was removed: it no longer works.")
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      #expect(try !server.letsIn(user, password))
      try machine.mustAdminister("disable", "vsftpd")
    }

    @Test("what cannot be made is said before the user is asked for anything, and how to go on")
    func refusals() throws {
      let (user, _) = try machine.addEnrolledUser()
      let other = try machine.addUser()
      for (who, arguments, error) in [
        (user, ["Mail", "--days", "731"], "--days"), (user, ["--service", "imap"], "<name>"),
        (user, ["Mail", "--remove", "--network", "::1"], "--remove"),
        (user, ["--remove"], "<name>"),
        (user, ["--remove", "Mail"], "You have no password for a program with this name."),
        (other, ["Mail"], "You have no device yet."),
        (user, ["Mail"], "Passwords for programs are not accepted here"),
        (user, ["Mail", "--network", "example.org"], "--network"),
      ] {
        let command = try Command.run(
          ["/usr/bin/mfa-enroll", "program-password", "--stdin"] + arguments, input: [],
          as: who.identity)
        #expect(command.status != .exited(0), "\(arguments)")
        #expect(command.errorText.contains(error), "\(arguments): \(command.errorText)")
        #expect(!command.errorText.contains("Password:"), "\(arguments): \(command.errorText)")
      }
      #expect(
        try user.runEnroll("program-password").errorText.contains(
          "You have no passwords for programs."))
    }
  }
}
