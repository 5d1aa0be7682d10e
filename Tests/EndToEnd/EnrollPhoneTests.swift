import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
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
        try machine.writeConfiguration(
          "[project]\ngateway = \(gateway)\nregions = +1\n\(settings)")
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
      let session = try TerminalSession(
        [Self.program, "phone", phone.number, "--name", "work"], as: user.identity)
      try session.expect("Password: ")
      try session.send(user.password)
      try session.expect(Self.codePrompt)
      try session.send(phone.code)
      try session.expect("'work' was added.")
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
      try Machine.use { machine in
        let user = try machine.addUser()
        let phone = try Phone(on: machine)
        let session = try TerminalSession(
          [Self.program, "phone", phone.number, "--name", "work"], as: user.identity)
        try session.expect("Have your phone ready.")
        try session.expect("Password: ")
        try session.send(user.password)
        try session.expect("Codes by text message are less safe")
        try session.expect("A code was sent to your phone.")
        try session.expect(Self.codePrompt)
        #expect(phone.message.hasPrefix("To: \(phone.number)\n"), "\(phone.message)")
        #expect(phone.message.contains(" is the code that adds this phone to your account at "))
        let code = phone.code
        try session.send(phone.wrongCode)
        try session.expect("Wrong code. Try again.")
        try session.expect(Self.codePrompt)
        try session.send("s")
        try session.expect("No code was sent. You can request another one in ")
        try session.expect(Self.codePrompt)
        try session.send(code)
        try session.expect("'work' was added.")
        #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")

        let list = try Command.succeed([Self.program, "list"], as: user.identity)
        #expect(list.contains(phone.masked) && !list.contains(phone.number.suffix(7)), "\(list)")
        let json = try Command.succeed([Self.program, "list", "--json"], as: user.identity)
        #expect(json.contains("\"phoneNumber\" : \"\(phone.masked)\""), "\(json)")

        let server = try SecureShell().server(
          machine, heading: "ssh: the password, then a code", tries: 3)
        let signIn = try server.signIn(user.name, command: SecureShell.command)
        try signIn.expect("Password: ")
        try signIn.send(user.password)
        try signIn.expect("One-time code (s: send one to \(phone.masked)): ")
        try request(signIn, user)
        try signIn.expect("): ")
        let second = phone.code
        try signIn.send(phone.wrongCode)
        try signIn.expect("Wrong code. Try again.")
        try signIn.send(second)
        try SecureShell().expectEnd(.signedIn, signIn, user.name)
        // The code is used.
        let replay = try server.signIn(
          user.name, command: SecureShell.command, options: SecureShell.once)
        try replay.expect("Password: ")
        try replay.send(user.password)
        for _ in 0..<3 {
          try replay.expect("): ")
          try replay.send(second)
        }
        try SecureShell().expectEnd(.refused, replay, user.name)
      }
    }

    @Test(
      "a user with nothing but a phone proves it before a change, and is told of the new number")
    func reauthentication() throws {
      try Machine.use { machine in
        let user = try machine.addUser()
        let phone = try Phone(on: machine)
        try enroll(user, phone)
        let session = try TerminalSession(
          [Self.program, "phone", Self.unusedNumber(), "--name", "new"], as: user.identity)
        try session.expect("Password: ")
        try session.send(user.password)
        try session.expect("enrolled (s: send one to \(phone.masked)): ")
        try request(session, user)
        try session.expect("): ")
        try session.send(phone.code)
        // The code that proved the old phone counts for the limit.
        try session.expect("You can request another one in ")
        try session.expect(Self.codePrompt)
        try request(session, user)
        try session.expect(Self.codePrompt)
        try session.send(phone.code)
        try session.expect("only in 24 hours")
        try session.expect("'new' was added.")
        #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
        #expect(
          Deadline.usual.waits {
            phone.message.hasPrefix("To: \(phone.number)\n")
              && phone.message.contains("Another phone was added to your account")
          }, "\(phone.message)")
      }
    }

    @Test("Ctrl-C adds nothing, and says so")
    func interrupted() throws {
      try Machine.use { machine in
        let user = try machine.addUser()
        let phone = try Phone(on: machine)
        let session = try TerminalSession(
          [Self.program, "phone", phone.number, "--name", "work"], as: user.identity)
        try session.expect("Password: ")
        try session.send(user.password)
        try session.expect(Self.codePrompt)
        try session.sendKeys([3])
        try session.expect("Nothing was added.")
        _ = try session.waitForExit()
        #expect(
          try Command.succeed([Self.program, "list"], as: user.identity)
            == "\(user.name) has no device yet.\n")
      }
    }

    @Test(
      "a gateway that fails, hangs or is missing is reported, and nothing is added",
      arguments: [
        "exit 1", "exec sleep 1000", "",
      ])
    func gatewayFails(script: String) throws {
      try Machine.use { machine in
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
        #expect(
          try Command.succeed([Self.program, "list"], as: user.identity)
            == "\(user.name) has no device yet.\n")
      }
    }

    @Test(
      "a number that cannot be enrolled is refused with the reason",
      arguments: [
        ("5105551234", "The phone number does not begin with a plus sign."),
        ("+33612345678", "This host does not send codes to phone numbers of this country."),
      ])
    func refused(number: String, reason: String) throws {
      try Machine.use { machine in
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
}
