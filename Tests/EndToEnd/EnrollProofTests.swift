import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// Proofs of the password for mfa-enroll, which are limited, and accounts that may not be used.
  @Suite struct EnrollProofs {
    static let program = "/usr/bin/mfa-enroll"

    /// Types a wrong password, and gives up.
    private func mistype(_ user: MachineUser, _ password: String) throws {
      let session = try user.startEnroll("--name", "new phone")
      try session.answer("Password: ", with: password)
      try session.expect("Wrong password.")
      try session.expect("Password: ")
      try session.sendKeys([3])
      #expect(try session.waitForExit() != .exited(0), "\(session.transcript)")
    }

    /// Returns what the program says when it refuses the account, after the password if there is one.
    private func refusal(_ user: MachineUser, after password: String? = nil) throws -> String {
      let session = try user.startEnroll("--name", "new phone")
      if let password {
        try session.answer("Password: ", with: password)
      }
      #expect(try session.waitForExit() == .exited(2), "\(session.transcript)")
      #expect(session.text.contains("Password: ") == (password != nil), "\(session.transcript)")
      return session.text
    }

    /// Expects that the user is asked for the password, and then for a code.
    private func expectAllowed(_ user: MachineUser) throws {
      let session = try user.startEnroll("--name", "new phone")
      try session.answer("Password: ", with: user.password)
      try session.expect("Code from the app: ")
      try session.sendKeys([3])
      #expect(try session.waitForExit() != .exited(0), "\(session.transcript)")
    }

    @Test("after five wrong passwords the right one is not tried either, and codes are not delayed")
    func passwords() throws {
      let (user, enrollment, service) = try machine.addSignIn()
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
      let code = try user.signIn(to: service, typing: try enrollment.phone.code())
      #expect(code.code == "PAM_SUCCESS", "\(code)")
      try machine.mustAdminister("unlock", user.name)
      let again = try user.startEnroll("--name", "new phone")
      try again.answer("Password: ", with: user.password)
      try again.expect(": ")
      try again.sendKeys([3])
      #expect(try again.waitForExit() != .exited(0), "\(again.transcript)")
    }

    @Test(
      "an account that pam_faillock has locked is refused in words of its own, until it is unlocked"
    )
    func faillock() throws {
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

  /// The enrolment of phones, and sign-ins with codes that a gateway sent.
  @Suite struct EnrollPhones {
    static let program = "/usr/bin/mfa-enroll"
    static let codePrompt = "Code from the message (s: send another one): "

    /// A gateway service whose phone is a file.
    struct Phone {
      let service: GatewayService
      /// A number of its own, because the tests share the limits of the host.
      let number = EnrollPhones.unusedNumber()

      init(on machine: Machine, _ settings: String = "") throws {
        service = try GatewayService(on: machine)
        let gateway = try service.use("cat >$out/new; mv $out/new $out/message")
        try machine.writeConfiguration("[project]\ngateway = \(gateway)\nregions = +1\n\(settings)")
      }

      /// The number as it is shown.
      var masked: String { "+1 *** *** **" + number.suffix(2) }

      /// The last message.
      var message: String { service.contents(of: "message") }

      /// The code in the last message.
      var code: String {
        String(message.components(separatedBy: "\n\n").last?.prefix(6) ?? "")
      }

      var wrongCode: String { code == "000000" ? "000001" : "000000" }
    }

    static func unusedNumber() -> String { "+1510\(Int.random(in: 2_000_000...9_999_999))" }

    /// Enrols the number at a terminal.
    private func enroll(_ user: MachineUser, _ phone: Phone) throws {
      let session = try user.startEnroll("phone", phone.number, "--name", "work")
      try session.answer("Password: ", with: user.password)
      try session.answer(Self.codePrompt, with: phone.code)
      try session.expect("'work' was added.")
      try session.keepRecoveryCodes()
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
    }

    /// Requests a code after a while, so that no limit refuses it.
    private func request(_ session: TerminalSession, _ user: MachineUser) throws {
      try SentCodesOfTests.age(user, 600)
      try session.send("s")
      try session.expect("A code was sent")
    }

    @Test("a phone is enrolled with the code in the message, and signs in over ssh")
    func enrolmentAndSignIn() throws {
      let user = try machine.addUser()
      let phone = try Phone(on: machine)
      let session = try user.startEnroll("phone", phone.number, "--name", "work")
      try session.expect("Have your phone ready.")
      try session.expect("provider may charge")
      try session.answer("Password: ", with: user.password)
      try session.expect("Codes by text message are less safe")
      try session.expect("A code was sent to your phone.")
      try session.expect(Self.codePrompt)
      #expect(phone.message.hasPrefix("To: \(phone.number)\n"), "\(phone.message)")
      #expect(phone.message.contains(" is the code that adds this phone to your account at "))
      let code = phone.code
      try session.send(phone.wrongCode)
      try session.expect("Wrong code. Try again.")
      try session.answer(Self.codePrompt, with: "s")
      try session.expect("No code was sent. You can request another one in ")
      try session.answer(Self.codePrompt, with: code)
      try session.expect("'work' was added.")
      try session.keepRecoveryCodes()
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")

      let list = try user.mustEnroll("list")
      #expect(list.contains(phone.masked) && !list.contains(phone.number.suffix(7)), "\(list)")
      let json = try user.mustEnroll("list", "--json")
      #expect(json.contains("\"phoneNumber\":\"\(phone.masked)\""), "\(json)")

      let server = try SecureShell().server(
        machine, heading: "ssh: the password, then a code", tries: 3)
      let signIn = try server.signIn(user.name, command: SecureShell.command)
      try signIn.answer("Password: ", with: user.password)
      try signIn.expect("Type s to get a code sent to 'work', \(phone.masked). Verification code: ")
      try request(signIn, user)
      try signIn.expect("Verification code: ")
      let second = phone.code
      try signIn.send(phone.wrongCode)
      try signIn.answer("Wrong code. Try again.", with: second)
      try SecureShell().expectEnd(.signedIn, signIn, user.name)
      // The code is used.
      let replay = try server.signIn(
        user.name, command: SecureShell.command, options: SecureShell.once)
      try replay.answer("Password: ", with: user.password)
      for _ in 0..<3 {
        try replay.answer("Verification code: ", with: second)
      }
      try SecureShell().expectEnd(.refused, replay, user.name)
    }

    @Test("Ctrl-C adds nothing, and says so")
    func interrupted() throws {
      let user = try machine.addUser()
      let phone = try Phone(on: machine)
      let session = try user.startEnroll("phone", phone.number, "--name", "work")
      try session.answer("Password: ", with: user.password)
      try session.expect(Self.codePrompt)
      try session.sendKeys([3])
      try session.expect("Nothing was added.")
      _ = try session.waitForExit()
      #expect(try user.mustEnroll("list") == "\(user.name) has no device yet.\n")
    }

    @Test(
      "a gateway that fails, hangs or is missing is reported, and nothing is added",
      arguments: [
        "exit 1", "exec sleep 1000", "",
      ])
    func gatewayFails(script: String) throws {
      let user = try machine.addUser()
      if script.isEmpty {
        try machine.writeConfiguration(
          "[project]\ngateway = /usr/lib/mfa/gateways/json\nregions = +1\n")
      } else {
        _ = try GatewayService(on: machine).use(script)
      }
      let command = try Command.run(
        [Self.program, "phone", Self.unusedNumber(), "--name", "work", "--stdin"],
        input: Array("\(user.password)\n123456\n".utf8), as: user.identity)
      #expect(command.status == .exited(1))
      #expect(
        command.errorText.contains(
          "error: The code could not be sent because of a problem on the host."),
        "\(command.errorText)")
      #expect(try user.mustEnroll("list") == "\(user.name) has no device yet.\n")
    }

    @Test("where no phone can be enrolled, nothing is asked for")
    func notSupported() throws {
      let user = try machine.addUser()
      try machine.writeConfiguration("[project]\nfactors = totp, phone\n")
      let command = try Command.run([Self.program, "phone", "--stdin"], as: user.identity)
      #expect(
        command.errorText.contains("error: This host does not send codes to phones."),
        "\(command.errorText)")
      #expect(!command.errorText.contains("Password"), "\(command.errorText)")
    }

    @Test("after a number that was mistyped, the number is asked for again")
    func mistyped() throws {
      let user = try machine.addUser()
      let phone = try Phone(on: machine)
      let session = try user.startEnroll("phone", "--name", "work")
      try session.answer("Password: ", with: user.password)
      try session.answer("+15105551234: ", with: "5105551234")
      try session.expect("The phone number does not begin with a plus sign.")
      try session.answer("+15105551234: ", with: "+33612345678")
      try session.expect("This host does not send codes to phone numbers of this country.")
      try session.answer("+15105551234: ", with: phone.number)
      try session.answer(Self.codePrompt, with: phone.code)
      try session.expect("'work' was added.")
      try session.keepRecoveryCodes()
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
    }

    @Test(
      "a number that cannot be enrolled is refused with the reason",
      arguments: [
        ("5105551234", "The phone number does not begin with a plus sign."),
        ("+33612345678", "This host does not send codes to phone numbers of this country."),
      ])
    func refused(number: String, reason: String) throws {
      let user = try machine.addUser()
      _ = try Phone(on: machine)
      let command = try Command.run(
        [Self.program, "phone", number, "--name", "work", "--stdin"],
        input: Array("\(user.password)\n".utf8), as: user.identity)
      #expect(command.errorText.contains("error: \(reason)\nhint: "), "\(command.errorText)")
      #expect(command.status == .exited(1))
    }
  }
}
