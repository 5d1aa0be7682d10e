import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// What mfa-enroll offers users beyond the necessary: a new phone, recovery codes to keep, and short ways.
  @Suite struct EnrollReplacement {
    static let program = "/usr/bin/mfa-enroll"

    @Test(
      "one command replaces a device, with a code of it or with a recovery code",
      arguments: [true, false])
    func replacement(isLost: Bool) throws {
      let (user, enrollment, service) = try machine.addSignIn()
      var proof = try enrollment.phone.code()
      if isLost {
        let codes = try Command.succeed(
          [Self.program, "recovery-codes", "--new", "--stdin"],
          input: Array("\(user.password)\n\(proof)\n".utf8), as: user.identity)
        proof = try String(#require(codes.firstMatch(of: Recovery.code)).output.0)
      }
      let session = try user.startEnroll("replace", "--name", "new phone")
      try session.expect("'phone' is removed when the new device works.")
      try session.answer("Password: ", with: user.password)
      let other = isLost ? " or a recovery code" : ""
      try session.answer("Code from a device you have already enrolled\(other): ", with: proof)
      let phone = try session.keyOnScreen().phone
      try session.send(try phone.wrongCode())
      try session.answer("Code from the app: ", with: try phone.code(offset: -1))
      try session.expect("'new phone' was added.")
      try session.expect("'phone' was removed.")
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      #expect(session.text.ranges(of: "Password: ").count == 1)
      #expect(try user.mustEnroll("list", "--names") == "new phone\n")
      let old = try user.signIn(to: service, typing: try enrollment.phone.code(offset: 1))
      #expect(old.code != "PAM_SUCCESS", "\(old)")
      let new = try user.signIn(to: service, typing: try phone.code())
      #expect(new.code == "PAM_SUCCESS", "\(new)")
    }

    @Test("a replacement that is interrupted changes nothing")
    func interruptedReplacement() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let session = try user.startEnroll("replace", "--name", "new phone")
      try session.answer("Password: ", with: user.password)
      try session.answer("already enrolled: ", with: try enrollment.phone.code())
      try session.expect("Code from the app: ")
      try session.sendKeys([3])
      try session.expect("Nothing was added.")
      _ = try session.waitForExit()
      #expect(try user.mustEnroll("list", "--names") == "phone\n")
    }

    @Test("recovery codes can be saved while they are shown, each time in a new file")
    func saved() throws {
      let user = try machine.addUser()
      let session = try user.startEnroll("--name", "phone")
      try session.answer("Password: ", with: user.password)
      try session.send(try session.keyOnScreen().phone.code(offset: -1))
      let shown = try session.expect("save in a file): ")
      try session.send("s")
      let path = try String(
        session.expect(matching: /saved in ([^\s]+recovery-codes-[^\s]+)\./).output.1)
      try session.answer("save in a file): ", with: "x")
      try session.answer("save in a file): ", with: "S")
      try session.expect("-2")
      try session.answer("save in a file): ", with: "")
      try session.expect("Done.")
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      for file in [path, path + "-2"] {
        let status = try Command.succeed(["/usr/bin/stat", "-c", "%U %a", file])
        #expect(status == "\(user.name) 600\n")
        let codes = machine.text(of: file).matches(of: Recovery.code).map { String($0.output.0) }
        #expect(codes.count == 10 && codes.allSatisfy { shown.contains($0) })
      }
    }

    @Test("the list says when a device was last used, and a test names account and device")
    func lastUse() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let session = try user.startEnroll("test")
      try session.expect("Account: \(user.name) on ")
      try session.answer("Code from the app: ", with: try enrollment.phone.code())
      try session.expect("Correct: a code of 'phone'. It can't be used again.")
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      let list = try user.mustEnroll("list")
      let today = try Command.succeed(["/bin/date", "+%F"]).trimmingCharacters(
        in: .whitespacesAndNewlines)
      #expect(list.contains("LAST USED") && list.ranges(of: today).count == 2, "\(list)")
      let json = try user.mustEnroll("list", "--json")
      #expect(json.contains("\"lastUseDate\":\""), "\(json)")
    }

    @Test("an answer that is much too long is no code, on the screen and without one")
    func longAnswer() throws {
      let user = try machine.addUser()
      for environment in [[:], ["TERM": "dumb"]] {
        let session = try TerminalSession(
          [Self.program, "--name", "phone"], as: user.identity, environment: environment)
        try session.answer("Password: ", with: user.password)
        try session.answer("Code from the app: ", with: String(repeating: "1", count: 600))
        try session.expect("That is not a code.")
        try session.expect("Code from the app: ")
        try session.sendKeys([3])
        try session.expect("Nothing was added.")
        _ = try session.waitForExit()
      }
    }

    @Test("Ctrl-C while the password is verified says only that nothing was added")
    func interruptedVerification() throws {
      let user = try machine.addUser()
      for _ in 1...3 {
        let session = try user.startEnroll("--name", "phone")
        // The answer and the key arrive together.
        try session.expect("Password: ")
        try session.sendKeys(Array("wrong\r\u{3}".utf8))
        try session.expect("Nothing was added.")
        #expect(try session.waitForExit() == .killed(signal: 2), "\(session.transcript)")
        #expect(!session.text.contains("helper"), "\(session.transcript)")
      }
    }

    @Test("options precede a command, and misuse is explained in the user's language")
    func commandLine() throws {
      let (user, _) = try machine.addEnrolledUser()
      let json = try user.mustEnroll("--json", "list")
      #expect(json.contains("\"result\":\"factors\""), "\(json)")
      let help = try user.mustEnroll("--help", "list")
      #expect(help.contains("USAGE: mfa-enroll list"), "\(help)")
      let misuse = try Command.run(
        [Self.program, "rename", "phone"], as: user.identity, environment: ["LC_ALL": "fr_FR.UTF-8"]
      )
      #expect(misuse.status == .exited(64))
      for text in ["L\u{2019}argument <name> manque.\n", "mfa-enroll rename --help\n"] {
        #expect(misuse.errorText.contains(text), "\(misuse.errorText)")
      }
    }

    @Test("bash completes options, and names with spaces")
    func completion() throws {
      let user = try machine.addUser()
      _ = try machine.enroll(user, named: "old phone")
      func completions(_ words: String...) throws -> String {
        let script = """
          . /usr/share/bash-completion/completions/mfa-enroll
          COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*"
          COMP_POINT=${#COMP_LINE} COMP_TYPE=9
          _mfa-enroll mfa-enroll "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
          printf '%s\\n' "${COMPREPLY[@]}"
          """
        return try Command.succeed(
          ["/bin/bash", "-c", script, "bash", "mfa-enroll"] + words, as: user.identity)
      }
      for command in ["unenroll", "resync", "replace", "rename"] {
        #expect(try completions(command, "old").contains("old phone\n"), "\(command)")
      }
      #expect(try completions("enroll", "--al") == "--algorithm\n")
      #expect(try completions("repl") == "replace\n")
      // The command that the program carries out without one.
      #expect(try completions("--al") == "--algorithm\n")
      #expect(try completions("--user", "root", "unenroll", "--js") == "--json\n")
    }
  }
}
