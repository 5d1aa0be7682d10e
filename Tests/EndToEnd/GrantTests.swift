import MFATestSupport
import Testing

extension EndToEnd {
  /// Tickets and bypass codes, from the command to the sign-in, and the mail about them.
  @Suite struct Grants {
    /// Installs a mailer that stores each mail and logs the name of its file.
    private func keepMail(_ machine: Machine) throws {
      let kept = machine.folder + "/mails"
      try Command.succeed(["/usr/bin/install", "-d", "-m", "0777", kept])
      try machine.write(
        """
        #!/bin/sh
        umask 022
        file=$(mktemp \(kept)/XXXXXX)
        { echo "arguments: $*"; echo "identity: $(id -un) $(id -run) $(id -Gn)"; env; cat; } >"$file"
        chmod 0644 "$file"
        logger -u /dev/log -p mail.info -t sendmail "mailed=$file"

        """, to: "/usr/sbin/sendmail", mode: "0755")
    }

    /// Returns the first mail sent after `start`, from the file named in the log.
    private func mail(_ machine: Machine, since start: SystemLog.Position) throws -> String {
      let entry = try machine.log.waitForEntry(containing: "mailed=", since: start)
      let file = try #require(entry.fields["mailed"])
      return try machine.existingText(of: file)
    }

    private func code(_ text: String) throws -> String {
      String(
        try #require(
          text.firstMatch(of: /^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/.anchorsMatchLineEndings())
        ).output.0)
    }

    @Test("a bypass code signs in once, and is logged with its reason, mailed and shown")
    func bypass() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      try keepMail(machine)
      let service = try machine.makeService(OneCode.stack)
      let start = try machine.log.position()
      let made = try machine.mustAdminister(
        "bypass", user.name, "--for", "30m", "--uses", "1", "--reason", "phone lost"
      ).text
      let code = try code(made)
      let first = try mail(machine, since: start)
      let expected = "arguments: -i -- \(user.name)\nidentity: mfa mfa mfa\n"
      #expect(first.hasPrefix(expected), "\(first)")
      #expect(first.contains("\nTo: \(user.name)\n"))
      #expect(first.contains("  A bypass code was made ('phone lost') by root\n  on "))
      #expect(!first.contains(code))
      let list = try machine.mustAdminister("grants").text
      #expect(list.hasPrefix("USER ") && list.contains("\n\(user.name) "), "\(list)")
      #expect(!list.contains(code))

      let used = try machine.log.position()
      let outcome = try user.signIn(to: service, typing: code)
      #expect(outcome.code == "PAM_SUCCESS", "\(outcome)")
      let told = outcome.notices.contains { $0.contains("A bypass code was made ('phone lost')") }
      #expect(told, "\(outcome)")
      let line = try machine.log.waitForEntry(containing: "result=bypass-code", since: used)
      #expect(line.fields["reason"] == "phone\\x20lost")
      #expect(line.fields["uses-left"] == "0")
      let second = try mail(machine, since: used)
      #expect(second.contains("  A bypass code was used ('phone lost')"))
      #expect(!second.contains("A bypass code was made"), "the notice was mailed before")

      let again = try user.signIn(to: service, typing: code)
      #expect(again.code == "PAM_AUTH_ERR", "\(again)")
      let next = try user.signIn(to: service, typing: try enrollment.phone.code(), "yes")
      #expect(next.code == "PAM_SUCCESS", "\(next)")
      #expect(next.notices.contains { $0.contains("A bypass code was used ('phone lost')") })
      let last = try user.signIn(to: service, typing: try enrollment.phone.code(offset: 1))
      #expect(last.notices == [], "all notices were confirmed")
      let log = try machine.log.entries(since: start).map(\.line).joined(separator: "\n")
      #expect(!log.contains(code))
    }

    @Test("a ticket enrols a user without a password once, and survives an interruption")
    func ticket() throws {
      let user = try machine.addUser()
      try Command.succeed(["/usr/sbin/usermod", "--lock", user.name])
      let service = try machine.makeService(OneCode.stack)
      let code = try code(try machine.mustAdminister("ticket", user.name, "--valid", "24h").text)
      #expect(
        try Command.run(["/usr/sbin/mfa-admin", "show", user.name]).status == .exited(2),
        "a ticket enrols no factor")

      let first = try user.startEnroll("enroll", "--ticket", "--name", "phone")
      try first.answer("Enrolment ticket: ", with: code.uppercased().replacing("-", with: " "))
      try first.expect("Code from the app: ")
      try first.sendKeys([3])
      #expect(try first.waitForExit() != .exited(0), "\(first.transcript)")

      let session = try user.startEnroll("enroll", "--ticket", "--name", "phone")
      try session.answer("Enrolment ticket: ", with: "aaaa-aaaa-aaaa-aaaa")
      try session.answer("Enrolment ticket: ", with: code)
      let phone = try session.keyOnScreen().phone
      try session.send(try phone.code(offset: -1))
      try session.expect("was added")
      try session.keepRecoveryCodes()
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      #expect(!session.text.contains(code), "the ticket was shown")
      let outcome = try user.signIn(to: service, typing: try phone.code())
      #expect(outcome.code == "PAM_SUCCESS", "\(outcome)")

      let again = try user.startEnroll("enroll", "--ticket", "--name", "tablet")
      try again.answer("Enrolment ticket: ", with: code)
      try again.expect("This ticket is wrong, has been used or has expired.")
      try again.sendKeys([3])
      _ = try again.waitForExit()
    }

    @Test("a mailer that fails or hangs blocks no sign-in, and the unsent mail is logged")
    func brokenMailer() throws {
      let (user, _, service) = try machine.addSignIn()
      try machine.write("#!/bin/sh\nexit 75\n", to: "/usr/sbin/sendmail", mode: "0755")
      let start = try machine.log.position()
      let code = try code(try machine.mustAdminister("bypass", user.name, "--reason", "x").text)
      let line = try machine.log.waitForEntry(containing: "result=notice-not-mailed", since: start)
      #expect(line.fields["reason"] == "mailer-failed" && line.fields["status"] == "75")
      // This mailer reads nothing and ends only when the test does.
      let gate = machine.folder + "/gate"
      try Command.succeed(["/usr/bin/mkfifo", "-m", "0666", gate])
      try machine.write("#!/bin/sh\nread x <\(gate)\n", to: "/usr/sbin/sendmail", mode: "0755")
      let outcome = try user.signIn(to: service, typing: code)
      #expect(outcome.code == "PAM_SUCCESS", "\(outcome)")
      try Command.shell("echo >\(gate)")
    }
  }
}
