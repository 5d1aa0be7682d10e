import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// A mistake in the configuration or in a service file denies every sign-in.
  @Suite struct BadConfiguration {
    struct Row: Sendable, CustomTestStringConvertible {
      let title: String
      let text: String
      /// The line that the log names.
      let line: Int
      var testDescription: String { "\(title)" }
    }

    static let texts = [
      Row(title: "an unknown key", text: "[project]\nstat = enabled\n", line: 2),
      Row(title: "a key before any section", text: "state = enabled\n", line: 1),
      Row(title: "a capitalised value", text: "[project]\nstate = Disabled\n", line: 2),
      Row(
        title: "a longest wait below the first wait",
        text: "[project]\nthrottle_first_wait = 10m\nthrottle_longest_wait = 5m\n", line: 3),
      Row(
        title: "a line that is too long",
        text: "#" + String(repeating: "x", count: 2000), line: 1),
      Row(
        title: "a file that is too long",
        text: String(repeating: "# comment\n", count: 8000), line: 0),
      Row(title: "a control character", text: "[project]\n\u{1b}[2J\n", line: 2),
      Row(title: "a byte order mark", text: "\u{feff}[project]\n", line: 1),
    ]

    @Test("a mistake denies sign-ins, and the log names the file and line")
    func mistakes() throws {
      let (user, enrollment, service) = try machine.addSignIn()
      let stranger = try machine.addUser()
      let code = try enrollment.phone.code()
      for row in Self.texts {
        try machine.writeConfiguration(row.text)
        // This includes users without a factor, and the account line.
        for name in [user.name, stranger.name] {
          let start = try machine.log.position()
          let outcome = try PAMClient.signIn(service: service, user: name, answers: [.text(code)])
          #expect(outcome.code == "PAM_AUTH_ERR", "\(row.testDescription): \(outcome)")
          let entries = try OneCode.logged(machine, since: start)
          let fields = entries.first?.fields ?? [:]
          #expect(entries.count == 1, "\(row.testDescription): \(entries)")
          #expect(fields["result"] == "error", "\(row.testDescription): \(entries)")
          #expect(fields["part"] == "configuration", "\(row.testDescription): \(entries)")
          #expect(fields["file"] == "/etc/mfa/mfa.conf", "\(row.testDescription): \(entries)")
          #expect(fields["line"] == "\(row.line)", "\(row.testDescription): \(entries)")
        }
      }
    }

    struct Spoilt: Sendable, CustomTestStringConvertible {
      let command: String
      let reason: String
      var testDescription: String { "\(command)" }
    }

    static let files = [
      Spoilt(command: "rm $c", reason: ""),
      Spoilt(command: "chmod 0666 $c", reason: "wrong-permissions"),
      Spoilt(command: "chmod 0664 $c", reason: "wrong-permissions"),
      Spoilt(command: "chown mfa $c", reason: "wrong-owner"),
      Spoilt(command: "mv $c $c.away; ln -s $c.away $c", reason: "symbolic-link"),
      Spoilt(command: "rm $c; mkdir $c", reason: "not-a-regular-file"),
      Spoilt(command: "rm $c; mkfifo $c", reason: "not-a-regular-file"),
      Spoilt(command: "chmod 0777 /etc/mfa", reason: "wrong-permissions"),
      Spoilt(command: "chown mfa /etc/mfa", reason: "wrong-owner"),
    ]

    @Test("a configuration file that users other than root could have written denies sign-ins")
    func distrusted() throws {
      let (user, enrollment, service) = try machine.addSignIn()
      for row in Self.files {
        try Command.succeed(["/bin/cp", "-a", "/etc/mfa", machine.folder + "/saved"])
        try Command.succeed(["/bin/sh", "-c", "c=/etc/mfa/mfa.conf; " + row.command])
        let start = try machine.log.position()
        let outcome = try user.signIn(to: service, typing: try enrollment.phone.code())
        #expect(outcome.code == "PAM_AUTH_ERR", "\(row.testDescription): \(outcome)")
        let entries = try OneCode.logged(machine, since: start)
        #expect(entries.first?.fields["part"] == "configuration", "\(row.testDescription)")
        #expect(entries.first?.fields["reason"] ?? "" == row.reason, "\(row.testDescription)")
        #expect(entries.count == 1, "\(row.testDescription)")
        try Command.succeed([
          "/bin/sh", "-c", "rm -rf /etc/mfa && mv \(machine.folder)/saved /etc/mfa",
        ])
      }
    }

    struct Line: Sendable, CustomTestStringConvertible {
      let arguments: String
      let reason: String
      var testDescription: String { "\(arguments)" }
    }

    static let argumentRows = [
      Line(arguments: "nullok", reason: "unknown-argument"),
      Line(arguments: "Echo", reason: "unknown-argument"),
      Line(arguments: "echo=1", reason: "unknown-argument"),
      Line(arguments: "echo echo", reason: "repeated-argument"),
      Line(arguments: "try_first_pass use_first_pass", reason: "try_first_pass-and-use_first_pass"),
      Line(arguments: "config=mfa.conf", reason: "not-an-absolute-path"),
      Line(arguments: "config=", reason: "not-an-absolute-path"),
      Line(arguments: "config=/etc/../etc/mfa/mfa.conf", reason: "not-an-absolute-path"),
      Line(arguments: "config=/etc/mfa/other.conf", reason: ""),
    ]

    @Test("an unknown argument in the service's line denies sign-ins", arguments: argumentRows)
    func badArguments(row: Line) throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let service = try machine.makeService([OneCode.stack[0] + " " + row.arguments])
      let start = try machine.log.position()
      let outcome = try user.signIn(to: service, typing: try enrollment.phone.code())
      #expect(outcome.code == "PAM_AUTH_ERR", "\(outcome)")
      let entries = try OneCode.logged(machine, since: start)
      #expect(entries.map { $0.fields["result"] } == ["error"])
      #expect(entries.first?.fields["reason"] ?? "" == row.reason, "\(entries)")
    }
  }

  /// The installed mfa.conf, while an administrator removes the # from its settings.
  @Suite struct Template {
    @Test("no setting of mfa.conf denies sign-ins without its #, alone or with all others")
    func settingsWithoutTheirNumberSign() throws {
      let path = Checkout.folder + "/packaging/mfa.conf"
      let lines = try String(contentsOfFile: path, encoding: .utf8)
        .split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
      let tenants = lines.firstIndex { $0.hasPrefix("# [tenant ") } ?? lines.endIndex
      let settings = lines.indices.filter {
        lines[$0].contains(/^# ([a-z_]+ = |\[(tenant|daemon) )/)
      }
      let alone = settings.filter { $0 < tenants }
      #expect(alone.count >= 16)

      let (user, enrollment) = try machine.addEnrolledUser()
      let stranger = try machine.addUser()
      let service = try machine.makeService([
        OneCode.stack[0], "auth required pam_permit.so", OneCode.stack[1],
      ])
      for changed in alone.map({ [$0] }) + [alone, settings] {
        var text = lines
        for line in changed { text[line].removeFirst(2) }
        try machine.writeConfiguration(text.joined(separator: "\n"))
        let outcome = try stranger.signIn(to: service)
        #expect(outcome.code == "PAM_SUCCESS", "\(text[changed[0]]): \(outcome)")
      }
      let outcome = try user.signIn(to: service, typing: try enrollment.phone.code())
      #expect(outcome.code == "PAM_SUCCESS", "\(outcome)")
    }
  }
}
