import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// Proofs of the password for mfa-enroll, which are limited, and accounts that may not be used.
  @Suite struct EnrollProofs {
    static let program = "/usr/bin/mfa-enroll"

    /// Types a wrong password, and gives up.
    private func mistype(_ user: MachineUser, _ password: String) throws {
      let session = try TerminalSession([Self.program, "--name", "new phone"], as: user.identity)
      try session.expect("Password: ")
      try session.send(password)
      try session.expect("Wrong password.")
      try session.expect("Password: ")
      try session.sendKeys([3])
      #expect(try session.waitForExit() != .exited(0), "\(session.transcript)")
    }

    /// Returns what the program says when it refuses the account, after the password if there is one.
    private func refusal(_ user: MachineUser, after password: String? = nil) throws -> String {
      let session = try TerminalSession([Self.program, "--name", "new phone"], as: user.identity)
      if let password {
        try session.expect("Password: ")
        try session.send(password)
      }
      #expect(try session.waitForExit() == .exited(2), "\(session.transcript)")
      #expect(session.text.contains("Password: ") == (password != nil), "\(session.transcript)")
      return session.text
    }

    /// Expects that the user is asked for the password, and then for a code.
    private func expectAllowed(_ user: MachineUser) throws {
      let session = try TerminalSession([Self.program, "--name", "new phone"], as: user.identity)
      try session.expect("Password: ")
      try session.send(user.password)
      try session.expect("Code from the app: ")
      try session.sendKeys([3])
      #expect(try session.waitForExit() != .exited(0), "\(session.transcript)")
    }

    @Test("after five wrong passwords the right one is not tried either, and codes are not delayed")
    func passwords() throws {
      try Machine.use { machine in
        let (user, enrollment) = try machine.addEnrolledUser()
        let service = try machine.makeService(OneCode.stack)
        // A question that is left with Ctrl-C does not count.
        for number in 1...4 { try mistype(user, "wrong \(number)") }
        let fifth = try refusal(user, after: "wrong 5")
        #expect(fifth.contains("Wrong password."), "\(fifth)")
        let start = try machine.log.position()
        let refused = try refusal(user)
        #expect(
          refused.contains(/Too many wrong passwords.\r\nhint: Try again in \d+ seconds/),
          "\(refused)")
        let line = try machine.log.waitForEntry(
          containing: "reauthentication-throttled", since: start)
        #expect(line.fields["user"] == user.name, "\(line)")
        let code = try PAMClient.signIn(
          service: service, user: user.name, answers: [.text(try enrollment.phone.code())])
        #expect(code.code == "PAM_SUCCESS", "\(code)")
        try Command.succeed(["/usr/sbin/mfa-admin", "unlock", user.name])
        let again = try TerminalSession([Self.program, "--name", "new phone"], as: user.identity)
        try again.expect("Password: ")
        try again.send(user.password)
        try again.expect(": ")
        try again.sendKeys([3])
        #expect(try again.waitForExit() != .exited(0), "\(again.transcript)")
      }
    }

    @Test(
      "an account that pam_faillock has locked is refused in words of its own, until it is unlocked"
    )
    func faillock() throws {
      try Machine.use { machine in
        let user = try machine.addUser()
        machine.atTheEnd("forget the failures") {
          try Command.succeed(["/usr/sbin/faillock", "--user", user.name, "--reset"])
        }
        try machine.writeService(
          "sshd",
          [
            "auth required pam_faillock.so preauth deny=3",
            "auth [success=1 default=bad] pam_unix.so",
            "auth [default=die] pam_faillock.so authfail deny=3", "auth required pam_permit.so",
            "account required pam_permit.so",
          ])
        try expectAllowed(user)
        for number in 1...3 {
          _ = try PAMClient.signIn(
            service: "sshd", user: user.name, answers: [.text("wrong \(number)")])
        }
        let locked = try refusal(user)
        #expect(
          locked.contains("This account is locked after too many wrong passwords."), "\(locked)")
        try Command.succeed(["/usr/sbin/faillock", "--user", user.name, "--reset"])
        try expectAllowed(user)
      }
    }

    struct Row: Sendable, CustomTestStringConvertible {
      /// The command that forbids the account, and the one that allows it again. USER is the user.
      let forbid: String
      let allow: String
      var isAsked = true
      let text: String
      var testDescription: String { text }
    }

    @Test(
      "an account that may not be used is refused in words of its own, and a wrong password is not",
      arguments: [
        Row(
          forbid: "usermod --expiredate 1 USER", allow: "usermod --expiredate '' USER",
          text: "Your account has expired"),
        Row(
          forbid: "chage --lastday 0 USER", allow: "chage --lastday 2026-01-01 USER",
          text: "Your password has expired."),
        Row(
          forbid: "echo maintenance >/run/nologin", allow: "rm /run/nologin", isAsked: false,
          text: "No one can sign in to this host at the moment."),
      ])
    func refused(row: Row) throws {
      try Machine.use { machine in
        let user = try machine.addUser()
        try machine.keep("/run/nologin")
        func run(_ command: String) throws {
          try Command.succeed([
            "/bin/sh", "-ec", command.replacing("USER", with: user.name),
          ])
        }
        try run(row.forbid)
        let text = try refusal(user, after: row.isAsked ? user.password : nil)
        #expect(text.contains(row.text), "\(text)")
        // Whoever does not know the password learns nothing about the account.
        if row.isAsked { try mistype(user, "wrong") }
        try run(row.allow)
        try expectAllowed(user)
      }
    }
  }
}
