import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// Migration from another module: codes used there are refused here, unused codes are accepted,
  /// and the other module's file is unchanged.
  @Suite struct Import {
    /// The way of importing.
    enum Way: String, CaseIterable, Sendable {
      case person, administrator, usersOATH
    }

    /// An account that uses another module.
    struct Former {
      let user: MachineUser
      let phone: Authenticator
      /// The path of the other module's file.
      let path: String
      /// The service that uses the other module.
      let service: String
      /// The other module's scratch codes; none for pam_oath.
      let scratchCodes: [String]

      func isAccepted(_ answer: String) throws -> Bool {
        try user.signIn(to: service, typing: answer).code
          == "PAM_SUCCESS"
      }
    }

    /// Creates the file with the other module's own tool, or writes a users.oath file.
    static func former(_ way: Way, on machine: Machine) throws -> Former {
      let user = try machine.addUser()
      switch way {
      case .person, .administrator:
        let path = user.home + "/.google_authenticator"
        try Command.succeed(
          [
            "/usr/bin/google-authenticator", "-t", "-d", "-u", "-w", "17", "-f", "-q", "-Q", "NONE",
            "-C", "-s", path,
          ], as: user.identity)
        let lines = try Command.succeed(["/bin/cat", path]).split(separator: "\n").map(String.init)
        return Former(
          user: user, phone: Authenticator(key: lines[0]), path: path,
          service: try machine.makeService(["auth required pam_google_authenticator.so"]),
          scratchCodes: lines.suffix(5))
      case .usersOATH:
        let path = machine.folder + "/users.oath"
        try machine.write(
          "HOTP/T30/6\t\(user.name)\t-\t3132333435363738393031323334353637383930\n", to: path,
          mode: "0600")
        return Former(
          user: user, phone: Authenticator(key: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"), path: path,
          service: try machine.makeService([
            "auth required pam_oath.so usersfile=\(path) window=5 digits=6"
          ]), scratchCodes: [])
      }
    }

    /// Runs `mfa-admin import` for all users in the file or folder.
    static func administer(_ way: Way, _ path: String, _ options: [String] = []) throws -> Command {
      let source =
        way == .usersOATH ? ["--users-oath", path] : ["--google-authenticator", path]
      return try Command.run(["/usr/sbin/mfa-admin", "import"] + source + options)
    }

    /// Runs `mfa-enroll import` as the user, at a terminal, up to the last prompt.
    static func enroll(_ former: Former, named name: String = "phone") throws -> TerminalSession {
      let session = try TerminalSession(
        ["/usr/bin/mfa-enroll", "import", "--name", name], as: former.user.identity)
      try session.answer("Password: ", with: former.user.password)
      return session
    }

    /// Runs a dry run, then the import.
    static func take(over former: Former, by way: Way) throws {
      let files = StoreFiles(of: former.user.name)
      let before = FileManager.default.contents(atPath: former.path)
      switch way {
      case .person:
        let session = try enroll(former)
        try session.expect("'phone' was added, with the key that your app already has.")
        try session.expect("4 recovery codes were imported. They are short.")
        try session.expect(".google_authenticator still contains the key. Delete it.")
        #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
        #expect(!session.text.contains(former.phone.key), "\(session.transcript)")
      case .administrator, .usersOATH:
        let place = way == .usersOATH ? former.path : "/home"
        let trial = try administer(way, place, ["--user", former.user.name, "--dry-run"])
        #expect(trial.status == .exited(0), "\(trial.errorText)")
        #expect(trial.text.hasPrefix("\(former.user.name): would be imported as \"imported"))
        #expect(!FileManager.default.fileExists(atPath: files.record))
        #expect(!FileManager.default.fileExists(atPath: files.attempts))
        let done = try administer(way, place, ["--user", former.user.name])
        #expect(done.status == .exited(0), "\(done.errorText)")
        #expect(done.text == trial.text.replacing("would be imported", with: "imported"))
        #expect(!done.text.contains(former.phone.key))
      }
      #expect(FileManager.default.contents(atPath: former.path) == before)
    }

    @Test("used codes are refused, and the next code is accepted", arguments: Way.allCases)
    func usedThereAndHere(way: Way) throws {
      let former = try Self.former(way, on: machine)
      let ours = try machine.makeService(OneCode.stack)
      let codes = try former.phone.codes(fromStep: former.phone.step(), count: 4)
      try #require(try former.isAccepted(codes[0]))
      try #require(try !former.isAccepted(codes[0]))
      if let scratchCode = former.scratchCodes.first {
        try #require(try former.isAccepted(scratchCode))
      }
      try Self.take(over: former, by: way)

      func isAccepted(_ answer: String, saying notice: String? = nil) throws -> Bool {
        let outcome = try PAMClient.signIn(
          service: ours, user: former.user.name, answers: [.text(answer)])
        if let notice {
          #expect(outcome.notices.contains { $0.contains(notice) }, "\(outcome)")
        }
        return outcome.code == "PAM_SUCCESS"
      }
      #expect(try !isAccepted(codes[0], saying: "That code has already been used."))
      #expect(try isAccepted(codes[1]))
      #expect(try !isAccepted(codes[1], saying: "That code has already been used."))
      if former.scratchCodes.count > 2 {
        #expect(try !isAccepted(former.scratchCodes[0], saying: "Wrong code."))
        #expect(try isAccepted(former.scratchCodes[1], saying: "Recovery code accepted. 3 left."))
        #expect(try !isAccepted(former.scratchCodes[1], saying: "That code has already been used."))
        #expect(try isAccepted(former.scratchCodes[2]))
      }
      // The other module still works with its file, and a second import changes nothing.
      #expect(try former.isAccepted(codes[2]))
      let image = try StoreFiles(of: former.user.name).image()
      switch way {
      case .person:
        let session = try Self.enroll(former, named: "other")
        try session.answer("Code from a device you have already enrolled", with: codes[3])
        try session.expect("error: ")
        #expect(try session.waitForExit() == .exited(1), "\(session.transcript)")
        #expect(try StoreFiles(of: former.user.name).image().record == image.record)
      case .administrator, .usersOATH:
        let again = try Self.administer(
          way, way == .usersOATH ? former.path : "/home", ["--user", former.user.name])
        #expect(again.status == .exited(0))
        #expect(again.text.contains(": already present as \"imported"), "\(again.text)")
        #expect(try StoreFiles(of: former.user.name).image() == image)
        #expect(try isAccepted(codes[3]))
      }
    }

    @Test("a dry run reports what the import then reports, for all users, and changes nothing")
    func reports() throws {
      let (alice, bob, carol) = (
        try machine.addUser(), try machine.addUser(), try machine.addUser()
      )
      let path = machine.folder + "/users.oath"
      let key = "3132333435363738393031323334353637383930"
      try machine.write(
        """
        # tokens
        HOTP/T30 \(alice.name) - \(key)
        HOTP/T30/8 \(alice.name) - \(key)
        HOTP/T60/8 \(alice.name) sesame \(key)aa
        HOTP \(bob.name) - \(key)
        TOTP \(bob.name) - \(key)
        HOTP/T30 nobody-there - \(key)
        HOTP/T30 \(carol.name) + 31323334353637383930

        """, to: path, mode: "0600")
      let lines = [
        "\(alice.name): imported as \"imported 1\"",
        "\(alice.name): already present as \"imported 1\"",
        "\(alice.name): imported as \"imported 3\"; the password is left out: let pam_unix ask for "
          + "the account's own, and delete the file",
        "\(bob.name): not imported: line 5: counter-based codes (HOTP) cannot be imported, only "
          + "time-based ones; enrol a new factor",
        "line 6: not imported: line 6: not a token; write HOTP/T30 or HOTP/T60, with /6, /7 or /8 "
          + "behind it, or # for a comment",
        "nobody-there: not imported: there is no user nobody-there",
        "\(carol.name): imported as \"imported 1\"; the key has 80 bits, fewer than 128: enrol a new "
          + "factor soon",
      ]
      let trialLines = lines.map { $0.replacing(": imported", with: ": would be imported") }
      let start = try machine.log.position()
      let trial = try Self.administer(.usersOATH, path, ["--dry-run"])
      #expect(trial.status == .exited(1))
      #expect(trial.text == trialLines.map { $0 + "\n" }.joined())
      for user in [alice, bob, carol] {
        #expect(machine.contents(of: StoreFiles(of: user.name).record) == nil)
        #expect(machine.contents(of: StoreFiles(of: user.name).attempts) == nil)
      }
      #expect(try OneCode.results(machine, since: start).isEmpty)
      let done = try Self.administer(.usersOATH, path)
      #expect(done.status == .exited(1))
      #expect(done.text == lines.map { $0 + "\n" }.joined())
      #expect(done.errorText.contains("3 of 7 factors were not imported"), "\(done.errorText)")
      #expect(machine.contents(of: StoreFiles(of: bob.name).record) == nil)
      let entries = try OneCode.logged(machine, since: start)
      #expect(entries.map { $0.fields["user"] } == [alice.name, alice.name, carol.name])
      #expect(entries.allSatisfy { $0.fields["result"] == "imported" })
      #expect(!entries.contains { $0.line.contains(key) || $0.line.contains("sesame") })

      // The same as JSON.
      let json = try Self.administer(.usersOATH, path, ["--json", "--user", alice.name])
      #expect(json.status == .exited(0), "\(json.errorText)")
      let read = try JSONSerialization.jsonObject(with: Data(json.output)) as? [String: Any]
      let factors = try #require(read?["factors"] as? [[String: Any]])
      #expect(factors.map { $0["result"] as? String } == ["present", "present", "present"])
      #expect(factors.map { $0["line"] as? Int } == [2, 3, 4])
    }
  }
}
