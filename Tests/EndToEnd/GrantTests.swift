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
      return String(decoding: try #require(machine.contents(of: file)), as: UTF8.self)
    }

    private func code(_ text: String) throws -> String {
      String(
        try #require(
          text.firstMatch(of: /^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/.anchorsMatchLineEndings())
        ).output.0)
    }

    @Test("a bypass code signs in once, and is logged with its reason, mailed and shown")
    func bypass() throws {
      try Machine.use { machine in
        let (user, enrollment) = try machine.addEnrolledUser()
        try keepMail(machine)
        let service = try machine.makeService(OneCode.stack)
        let start = try machine.log.position()
        let made = try Command.succeed([
          "/usr/sbin/mfa-admin", "bypass", user.name, "--for", "30m", "--uses", "1", "--reason",
          "phone lost",
        ])
        let code = try code(made)
        let first = try mail(machine, since: start)
        let expected = "arguments: -i -- \(user.name)\nidentity: mfa mfa mfa\n"
        #expect(first.hasPrefix(expected), "\(first)")
        #expect(first.contains("\nTo: \(user.name)\n"))
        #expect(first.contains("  A bypass code was made ('phone lost') from root on 2"))
        #expect(!first.contains(code))

        let used = try machine.log.position()
        let outcome = try PAMClient.signIn(
          service: service, user: user.name, answers: [.text(code)])
        #expect(outcome.code == "PAM_SUCCESS", "\(outcome)")
        let told = outcome.notices.contains { $0.contains("A bypass code was made ('phone lost')") }
        #expect(told, "\(outcome)")
        let line = try machine.log.waitForEntry(containing: "result=bypass-code", since: used)
        #expect(line.fields["reason"] == "phone\\x20lost")
        #expect(line.fields["uses-left"] == "0")
        let second = try mail(machine, since: used)
        #expect(second.contains("  A bypass code was used ('phone lost')"))
        #expect(!second.contains("A bypass code was made"), "the notice was mailed before")

        let again = try PAMClient.signIn(
          service: service, user: user.name, answers: [.text(code)])
        #expect(again.code == "PAM_AUTH_ERR", "\(again)")
        let next = try PAMClient.signIn(
          service: service, user: user.name,
          answers: [.text(try enrollment.phone.code()), .text("yes")])
        #expect(next.code == "PAM_SUCCESS", "\(next)")
        #expect(next.notices.contains { $0.contains("A bypass code was used ('phone lost')") })
        let last = try PAMClient.signIn(
          service: service, user: user.name,
          answers: [.text(try enrollment.phone.code(offset: 1))])
        #expect(last.notices == [], "all notices were confirmed")
        let log = try machine.log.entries(since: start).map(\.line).joined(separator: "\n")
        #expect(!log.contains(code))
      }
    }

    @Test("a ticket enrols a user without a password once, and survives an interruption")
    func ticket() throws {
      try Machine.use { machine in
        let user = try machine.addUser()
        try Command.succeed(["/usr/sbin/usermod", "--lock", user.name])
        let service = try machine.makeService(OneCode.stack)
        let code = try code(
          try Command.succeed(["/usr/sbin/mfa-admin", "ticket", user.name, "--valid", "24h"]))
        #expect(
          try Command.run(["/usr/sbin/mfa-admin", "show", user.name]).status == .exited(2),
          "a ticket enrols no factor")

        let first = try TerminalSession(
          ["/usr/bin/mfa-enroll", "enroll", "--ticket", "--name", "phone"], as: user.identity)
        try first.expect("Enrolment ticket: ")
        try first.send(code.uppercased().replacing("-", with: " "))
        try first.expect("Code from the app: ")
        try first.sendKeys([3])
        #expect(try first.waitForExit() != .exited(0), "\(first.transcript)")

        let session = try TerminalSession(
          ["/usr/bin/mfa-enroll", "enroll", "--ticket", "--name", "phone"], as: user.identity)
        try session.expect("Enrolment ticket: ")
        try session.send("aaaa-aaaa-aaaa-aaaa")
        try session.expect("Enrolment ticket: ")
        try session.send(code)
        let phone = try session.keyOnScreen().phone
        try session.send(try phone.code(offset: -1))
        try session.expect("was added")
        #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
        #expect(!session.text.contains(code), "the ticket was shown")
        let outcome = try PAMClient.signIn(
          service: service, user: user.name, answers: [.text(try phone.code())])
        #expect(outcome.code == "PAM_SUCCESS", "\(outcome)")

        let again = try TerminalSession(
          ["/usr/bin/mfa-enroll", "enroll", "--ticket", "--name", "tablet"], as: user.identity)
        try again.expect("Enrolment ticket: ")
        try again.send(code)
        try again.expect("This ticket is wrong, has been used or has expired.")
        try again.sendKeys([3])
        _ = try again.waitForExit()
      }
    }

    @Test("grants are listed without their codes, and can be withdrawn")
    func listed() throws {
      try Machine.use { machine in
        let (user, _) = try machine.addEnrolledUser()
        let service = try machine.makeService(OneCode.stack)
        let made = try Command.succeed([
          "/usr/sbin/mfa-admin", "bypass", user.name, "--reason", "x", "--json",
        ])
        let code = String(
          try #require(made.firstMatch(of: /"code": "([a-z2-7-]{19})"\n}\n$/)).output.1)
        let id = String(try #require(made.firstMatch(of: /"id": "([0-9a-f]{8})"/)).output.1)
        let list = try Command.succeed(["/usr/sbin/mfa-admin", "grants"])
        #expect(list.hasPrefix("USER ") && list.contains("\n\(user.name) "), "\(list)")
        #expect(list.contains("  bypass  \(id)  1     2"), "\(list)")
        #expect(!list.contains(code))
        try Command.succeed(["/usr/sbin/mfa-admin", "withdraw", user.name, id])
        let outcome = try PAMClient.signIn(
          service: service, user: user.name, answers: [.text(code)])
        #expect(outcome.code == "PAM_AUTH_ERR", "\(outcome)")
        #expect(
          try Command.run(["/usr/sbin/mfa-admin", "withdraw", user.name, id]).status == .exited(2))
      }
    }

    @Test("a mailer that fails or hangs blocks no sign-in, and the unsent mail is logged")
    func brokenMailer() throws {
      try Machine.use { machine in
        let (user, _) = try machine.addEnrolledUser()
        let service = try machine.makeService(OneCode.stack)
        try machine.write("#!/bin/sh\nexit 75\n", to: "/usr/sbin/sendmail", mode: "0755")
        let start = try machine.log.position()
        let code = try code(
          try Command.succeed(["/usr/sbin/mfa-admin", "bypass", user.name, "--reason", "x"]))
        let line = try machine.log.waitForEntry(
          containing: "result=notice-not-mailed", since: start)
        #expect(line.fields["reason"] == "mailer-failed" && line.fields["status"] == "75")
        // This mailer reads nothing and ends only when the test does.
        let gate = machine.folder + "/gate"
        try Command.succeed(["/usr/bin/mkfifo", "-m", "0666", gate])
        try machine.write("#!/bin/sh\nread x <\(gate)\n", to: "/usr/sbin/sendmail", mode: "0755")
        let outcome = try PAMClient.signIn(
          service: service, user: user.name, answers: [.text(code)])
        #expect(outcome.code == "PAM_SUCCESS", "\(outcome)")
        try Command.succeed(["/bin/sh", "-c", "echo >\(gate)"])
      }
    }
  }
}
