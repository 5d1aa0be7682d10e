import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// mfa-enroll with a program that converses in JSON. The program checks each line against the installed schema.
  @Suite struct Conversations {
    /// What a command wrote.
    struct Conversation: CustomStringConvertible {
      let lines: [[String: Any]]
      let status: Int
      let errors: String

      /// The last line.
      var end: [String: Any] { lines.last ?? [:] }

      /// The first line with this member.
      func line(_ member: String) -> [String: Any] { lines.first { $0[member] != nil } ?? [:] }

      /// The values of a member, in the order of the lines.
      func all(_ member: String) -> [String] { lines.compactMap { $0[member] as? String } }

      var description: String { "\(lines), \(status), \(errors)" }
    }

    /// Runs a command that gets these answers to each need.
    static func converse(
      _ user: MachineUser, _ arguments: [String], _ answers: [String: [Any]] = [:],
      language: String = "C.UTF-8"
    ) throws -> Conversation {
      let script = try String(
        contentsOfFile: Checkout.folder + "/Tests/EndToEnd/converse.py", encoding: .utf8)
      let answers = String(
        decoding: try JSONSerialization.data(withJSONObject: answers), as: UTF8.self)
      let printed = try Command.succeed(
        ["/usr/bin/python3", "-c", script, answers] + arguments, as: user.identity,
        environment: ["LC_ALL": language], directory: user.home)
      let parts = try #require(
        try JSONSerialization.jsonObject(with: Data(printed.utf8)) as? [Any], "\(printed)")
      return Conversation(
        lines: try #require(parts[0] as? [[String: Any]]), status: try #require(parts[1] as? Int),
        errors: try #require(parts[2] as? String))
    }

    @Test("an enrolment: a wrong password, a wrong code, the right ones, and recovery codes")
    func enrolment() throws {
      let user = try machine.addUser()
      let first = try Self.converse(
        user, ["enroll", "--name", "J\u{F6}rg's \"phone\""],
        ["password": ["wrong", user.password], "newFactorCode": ["no code", "000000", "right"]])
      #expect(first.status == 0 && first.errors.isEmpty, "\(first)")
      #expect(first.lines.first?["version"] as? Int == 1)
      #expect(
        first.all("need") == [
          "password", "password", "newFactorCode", "newFactorCode", "newFactorCode",
        ])
      #expect(first.line("need")["text"] as? String == "Password: ")
      #expect(
        first.all("rejected") == ["reauthenticationFailed", "notACode", "invalidVerificationCode"])
      #expect(first.line("key")["account"] as? String == user.name)
      let factor = try #require(first.end["factor"] as? [String: Any], "\(first)")
      #expect(first.end["result"] as? String == "enrolled")
      #expect(factor["displayName"] as? String == "J\u{F6}rg's \"phone\"")
      let codes = try #require(first.end["recoveryCodes"] as? [String], "\(first)")
      #expect(codes.count == 10)

      // A recovery code proves a factor, and takes part in a test without being used up.
      let tested = try Self.converse(user, ["test"], ["code": [codes[0]]])
      #expect(tested.end["code"] as? String == "recoveryCode", "\(tested)")
      let need = tested.line("need")
      #expect(
        (need["factors"] as? [[String: Any]])?.first?["id"] as? String == factor["id"] as? String)
      let second = try Self.converse(
        user, ["enroll", "--name", "tablet"],
        ["password": [user.password], "code": [codes[0]], "newFactorCode": ["right"]])
      #expect(second.all("need") == ["password", "code", "newFactorCode"], "\(second)")
      #expect(second.end["recoveryCodes"] == nil && second.status == 0)

      let status = try Self.converse(user, ["status"])
      #expect(status.end["recoveryCodesLeft"] as? Int == 9, "\(status)")
      #expect((try Self.converse(user, ["list"]).end["factors"] as? [Any])?.count == 2)
    }

    @Test("each command has a result, and an unenrolment says whether the user is signed out")
    func commands() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      func proof(_ offset: Int) throws -> [String: [Any]] {
        ["password": [user.password], "code": [try enrollment.phone.code(offset: offset)]]
      }
      let renamed = try Self.converse(user, ["rename", "phone", "old phone"], try proof(-3))
      #expect((renamed.end["factor"] as? [String: Any])?["displayName"] as? String == "old phone")
      let new = try Self.converse(user, ["recovery-codes", "--new"], try proof(-2))
      #expect((new.end["recoveryCodes"] as? [String])?.count == 10, "\(new)")
      let left = try Self.converse(user, ["recovery-codes"])
      #expect(left.end["recoveryCodesLeft"] as? Int == 10, "\(left)")
      #expect(try Self.converse(user, ["forget"]).end["rememberedSignIns"] as? Int == 0)
      let notices = try Self.converse(user, ["notices"])
      #expect(
        !notices.all("notice").isEmpty && notices.end["result"] as? String == "notices",
        "\(notices)")
      try machine.writeConfiguration("[project]\nprogram_passwords = imap\n")
      let made = try Self.converse(user, ["program-password", "Mail"], try proof(-1))
      #expect((made.end["password"] as? String)?.hasPrefix("mfa-") == true, "\(made)")
      let passwords = try Self.converse(user, ["program-password"])
      #expect((passwords.end["programPasswords"] as? [Any])?.count == 1, "\(passwords)")
      let withdrawn = try Self.converse(
        user, ["program-password", "--remove", "Mail"], try proof(0))
      #expect(withdrawn.end["result"] as? String == "programPasswordRemoved", "\(withdrawn)")
      let synchronized = try Self.converse(
        user, ["resync"],
        [
          "password": [user.password],
          "code": [
            try enrollment.phone.code(offset: 1), try enrollment.phone.code(offset: 2),
          ], "nextCode": [try enrollment.phone.code(offset: 3)],
        ])
      #expect(synchronized.end["result"] as? String == "resynchronized", "\(synchronized)")
      let removed = try Self.converse(
        user, ["unenroll"],
        ["password": [user.password], "code": [try enrollment.phone.code(offset: 4)]])
      #expect(removed.end["signedOut"] as? Bool == true, "\(removed)")
      #expect(removed.end["endsSessions"] as? Bool == false)
    }

    @Test("a phone: a refused number, another message, and the code")
    func phone() throws {
      let user = try machine.addUser()
      try machine.writeConfiguration(
        "[project]\nfactors = totp, phone\nphone_test_numbers = +15105550000=123456\n")
      let phone = try Self.converse(
        user, ["phone", "--name", "work"],
        [
          "password": [user.password], "phoneNumber": ["510", "+1 510 555 0000"],
          "newFactorCode": [["send": "again"], "000000", "123456"],
        ])
      #expect(phone.status == 0, "\(phone)")
      let factor = try #require(phone.end["factor"] as? [String: Any], "\(phone)")
      #expect(factor["factorID"] as? String == "phone")
      #expect(phone.all("rejected").contains("invalidPhoneNumber"), "\(phone)")
      #expect(phone.all("notice").first?.contains("text message") == true, "\(phone)")
      let id = try #require(factor["id"] as? String)
      // The code of a phone is sent on request, where the account is proven and where a code is tested.
      let removed = try Self.converse(
        user, ["unenroll", "work"],
        ["password": [user.password], "code": [["send": id], "123456"]])
      #expect(removed.all("need") == ["password", "code", "code"], "\(removed)")
      #expect(removed.end["result"] as? String == "unenrolled", "\(removed)")
    }

    @Test(
      "errors have the codes of the library, in the user's language, and the status of the command")
    func errors() throws {
      let user = try machine.addUser()
      func end(
        _ arguments: [String], _ answers: [String: [Any]] = [:]
      ) throws -> (code: String, status: Int) {
        let command = try Self.converse(user, arguments, answers, language: "fr_FR.UTF-8")
        #expect(command.errors.isEmpty && command.end["message"] != nil, "\(command)")
        return (try #require(command.end["error"] as? String, "\(command)"), command.status)
      }
      #expect(try end(["test"]) == ("factorNotFound", 1))
      #expect(try end(["unenroll", "nothing"]) == ("factorNotFound", 1))
      #expect(try end(["nonsense"]) == ("invalidArgument", 64))
      #expect(try end(["enroll", "--nonsense"]) == ("invalidArgument", 64))
      #expect(
        try end(["enroll"], ["password": [["cancel": true]]]) == ("reauthenticationFailed", 2))
      #expect(try end(["enroll"]) == ("reauthenticationFailed", 2))
      #expect(try end(["enroll"], ["password": ["a", "b", "c"]]) == ("reauthenticationFailed", 2))
      #expect(try end(["enroll"], ["password": [user.password]]) == ("cancelled", 1))
      let french = try Self.converse(user, ["test"], language: "fr_FR.UTF-8")
      #expect((french.end["message"] as? String)?.contains("appareil") == true, "\(french)")
    }

    @Test("a line that is no answer is rejected, and the same is asked for again")
    func noAnswer() throws {
      let user = try machine.addUser()
      let lines = ["", user.password, "{\"code\":\"123456\"}", "{\"password\":1}"]
      let command = try Command.run(
        ["/usr/bin/mfa-enroll", "--json"], input: Array(lines.joined(separator: "\n").utf8),
        as: user.identity)
      #expect(command.status == .exited(2))
      #expect(command.text.components(separatedBy: "{\"need\":\"password\"").count == 6)
      #expect(command.text.components(separatedBy: "\"rejected\":\"protocolError\"").count == 5)
      #expect(!command.text.contains(user.password), "\(command.text)")
    }

    static let clients: [[String]] = [
      ["/usr/bin/python3", "client.py"], ["/usr/bin/node", "client.mjs"],
      ["/usr/bin/go", "run", "client.go"],
      ["/usr/bin/java", "-cp", "/usr/share/java/gson.jar", "Client.java"],
    ]

    @Test("the example in each language enrols a device at a terminal", arguments: clients)
    func example(client: [String]) throws {
      let user = try machine.addUser()
      let file = try #require(client.last)
      try Command.succeed([
        "/usr/bin/install", "--owner=\(user.name)", "--target-directory=\(user.home)",
        "\(Checkout.folder)/packaging/json/\(file)",
      ])
      let session = try TerminalSession(
        client + ["enroll", "--name", "phone"], as: user.identity,
        environment: ["LC_ALL": "C.UTF-8", "HOME": user.home, "PATH": "/usr/bin:/bin"],
        directory: user.home)
      try session.answer("Password: ", with: user.password)
      let url = String(try session.expect(matching: /open (otpauth:[^\r]+)\r\n/).output.1)
      try session.answer("newFactorCode: ", with: "000000")
      try session.expect("Wrong code.")
      try session.answer("newFactorCode: ", with: try Authenticator(url: url).code())
      try session.expect("done: enrolled")
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      #expect(session.text.components(separatedBy: "recovery code: ").count == 11)
      #expect(!session.text.contains(user.password), "\(session.transcript)")
    }
  }
}
