import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// Tests of the test support itself with Debian's own modules, so that a failing test means a
  /// fault in the product.
  @Suite struct Harness {
    /// A stack of Debian's modules: the password, then a code of google-authenticator.
    static let twoSteps = [
      "auth requisite pam_unix.so",
      "auth required pam_google_authenticator.so",
      "account required pam_unix.so",
      "session required pam_unix.so",
    ]

    static let phone = Authenticator(key: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")

    func enroll(_ user: MachineUser, on machine: Machine) throws {
      try machine.write(
        "\(Self.phone.key)\n\" WINDOW_SIZE 17\n\" DISALLOW_REUSE\n\" TOTP_AUTH\n",
        to: user.home + "/.google_authenticator", owner: user.name, group: user.name, mode: "0600")
    }

    @Test func aCommandHasItsInputOutputAndStatus() throws {
      let command = try Command.run(
        ["/bin/sh", "-c", "cat; echo bad >&2; echo $NAME; ls /proc/self/fd; exit 7"],
        input: Array("in\0put ".utf8), environment: ["NAME": "value"])
      #expect(command.status == .exited(7))
      #expect(command.output.starts(with: Array("in\0put value\n0\n1\n2\n3\n".utf8)))
      #expect(command.errorText == "bad\n")
      #expect(try Command.run(["/bin/sh", "-c", "kill -9 $$"]).status == .killed(signal: 9))
      #expect(throws: HarnessFailure.self) {
        try Command.run(["/bin/sleep", "100"], deadline: .after(seconds: 0))
      }
      #expect(throws: HarnessFailure.self) { try Command.run(["/no/such/program"]) }
    }

    @Test func changesOfATestAreUndone() throws {
      struct Stop: Error {}
      let shells = try Command.succeed(["/bin/cat", "/etc/shells"])
      var name = ""
      #expect(throws: Stop.self) {
        try Machine.change { machine in
          name = try machine.addUser().name
          try machine.write("nothing", to: "/etc/shells", mode: "0600")
          try machine.write("new", to: "/etc/mfa-test/new")
          throw Stop()
        }
      }
      #expect(try Command.succeed(["/bin/cat", "/etc/shells"]) == shells)
      #expect(try Command.succeed(["/usr/bin/stat", "-c", "%a", "/etc/shells"]) == "644\n")
      #expect(try !Command.run(["/usr/bin/test", "-e", "/etc/mfa-test/new"]).status.isSuccess)
      #expect(try !Command.run(["/usr/bin/id", name]).status.isSuccess)
    }

    @Test func aFolderIsRestoredAlthoughAProcessCreatesItAgain() throws {
      let folder = "/etc/mfa-test-folder"
      try machine.write("old", to: folder + "/file")
      machine.atTheEnd("remove \(folder)") { try Command.succeed(["/bin/rm", "-rf", folder]) }
      // It creates the folder so often that it does so before the copy is put back, too.
      let creator = try ChildProcess([
        "/usr/bin/python3", "-c",
        """
        import os
        while True:
            try: os.mkdir("\(folder)")
            except FileExistsError: pass
        """,
      ])
      try withExtendedLifetime(creator) {
        for _ in 0..<10 {
          try Machine.change { machine in try machine.remove(folder) }
          #expect(try Command.succeed(["/bin/ls", folder]) == "file\n")
        }
      }
    }

    @Test func theLogKeepsOrderAndPriorities() throws {
      let start = try machine.log.position()
      for number in 0..<40 {
        try Command.succeed([
          "/usr/bin/logger", "-u", "/dev/log", "-p", "authpriv.notice", "-t", "test",
          "number=\(number) of=\"many\"",
        ])
      }
      let entries = try machine.log.entries(since: start)
      #expect(entries.map { $0.fields["number"] } == (0..<40).map { "\($0)" })
      #expect(entries.allSatisfy { $0.facility == 10 && $0.severity == 5 })
      #expect(throws: HarnessFailure.self) {
        try machine.log.waitForEntry(
          containing: "never said", since: start, until: .after(seconds: 0))
      }
    }

    @Test func theClientReportsQuestionsAndResults() throws {
      let user = try machine.addUser()
      try enroll(user, on: machine)
      let service = try machine.makeService(Self.twoSteps)
      var options = PAMClient.Options()
      options.asksAccount = true
      options.setsCredentials = true
      options.opensSession = true
      options.startsOpenSSL = true
      options.observedFile = "pam_google_authenticator.so"
      options.remoteHost = "192.0.2.7"
      let start = try machine.log.position()
      let code = try Self.phone.code()
      let outcome = try PAMClient.signIn(
        service: service, user: user.name, answers: [.text(user.password), .text(code)],
        options: options)
      #expect(outcome.code == "PAM_SUCCESS", "\(outcome)")
      #expect(
        outcome.results.map(\.call) == [
          "authenticate", "account", "setcred", "open-session", "close-session",
        ])
      #expect(outcome.prompts == ["Password: ", "Verification code: "])
      #expect(outcome.isScriptUsedUp)
      #expect(outcome.states.map(\.isMapped) == [false, true, false])
      #expect(outcome.states.map(\.threads) == [1, 1, 1])
      #expect(outcome.user == user.name)
      #expect(outcome.states.allSatisfy { $0.caughtSignals == String(repeating: "0", count: 16) })
      _ = try machine.log.waitForEntry(containing: "session opened for user", since: start)

      let again = try user.signIn(to: service, typing: user.password, code)
      #expect(again.code == "PAM_AUTH_ERR", "\(again)")
    }

    /// RFC 6238, appendix B.
    @Test func theAuthenticatorGivesTheRightCodes() throws {
      let key = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
      let phone = Authenticator(key: key, digits: 8)
      #expect(try phone.codes(fromStep: 1, count: 2) == ["94287082", "37359152"])
      #expect(phone.step(at: Date(timeIntervalSince1970: 1_111_111_109)) == 37_037_036)
      #expect(try phone.codes(fromStep: 37_037_036, count: 1) == ["07081804"])
      let scanned = try Authenticator(
        url: "otpauth://totp/Host:ann?secret=\(key)&issuer=Host&algorithm=SHA256&digits=7&period=60"
      )
      #expect(scanned.algorithm == .sha256 && scanned.digits == 7 && scanned.period == 60)
      let near = try scanned.codes(fromStep: scanned.step() - 3, count: 7)
      let wrong = try scanned.wrongCodes(count: 64)
      #expect(Set(wrong).count == 64 && wrong.allSatisfy { $0.count == 7 && !near.contains($0) })
      #expect(throws: HarnessFailure.self) { try Authenticator(url: "https://example.org/") }
    }

    @Test func clientLinksOnlyPAMAndLibc() throws {
      let needed = try Command.succeed(["/usr/bin/readelf", "-d", try PAMClient.path()])
        .matches(of: /\(NEEDED\).*\[(.+)\]/).map { String($0.output.1) }
      #expect(needed == ["libpam.so.0", "libc.so.6"])
    }

    @Test func terminalRecordsTranscript() throws {
      let session = try TerminalSession(
        [
          "/bin/sh", "-c",
          "stty size; printf 'name? '; read name; echo \"<$name>\"; exec sleep 100",
        ],
        rows: 33, columns: 77)
      try session.expect("33 77")
      try session.answer("name? ", with: "Zoë")
      let match = try session.expect(matching: /<(.+)>/)
      #expect(match.output.1 == "Zoë")
      let error = #expect(throws: HarnessFailure.self) {
        try session.expect("more", until: .after(seconds: 0))
      }
      #expect(error?.description.contains("name? «\"Zoë\\r\"»") == true)
      try session.sendKeys([3])
      #expect(try session.waitForExit() == .killed(signal: 2))
      #expect(throws: HarnessFailure.self) { try session.expect("more") }
    }
  }
}
