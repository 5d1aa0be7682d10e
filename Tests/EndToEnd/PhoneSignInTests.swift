import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// Sign-ins over ssh with codes that were sent to a phone.
  @Suite struct PhoneSignIns {
    private static let heading = "ssh: the password, then a code"

    /// Enrols a phone at a terminal, with the code that `code` returns.
    private func enroll(
      _ user: MachineUser, _ number: String, totp: String? = nil, code: () throws -> String
    ) throws {
      let session = try user.startEnroll("phone", number, "--name", "work")
      try session.answer("Password: ", with: user.password)
      if let totp {
        try session.answer("enrolled: ", with: totp)
      }
      try session.answer(EnrollPhones.codePrompt, with: try code())
      try session.expect("'work' was added.")
      if totp == nil { try session.keepRecoveryCodes() }
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
    }

    @Test("codes that gammu-smsd sends: replaced, late, accepted and used ones")
    func codes() throws {
      let user = try machine.addUser()
      let phone = try GammuPhone(on: machine)
      try GatewayService(on: machine).select(GammuPhone.gateway)
      let number = EnrollPhones.unusedNumber()
      let masked = "+1 *** *** **" + number.suffix(2)
      try enroll(user, number) { try phone.code(ofMessage: 1) }
      try SentCodesOfTests.age(user, 600)

      let server = try SecureShell().server(machine, heading: Self.heading, tries: 3)
      let signIn = try server.signIn(user.name, command: SecureShell.command)
      let prompt = "Type s to get a code sent to 'work', \(masked). Verification code: "
      func answer(_ text: String, _ message: String) throws {
        try signIn.answer(prompt, with: text)
        try signIn.expect(message)
      }
      try signIn.answer("Password: ", with: user.password)
      try answer("s", "A code was sent to \(masked).")
      let first = try phone.code(ofMessage: 2)
      try answer("s", "No code was sent. You can request one in ")
      try SentCodesOfTests.age(user, 30)
      try answer("s", "A code was sent to \(masked).")
      let second = try phone.code(ofMessage: 3)
      try answer(first, "Wrong code. Try again.")
      try SentCodesOfTests.age(user, 600)
      try answer(second, "Wrong code. Try again.")
      try answer("s", "A code was sent to \(masked).")
      let third = try phone.code(ofMessage: 4)
      try signIn.answer(prompt, with: third)
      try SecureShell().expectEnd(.signedIn, signIn, user.name)
      #expect(try Deadline.usual.waits { try GammuPhone.spooled().isEmpty })

      let replay = try server.signIn(
        user.name, command: SecureShell.command, options: SecureShell.once)
      try replay.answer("Password: ", with: user.password)
      for _ in 0..<3 {
        try replay.answer(prompt, with: third)
      }
      try SecureShell().expectEnd(.refused, replay, user.name)
    }

    @Test("after policy allows only phones, a right code of an app is told apart, and not counted")
    func typeNotAllowed() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let phone = try EnrollPhones.Phone(on: machine, "factors = phone\n")
      let server = try SecureShell().server(machine, heading: Self.heading)
      let signIn = try server.signIn(
        user.name, command: SecureShell.command, options: SecureShell.once)
      try signIn.answer("Password: ", with: user.password)
      try signIn.answer("Verification code: ", with: try enrollment.phone.code())
      try signIn.expect("This host does not accept codes of authenticator apps.")
      try SecureShell().expectEnd(.refused, signIn, user.name)
      let test = try user.runEnroll(
        "test", "--stdin", input: "\(try enrollment.phone.code(offset: 1))\n")
      #expect(test.errorText.contains("does not accept codes of authenticator apps."), "\(test)")
      #expect(test.errorText.contains("hint: Add a phone: mfa-enroll phone"), "\(test)")
      #expect(try StoreFiles(of: user.name).failures() == 0)
      #expect(phone.message.isEmpty)
    }

    @Test("mfa-enroll test offers each phone by its name")
    func test() throws {
      let user = try machine.addUser()
      let phone = try EnrollPhones.Phone(on: machine, "phone_waiting_time = off\n")
      try enroll(user, phone.number) { phone.code }
      try SentCodesOfTests.age(user, 600)
      let other = EnrollPhones.unusedNumber()
      let session = try user.startEnroll("phone", other, "--name", "home")
      try session.answer("Password: ", with: user.password)
      try session.answer("(s: send one to 'work', \(phone.masked)): ", with: "s")
      try session.expect("A code was sent")
      try session.answer("): ", with: phone.code)
      try session.answer(EnrollPhones.codePrompt, with: "s")
      try session.expect("No code was sent.")
      try SentCodesOfTests.age(user, 600)
      try session.answer(EnrollPhones.codePrompt, with: "s")
      try session.expect("A code was sent to your phone.")
      try session.answer(EnrollPhones.codePrompt, with: phone.code)
      try session.expect("'home' was added.")
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      try SentCodesOfTests.age(user, 600)
      let test = try user.startEnroll("test")
      try test.expect("s1: work, \(phone.masked)")
      try test.expect("s2: home, +1 *** *** **\(other.suffix(2))")
      try test.answer("to get a code sent. Verification code: ", with: "s2")
      try test.expect("A code was sent to your phone.")
      #expect(phone.message.hasPrefix("To: \(other)\n"), "\(phone.message)")
      try test.answer("to get a code sent. Verification code: ", with: phone.code)
      #expect(try test.waitForExit() == .exited(0), "\(test.transcript)")
    }

    @Test("no line of the system log has a phone number or a code")
    func log() throws {
      let user = try machine.addUser()
      let phone = try EnrollPhones.Phone(on: machine)
      let start = try machine.log.position()
      try enroll(user, phone.number) { phone.code }
      var codes = [phone.code]
      try SentCodesOfTests.age(user, 600)
      let server = try SecureShell().server(machine, heading: Self.heading, tries: 2)
      let signIn = try server.signIn(
        user.name, command: SecureShell.command, options: SecureShell.once)
      try signIn.answer("Password: ", with: user.password)
      try signIn.answer("Type s to get a code sent", with: "s")
      try signIn.expect("A code was sent")
      codes.append(phone.code)
      try signIn.answer("Type s to get a code sent", with: phone.wrongCode)
      codes.append(phone.wrongCode)
      try signIn.answer("Type s to get a code sent", with: phone.code)
      try SecureShell().expectEnd(.signedIn, signIn, user.name)
      let lines = try machine.log.entries(since: start).map(\.line)
      #expect(lines.contains { $0.contains("result=code-sent message=") }, "\(lines)")
      // The names of users and the identifiers of messages may contain the digits of a code.
      let words = Set(
        lines.flatMap { line in
          line.split { !$0.isASCII || !($0.isLetter || $0.isNumber) }.map(String.init)
        })
      for secret in codes + [String(phone.number.dropFirst()), String(phone.number.suffix(7))] {
        #expect(!words.contains(secret), "\(lines)")
      }
    }

    @Test("a code that was sent to another sign-in is wrong")
    func otherSession() throws {
      let user = try machine.addUser()
      let phone = try EnrollPhones.Phone(on: machine)
      try enroll(user, phone.number) { phone.code }
      try SentCodesOfTests.age(user, 600)
      let server = try SecureShell().server(machine, heading: Self.heading)
      let sessions = try (0..<2).map { _ in
        try server.signIn(user.name, command: SecureShell.command, options: SecureShell.once)
      }
      for session in sessions {
        try session.answer("Password: ", with: user.password)
        try session.expect("Type s to get a code sent")
      }
      try sessions[0].send("s")
      try sessions[0].expect("A code was sent")
      let code = phone.code
      try sessions[1].send(code)
      try SecureShell().expectEnd(.refused, sessions[1], user.name)
      try sessions[0].expect("Type s to get a code sent")
      try sessions[0].send(code)
      try SecureShell().expectEnd(.signedIn, sessions[0], user.name)
    }

    @Test(
      "without a working gateway, the user is told, and signs in with another factor",
      arguments: [
        "it hangs", "it is missing", "its spool cannot be used", "the service is missing",
      ])
    func gatewayFails(fault: String) throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let phone = try EnrollPhones.Phone(on: machine)
      try enroll(user, phone.number, totp: try enrollment.phone.code(offset: -1)) { phone.code }
      try SentCodesOfTests.age(user, 600)
      switch fault {
      case "it hangs": try phone.service.use("exec sleep 1000")
      case "it is missing": try phone.service.select("/usr/lib/mfa/gateways/missing")
      case "its spool cannot be used":
        try GammuPhone(on: machine).stop()
        try machine.keep(GammuPhone.spool)
        try Command.succeed(["/bin/chmod", "0700", GammuPhone.spool + "/outbox"])
        try phone.service.select(GammuPhone.gateway)
      default: try machine.remove(GatewayService.socket)
      }
      let server = try SecureShell().server(machine, heading: Self.heading)
      let signIn = try server.signIn(
        user.name, command: SecureShell.command, options: SecureShell.once)
      try signIn.answer("Password: ", with: user.password)
      try signIn.answer("Type s to get a code sent", with: "s")
      try signIn.expect("No code could be sent.")
      try signIn.answer("Type s to get a code sent", with: try enrollment.phone.code())
      try signIn.answer("Type yes if you have read this: ", with: "yes")
      try SecureShell().expectEnd(.signedIn, signIn, user.name)
    }
  }
}
