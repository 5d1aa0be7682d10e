import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// Follows mfa-migration(7) with Debian's modules and a real sshd. The commands and lines are
  /// taken from the page.
  @Suite struct Migration {
    /// A module to move from.
    enum Old: String, CaseIterable, Sendable {
      case googleAuthenticator, oath

      func prompt(for name: String) -> String {
        switch self {
        case .googleAuthenticator: "Verification code: "
        case .oath: "One-time password (OATH) for `\(name)': "
        }
      }

      /// The index of the module's example, where the page has one for each module.
      var index: Int { self == .googleAuthenticator ? 0 : 1 }
    }

    /// The examples under a heading of mfa-migration(7).
    static func examples(_ heading: String) throws -> [[String]] {
      try ManualPage("mfa-migration.7").examples(under: heading)
    }

    /// Runs the lines of an example as root, in a shell each. `name` replaces the name of the user.
    @discardableResult
    static func run(
      _ lines: [String], for name: String = "alice", status: MFATestSupport.ExitStatus = .exited(0)
    ) throws -> String {
      var output = ""
      for line in lines {
        let command = try shell(line.replacing("alice", with: name))
        #expect(command.status == status, "\(line): \(command.text)\(command.errorText)")
        output += command.text
      }
      return output
    }

    static func shell(
      _ line: String, path: String = "", directory: String = "/"
    ) throws -> Command {
      try Command.run(
        ["/bin/sh", "-c", line],
        environment: ["PATH": path + "/usr/sbin:/usr/bin:/sbin:/bin"], directory: directory)
    }

    /// A host that asks for a code of the old module after the password, and its users.
    struct Scene {
      let machine: Machine
      let old: Old
      let server: PrivateServer
      /// A user of the old module, whose key can be imported, and the authenticator app.
      let alice: MachineUser
      let phone: Authenticator
      /// A user without a key.
      let carol: MachineUser
      /// The service file at the start.
      let service: [UInt8]
      /// The codes of the next time steps.
      let codes: [String]

      static let path = "/etc/pam.d/sshd"

      init(_ old: Old, on machine: Machine) throws {
        self.machine = machine
        self.old = old
        try machine.keepServices()
        alice = try machine.addUser()
        carol = try machine.addUser()
        let line = try examples("1. Take stock")[1 + old.index]
        try machine.changeService("sshd", authentication: ["@include common-auth"] + line)
        switch old {
        case .googleAuthenticator:
          try Self.makeKey(of: alice)
          let path = alice.home + "/.google_authenticator"
          phone = Authenticator(key: try Self.key(in: path))
        case .oath:
          phone = Authenticator(key: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
          for path in ["/etc/users.oath", "/etc/users.oath.lock", "/etc/users.oath.new"] {
            try machine.keep(path)
          }
          try machine.write(
            "HOTP/T30/6 \(alice.name) - 3132333435363738393031323334353637383930\n",
            to: "/etc/users.oath", mode: "0600")
        }
        server = try Enable.server(machine)
        try machine.write(
          "\(alice.name) ALL=(ALL) NOPASSWD: \(ServiceFiles.program)\n",
          to: "/etc/sudoers.d/administrator", mode: "0440")
        service = machine.contents(of: Self.path) ?? []
        // The import accepts no code of the present time step again, and a step may end before it.
        codes = try phone.codes(fromStep: phone.step() + 1, count: 5)
      }

      /// Creates a file with google-authenticator's own tool.
      static func makeKey(of user: MachineUser, _ options: [String] = ["-t", "-d", "-w", "17"])
        throws
      {
        try Command.succeed(
          ["/usr/bin/google-authenticator"] + options
            + ["-u", "-f", "-q", "-Q", "NONE", "-C", "-s", user.home + "/.google_authenticator"],
          as: user.identity)
      }

      static func key(in path: String) throws -> String {
        String(try #require(try Command.succeed(["/bin/cat", path]).split(separator: "\n").first))
      }

      /// A code for the new module or for the old one.
      enum Answer {
        case ours(String), theirs(String)
      }

      /// Signs in with the password and these codes, without any other prompt of a module. Returns
      /// whether the user was signed in.
      func signIn(
        _ user: MachineUser, _ codes: Answer..., command: String = SecureShell.command
      ) throws -> Bool {
        let session = try server.signIn(user.name, command: command, options: SecureShell.once)
        let theirs = old.prompt(for: user.name)
        let prompts = ["Password: ", "Verification code: ", theirs]
        let answers = codes.map { code in
          switch code {
          case .ours(let code): ("Verification code: ", code)
          case .theirs(let code): (theirs, code)
          }
        }
        for (prompt, answer) in [("Password: ", user.password)] + answers {
          let before = try session.expect(prompt)
          #expect(!prompts.contains { before.contains($0) }, "\(session.transcript)")
          try session.send(answer)
        }
        let status = try session.waitForExit()
        #expect(!prompts.contains { session.unseenText.contains($0) }, "\(session.transcript)")
        return status == .exited(0)
      }

      /// Imports the keys, after a trial, with the commands of the page.
      func importKeys(status: MFATestSupport.ExitStatus = .exited(0)) throws {
        let commands = try examples("2. Import the keys")[old.index]
        try #require(commands.count == 2)
        let trial = try run([commands[0]], status: status)
        #expect(trial.contains("\(alice.name): would be imported as \"imported"), "\(trial)")
        #expect(machine.contents(of: StoreFiles(of: alice.name).record) == nil)
        let done = try run([commands[1]], status: status)
        #expect(done == trial.replacing("would be imported", with: "imported"))
      }

      /// Adds the new module, and confirms from a sign-in with `code` at both modules.
      func enable(code: String) throws {
        let commands = try examples("3. Add the new module")
        #expect(try run(commands[0]).contains("sshd: \(Self.path):"))
        let confirmation = try #require(commands[1].first)
        try #require(confirmation.hasPrefix("ssh -t host "))
        #expect(
          try signIn(
            alice, .ours(code), .theirs(code),
            command: String(confirmation.dropFirst("ssh -t host ".count))))
        #expect(ServiceFiles.waiting.isEmpty && ServiceFiles.enabled == ["sshd"])
      }

      /// Takes the old module out, and returns what doctor then reports.
      func takeOut() throws -> String {
        let commands = try examples("5. Take out the old module")[1]
        try #require(commands.count == 2)
        try run([commands[0]])
        let text = machine.text(of: Self.path)
        let active = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(!active.contains { $0.contains("google") || $0.contains("oath") }, "\(text)")
        #expect(!active.contains { $0.contains("mfa-moved") }, "\(text)")
        return try shell(commands[1]).text
      }

      /// Goes back from the last step. The service file then has the lines that it had at the start.
      func goBack() throws {
        try run(try examples("GOING BACK")[3])
        let text = machine.text(of: Self.path)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
          .filter { !$0.hasPrefix("#was: ") }
        #expect(lines.joined(separator: "\n") == String(decoding: service, as: UTF8.self))
        #expect(machine.contents(of: ServiceFiles.dropIn) == nil)
        #expect(ServiceFiles.enabled.isEmpty)
      }
    }

    @Test("from google-authenticator and back, with the same app, and no code twice")
    func googleAuthenticator() throws {
      let scene = try Scene(.googleAuthenticator, on: machine)
      let (alice, carol, codes) = (scene.alice, scene.carol, scene.codes)
      // The key of this user is counter-based, so it cannot be imported.
      let bob = try machine.addUser()
      try Scene.makeKey(of: bob, ["-c", "-W"])
      let bobsKey = try Scene.key(in: bob.home + "/.google_authenticator")
      let bobsCodes = try Command.succeed(
        ["/usr/bin/oathtool", "--hotp", "--base32", "--counter=1", "--window=3", "-"],
        input: Array((bobsKey + "\n").utf8)
      ).split(separator: "\n").map(String.init)

      // The old module alone.
      #expect(try scene.signIn(alice, .theirs(codes[0])))
      #expect(try !scene.signIn(alice, .theirs(codes[0])))
      #expect(try scene.signIn(bob, .theirs(bobsCodes[0])))
      #expect(try scene.signIn(carol))
      let found = try Self.run(try Self.examples("1. Take stock")[0])
      #expect(found.hasPrefix("/etc/pam.d/sshd:5:auth required"), "\(found)")

      try scene.importKeys(status: .exited(1))
      let lists = try #require(try Self.examples("2. Import the keys").last)
      let imported = try Self.run([lists[0]])
      #expect(imported.contains("\n\(alice.name) ") && !imported.contains(bob.name))
      let others = try Self.run([lists[1]])
      #expect(others.contains("\n\(bob.name) ") && others.contains("\n\(carol.name) "))
      #expect(!others.contains("\n\(alice.name) "), "\(others)")

      // Both modules. The code that the old one accepted before is used here too.
      try scene.enable(code: codes[1])
      #expect(try scene.signIn(bob, .theirs(bobsCodes[1])))
      #expect(try scene.signIn(carol))
      #expect(
        try scene.signIn(
          alice, .ours(codes[0]), .ours(codes[1]), .ours(codes[2]), .theirs(codes[2])))
      let again = try Self.run([try Self.examples("2. Import the keys")[0][1]], status: .exited(1))
      #expect(again.contains("\(alice.name): already present as \"imported\""), "\(again)")

      // The new module alone.
      let missing = try Self.examples("5. Take out the old module")[0]
      #expect(try Self.run(missing).contains("\n\(bob.name) "))
      let bobsNew = try machine.enroll(bob)
      #expect(try !Self.run(missing).contains("\n\(bob.name) "))
      let doctor = try scene.takeOut()
      #expect(doctor.contains("google-authenticator files of \(alice.name)"), "\(doctor)")
      #expect(!doctor.contains("error"), "\(doctor)")
      #expect(try scene.signIn(alice, .ours(codes[2]), .ours(codes[3])))
      #expect(try scene.signIn(bob, .ours(try bobsNew.phone.code())))
      #expect(try scene.signIn(carol))

      try scene.goBack()
      #expect(try scene.signIn(alice, .theirs(codes[4])))
      #expect(try scene.signIn(bob, .theirs(bobsCodes[2])))

      let removal = try Self.examples("REMOVING THE OLD KEYS")[0]
      try Self.run(removal)
      for user in [alice, bob] {
        #expect(machine.contents(of: user.home + "/.google_authenticator") == nil)
      }
      #expect(try !Self.shell("mfa-admin doctor").text.contains("google-authenticator files"))
      try Self.run(try Self.examples("GOING BACK")[0], for: alice.name)
      #expect(try machine.administer("show", alice.name).status == .exited(2))
    }

    @Test("from pam_oath, one user after the other, and back")
    func oath() throws {
      let scene = try Scene(.oath, on: machine)
      let (alice, carol, codes) = (scene.alice, scene.carol, scene.codes)
      let dave = try machine.addUser()
      let davesPhone = Authenticator(key: "MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43U")
      try machine.write(
        try machine.existingText(of: "/etc/users.oath")
          + "HOTP/T30/6 \(dave.name) - 6162636465666768696a6b6c6d6e6f7071727374\n",
        to: "/etc/users.oath", mode: "0600")
      let davesCodes = try davesPhone.codes(fromStep: davesPhone.step() + 2, count: 2)

      #expect(try scene.signIn(alice, .theirs(codes[0])))
      #expect(try !scene.signIn(alice, .theirs(codes[0])))
      #expect(try scene.signIn(carol))
      let found = try Self.run(try Self.examples("1. Take stock")[0])
      #expect(found.hasPrefix("/etc/pam.d/sshd:5:auth [user_unknown"), "\(found)")
      try scene.importKeys()
      try scene.enable(code: codes[1])

      // A group decides which module asks.
      let steps = try Self.examples("4. Ask only once, for users who have moved")
      let lines = try machine.existingText(of: Scene.path).split(
        separator: "\n", omittingEmptySubsequences: false
      ).map(String.init)
      let place = try #require(lines.firstIndex { $0.contains("pam_oath.so") })
      try machine.writeService(
        "sshd", Array(lines[..<place] + steps[0] + lines[place...].dropLast()))
      try machine.write(
        steps[1].map { $0 + "\n" }.joined(), to: "/etc/mfa/mfa.conf.d/50-moved.conf")
      machine.atTheEnd("remove the group") { _ = try Self.shell("groupdel mfa-moved") }
      try Self.run(steps[2], for: alice.name)
      #expect(try scene.signIn(alice, .ours(codes[1]), .ours(codes[2])))
      #expect(try scene.signIn(dave, .ours(davesCodes[0]), .theirs(davesCodes[0])))
      #expect(try scene.signIn(carol))
      try Self.run(["gpasswd --delete alice mfa-moved"], for: alice.name)
      #expect(try scene.signIn(alice, .ours(codes[3]), .theirs(codes[3])))
      try Self.run([steps[2][1]], for: alice.name)
      // Without a factor, a member of the group cannot sign in.
      try Self.run(["gpasswd --add alice mfa-moved"], for: carol.name)
      let session = try scene.server.signIn(carol.name, command: SecureShell.command)
      try session.answer("Password: ", with: carol.password)
      try session.expect("Type 1, 2 or 3: ")
      #expect(try session.interrupt() != .exited(0), "\(session.transcript)")
      try Self.run(["gpasswd --delete alice mfa-moved"], for: carol.name)

      let naming = try #require(try Self.examples("REMOVING THE OLD KEYS").last?.first)
      #expect(try Self.run([naming]) == "/etc/pam.d/sshd\n")
      let doctor = try scene.takeOut()
      #expect(!doctor.contains("error"), "\(doctor)")
      #expect(try Self.run([naming], status: .exited(1)) == "")
      #expect(try scene.signIn(alice, .ours(codes[3]), .ours(codes[4])))
      #expect(try scene.signIn(dave, .ours(davesCodes[0]), .ours(davesCodes[1])))
      #expect(try scene.signIn(carol))

      try scene.goBack()
      #expect(try scene.signIn(alice, .theirs(codes[4])))
      #expect(try scene.signIn(dave, .theirs(davesCodes[1])))

      try Self.run(try Self.examples("REMOVING THE OLD KEYS")[1])
      #expect(machine.contents(of: "/etc/users.oath") == nil)
    }

    @Test("the way back while both modules are in the stack restores the old files")
    func backFromBoth() throws {
      let scene = try Scene(.oath, on: machine)
      try scene.importKeys()
      try scene.enable(code: scene.codes[1])
      let enabled = try #require(machine.contents(of: Scene.path))
      let condition = try Self.examples("4. Ask only once, for users who have moved")[0]
      let lines = String(decoding: enabled, as: UTF8.self)
      let old = try #require(lines.range(of: "auth [user_unknown"))
      try machine.write(
        lines.replacingCharacters(in: old, with: condition[0] + "\nauth [user_unknown"),
        to: Scene.path)
      try Self.run(
        ["groupadd --system mfa-moved", "gpasswd --add alice mfa-moved"], for: scene.alice.name)
      machine.atTheEnd("remove the group") { _ = try Self.shell("groupdel mfa-moved") }
      let back = try Self.examples("GOING BACK")
      try Self.run(back[1])
      #expect(try scene.signIn(scene.alice, .ours(scene.codes[2]), .theirs(scene.codes[2])))
      try Self.run(back[2])
      #expect(try scene.signIn(scene.alice, .theirs(scene.codes[3])))
      #expect(machine.contents(of: ServiceFiles.dropIn) == nil)
    }

    @Test("with state = observe, the old module decides, and the log has the new one's result")
    func observed() throws {
      let scene = try Scene(.googleAuthenticator, on: machine)
      let (alice, codes) = (scene.alice, scene.codes)
      try machine.writeConfiguration("[project]\nstate = observe\n")
      try scene.importKeys()
      try scene.enable(code: codes[1])
      let start = try machine.log.position()
      #expect(try scene.signIn(alice, .ours(try scene.phone.wrongCode()), .theirs(codes[2])))
      let entry = try #require(try OneCode.logged(machine, since: start).first)
      #expect(entry.fields["result"] == "wrong" && entry.fields["state"] == "observe")
      #expect(try !scene.signIn(alice, .ours(codes[2]), .theirs(try scene.phone.wrongCode())))
    }

    @Test("after a key: the old module, both modules, the new one")
    func afterKey() throws {
      let blocks = try Self.examples("AFTER A KEY")
      let user = try machine.addUser()
      try Scene.makeKey(of: user)
      let phone = Authenticator(key: try Scene.key(in: user.home + "/.google_authenticator"))
      let codes = try phone.codes(fromStep: phone.step(), count: 4)
      let key = try machine.addLoginKey(for: user)
      try machine.keepServices()
      let original = try #require(machine.contents(of: Scene.path))
      let server = try PrivateServer(on: machine, settings: blocks[2])

      /// Signs in with a code for each question. Both modules ask with the same words.
      func expectSignIn(questions: Int, _ code: String) throws {
        let session = try server.signIn(
          user.name, command: SecureShell.command, key: key, options: SecureShell.once)
        for _ in 0..<questions {
          let before = try session.expect("Verification code: ")
          #expect(!before.contains("code: "), "\(session.transcript)")
          try session.send(code)
        }
        try SecureShell().expectEnd(.signedIn, session, user.name)
        #expect(!session.unseenText.contains("code: "), "\(session.transcript)")
      }
      func change(_ lines: [String]) throws {
        try machine.write(original, to: Scene.path)
        try machine.changeService("sshd", authentication: lines)
      }
      try change(blocks[0])
      try expectSignIn(questions: 1, codes[0])
      let refused = try machine.administer("enable", "sshd")
      #expect(refused.status == .exited(1))
      #expect(refused.errorText.contains("does not ask for a password"), "\(refused.errorText)")
      try Self.run(try Self.examples("2. Import the keys")[0])
      try change(blocks[1])
      try expectSignIn(questions: 2, codes[1])
      try change(Array(blocks[1].dropFirst()))
      try expectSignIn(questions: 1, codes[2])
    }

    @Test("a user replaces the imported key by a new one")
    func newKey() throws {
      let user = try machine.addUser()
      try Scene.makeKey(of: user)
      let old = Authenticator(key: try Scene.key(in: user.home + "/.google_authenticator"))
      try Self.run(try Self.examples("2. Import the keys")[0])
      let commands = try Self.examples("REMOVING THE OLD KEYS")[2]
      func start(_ line: String) throws -> TerminalSession {
        try TerminalSession(
          ["/usr/bin/env"] + line.split(separator: " ").map(String.init), as: user.identity)
      }
      func prove(_ session: TerminalSession, _ code: String) throws {
        try session.answer("Password: ", with: user.password)
        try session.answer("Code from a device you have already enrolled", with: code)
      }
      let enrolling = try start(commands[0])
      try prove(enrolling, try old.code(offset: 1))
      let phone = try enrolling.keyOnScreen().phone
      try enrolling.send(try phone.code(offset: -1))
      try enrolling.expect("'phone' was added.")
      #expect(try enrolling.waitForExit() == .exited(0), "\(enrolling.transcript)")
      #expect(try machine.administer("list", "--imported").text.contains("\n\(user.name) "))
      let removing = try start(commands[1])
      try removing.answer("[y/N]", with: "y")
      try prove(removing, try phone.code())
      #expect(try removing.waitForExit() == .exited(0), "\(removing.transcript)")
      #expect(!(try machine.administer("list", "--imported").text.contains("\n\(user.name) ")))
    }

    @Test("root imports the key of root")
    func root() throws {
      let root = MachineUser(name: "root", password: "")
      machine.atTheEnd("remove root's factors") { try machine.forget(root) }
      try machine.write(
        "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP\n\" TOTP_AUTH\n",
        to: "/root/.google_authenticator", mode: "0600")
      let line = try #require(try Self.examples("2. Import the keys")[2].first)
      let session = try TerminalSession(
        ["/usr/bin/env"] + line.split(separator: " ").map(String.init),
        environment: ["HOME": "/root"])
      try session.expect("'phone' was added, with the key that your app already has.")
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      #expect(try machine.administer("list", "--imported").text.contains("\nroot "))
    }

    @Test("the loop over hosts stops at the first host that reports an error")
    func manyHosts() throws {
      let user = try machine.addUser()
      try Scene.makeKey(of: user)
      try machine.write(
        """
        #!/bin/sh
        echo "$1" >>calls
        [ "$1" != root@two ] || exit 1
        shift
        exec "$@"

        """, to: machine.folder + "/bin/ssh", mode: "0755")
      try machine.write("one\ntwo\nthree\n", to: machine.folder + "/hosts")
      let loop = try Self.examples("MANY HOSTS")[0].joined(separator: "\n")
      let done = try Self.shell(loop, path: machine.folder + "/bin:", directory: machine.folder)
      #expect(
        done.text
          == "\(user.name): imported as \"imported\"; 5 recovery codes imported, 26 bits: "
          + "replace them\n")
      #expect(machine.contents(of: machine.folder + "/calls") == Array("root@one\nroot@two\n".utf8))
    }

    @Test("in common-auth, pam_oath keeps users from enrolling")
    func commonStack() throws {
      let user = try machine.addUser()
      let phone = Authenticator(key: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
      try machine.write(
        "HOTP/T30/6 \(user.name) - 3132333435363738393031323334353637383930\n",
        to: "/etc/users.oath", mode: "0600")
      let path = "/etc/pam.d/common-auth"
      let text = try machine.existingText(of: path)
      try machine.write(text + (try Self.examples("1. Take stock")[2].joined()) + "\n", to: path)
      let session = try user.startEnroll("--name", "phone")
      try session.answer("Password: ", with: user.password)
      try session.answer(Old.oath.prompt(for: user.name), with: try phone.code())
      try session.expect("Wrong password.")
      #expect(try session.interrupt() != .exited(0), "\(session.transcript)")
      #expect(machine.contents(of: StoreFiles(of: user.name).record) == nil)
    }

    @Test("password and code in one answer, before and after")
    func onePrompt() throws {
      let blocks = try Self.examples("CLIENTS WITH ONE PROMPT")
      let user = try machine.addUser()
      try Scene.makeKey(of: user)
      let phone = Authenticator(key: try Scene.key(in: user.home + "/.google_authenticator"))
      let codes = try phone.codes(fromStep: phone.step(), count: 3)
      let settings = try Guide.blocks(under: "ssh: clients with one prompt")[1]
      try machine.keepServices()
      let original = try #require(machine.contents(of: Scene.path))
      let server = try PrivateServer(on: machine, settings: settings)
      func expectSignIn(_ code: String, _ end: SecureShell.End = .signedIn) throws {
        let session = try server.signIn(
          user.name, command: SecureShell.command, options: SecureShell.once)
        try session.answer("password: ", with: user.password + code)
        try SecureShell().expectEnd(end, session, user.name)
      }
      try machine.changeService("sshd", authentication: blocks[0])
      try expectSignIn(codes[0])
      try Self.run(try Self.examples("2. Import the keys")[0])
      try machine.write(original, to: Scene.path)
      try machine.changeService("sshd", authentication: blocks[1])
      try expectSignIn(codes[0], .refused)
      try expectSignIn(codes[1])
      try expectSignIn(codes[1], .refused)
      try expectSignIn("", .refused)
    }

    @Test("the guide's commands are those of the page")
    func guide() throws {
      let page = try [
        "2. Import the keys", "3. Add the new module", "5. Take out the old module",
      ].flatMap { try Self.examples($0) }.joined()
      let lines = try ["Import the keys and add the module", "Take out the old module"].flatMap {
        try Guide.blocks(under: $0, in: "packaging/doc/migration.md").joined()
      }
      #expect(lines.count == 7)
      for line in lines {
        // The guide names a user, and has no users to ask only once.
        let command = String(line.trimmingPrefix("sudo ")).replacing("alice@", with: "")
          .replacing("pam_oath/", with: "pam_oath|mfa-moved/")
        #expect(page.contains(command), "\(line)")
      }
    }
  }
}
