import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// Sign-ins in which nothing but a code can prove who the user is: what real sign-ins do, and what the
  /// tools say.
  @Suite struct UnprovenSignIns {
    private static let dropIn = "/etc/ssh/sshd_config.d/00-mfa.conf"
    private static let keyboard = "AuthenticationMethods keyboard-interactive"

    struct Row: Sendable, CustomTestStringConvertible {
      let number: Int
      /// Settings of sshd, in which USER stands for the user who has not enrolled.
      let settings: [String]
      /// Whether the client has a key.
      var hasKey = false
      /// Whether a user who has not enrolled signs in.
      let isOpen: Bool
      /// Whether doctor must report the settings.
      let isFinding: Bool
      var testDescription: String { "row \(number)" }
    }

    static let rows = [
      Row(number: 1, settings: [keyboard], isOpen: false, isFinding: true),
      Row(
        number: 2, settings: ["PasswordAuthentication yes", "AuthenticationMethods password"],
        isOpen: false, isFinding: true),
      Row(
        number: 3,
        settings: [
          "PasswordAuthentication yes", "AuthenticationMethods publickey,keyboard-interactive",
          "Match User USER", "AuthenticationMethods password",
        ], isOpen: false, isFinding: true),
      Row(
        number: 4, settings: ["AuthenticationMethods publickey,keyboard-interactive"], hasKey: true,
        isOpen: true, isFinding: false),
      Row(
        number: 5, settings: ["AuthenticationMethods publickey,keyboard-interactive"],
        isOpen: false, isFinding: false),
      // sshd tells PAM what it has verified only for keyboard-interactive.
      Row(
        number: 6,
        settings: ["PasswordAuthentication yes", "AuthenticationMethods publickey,password"],
        hasKey: true, isOpen: false, isFinding: false),
      Row(
        number: 7, settings: ["AuthenticationMethods keyboard-interactive,publickey"], hasKey: true,
        isOpen: false, isFinding: false),
    ]

    @Test(
      "with the lines for a key and then a code, nobody signs in by ssh without anything",
      arguments: rows)
    func nothingProven(row: Row) throws {
      try Doctor.setUp(machine)
      let lines = try Guide.blocks(under: "ssh: a key, then a code")[0]
      let login = try Guide.blocks(under: "ssh: the password, then a code")[0]
      let before = machine.text(of: "/etc/pam.d/sshd")
      try machine.write(
        before.replacing(login.joined(separator: "\n"), with: lines.joined(separator: "\n")),
        to: "/etc/pam.d/sshd")
      let stranger = try machine.addUser()
      let key = try machine.addLoginKey(for: stranger)
      let settings = row.settings.map { $0.replacing("USER", with: stranger.name) }
      // Debian's sshd_config has `no`.
      let interactive = ["KbdInteractiveAuthentication yes"]
      try machine.write((interactive + settings).map { $0 + "\n" }.joined(), to: Self.dropIn)
      let server = try PrivateServer(
        on: machine,
        settings: ["PermitRootLogin yes", "Include /etc/ssh/sshd_config.d/*.conf"])
      let start = try machine.log.position()
      for name in row.hasKey ? [stranger.name] : ["root", stranger.name] {
        let session = try server.signIn(
          name, command: "echo uid=$(id -un)", key: row.hasKey ? key : nil,
          options: ["NumberOfPasswordPrompts=1"])
        let texts = ["assword: ", "uid=", "Permission denied", "Press Enter: "]
        var seen = try session.expectOne(of: texts)
        if seen.index == 3 {
          try session.send("")
          seen = try session.expectOne(of: texts)
        }
        if seen.index == 0 { try session.send("not the password") }
        let isOpen = try session.waitForExit() == .exited(0)
        #expect(isOpen == row.isOpen, "\(name): \(session.transcript) \(server.log)")
      }
      let logged = try machine.log.entries(since: start)
      let isNamed = logged.contains { $0.fields["reason"] == "first-factor-missing" }
      // Without a key where one is required, sshd does not call PAM.
      #expect(isNamed == (!row.isOpen && row.number != 5), "\(logged)")

      let command = try Doctor.examine(["--json"])
      let found = try Doctor.found(command).filter { $0.contains("first-factor-missing") }
      #expect(found.isEmpty != row.isFinding, "\(command.text)")
      let check = try Doctor.examine(["--prometheus"], command: "check").text
      #expect(
        check.contains("mfa_service_asks_for_code{service=\"sshd\"} \(row.isFinding ? 0 : 1)\n"),
        "\(check)")
      let readiness = try machine.administer("readiness", "--json")
      #expect(
        readiness.text.contains("no key and no password is required over ssh") == row.isFinding,
        "\(readiness.text)")
      #expect(!row.isFinding || readiness.status == .exited(1), "\(readiness.text)")
      let explanation = try machine.administer(
        "explain", "--user", stranger.name, "--service", "sshd", "--rhost", "127.0.0.1")
      // A user without a key is denied by sshd in row 5.
      let isDenied =
        explanation.text.contains("denied: sshd has verified nothing")
        || explanation.text.contains("denied: no way into sshd is left")
      #expect(isDenied == (!row.isOpen && row.number != 5), "\(explanation.text)")
    }

    @Test("su and login that ask for a code alone are errors", arguments: ["su", "login"])
    func otherServices(service: String) throws {
      try Doctor.setUp(machine)
      let root = service == "su" ? ["auth sufficient pam_rootok.so"] : []
      try machine.writeService(
        service,
        root + [
          "auth required pam_mfa.so", "auth required pam_permit.so",
          "account required pam_mfa.so", "account required pam_permit.so",
        ])
      let stranger = try machine.addUser()
      let outcome = try stranger.signIn(to: service)
      #expect(outcome.code == "PAM_SUCCESS" && outcome.prompts.isEmpty, "\(outcome)")
      let command = try Doctor.examine(["--json"])
      #expect(
        try Doctor.found(command)
          == ["error first-factor-missing /etc/pam.d/\(service):\(root.count + 1)"],
        "\(command.text)")
      let check = try Doctor.examine(["--prometheus"], command: "check").text
      #expect(check.contains("mfa_service_asks_for_code{service=\"\(service)\"} 0\n"), "\(check)")
      let readiness = try machine.administer("readiness")
      let missing = readiness.text.split(separator: "\n").first {
        $0.contains("no first factor: ")
      }
      #expect(
        readiness.status == .exited(1)
          && missing?.contains("/etc/pam.d/\(service):\(root.count + 1): ") == true,
        "\(readiness.text) \(readiness.errorText)")
      let report = try machine.administer("report")
      // The report is wrapped.
      #expect(report.text.contains("with a code alone"), "\(report.text)")
      let explanation = try machine.administer(
        "explain", "--user", stranger.name, "--service", service)
      #expect(explanation.text.contains("with a code alone"), "\(explanation.text)")
    }

    /// Settings of sshd in which something is wrong.
    private static let mistakes = [
      ["UsePAM no"], ["UsePAM yes", "KbdInteractiveAuthentication no"], ["UsePAM yes"],
      ["UsePAM yes", "AuthenticationMethods publickey"],
      ["UsePAM yes", "AuthenticationMethods keyboard-interactive"],
      ["UsePAM yes", "PasswordAuthentication yes", "AuthenticationMethods password"],
    ]

    /// The findings about sign-ins without a code or without a first factor, and about prompts that
    /// cannot be shown.
    private static let codes = [
      "first-factor-missing", "methods-without-code", "use-pam-off", "keyboard-interactive-off",
    ]

    @Test(
      "each setting that a hint proposes leads to ways that doctor accepts",
      arguments: CorpusHost.all + [
        CorpusHost(
          "a key, then a code", lines: "auth required pam_mfa.so\nauth required pam_permit.so"),
        CorpusHost("a code alone", lines: "auth required pam_mfa.so"),
      ])
    func hints(host: CorpusHost) throws {
      for name in HostCorpus.standIns { try HostCorpus.install(name, machine) }
      let service = try host.install(on: machine)
      try machine.write(machine.contents(of: "/etc/pam.d/\(service)") ?? [], to: "/etc/pam.d/sshd")
      for mistake in Self.mistakes {
        try machine.write(mistake.map { $0 + "\n" }.joined(), to: Self.dropIn)
        for proposal in Set(try Self.findings().flatMap { Self.proposals(in: $0.hint) }) {
          // sshd uses the first value of each setting.
          try machine.write((proposal + mistake).map { $0 + "\n" }.joined(), to: Self.dropIn)
          let left = try Self.findings().filter { $0.severity == "error" }
          #expect(left.isEmpty, "\(mistake): \(proposal): \(left)")
        }
      }
    }

    private struct Found {
      let severity: String
      let code: String
      let hint: String
    }

    /// Returns the findings about sshd with one of `codes`.
    private static func findings() throws -> [Found] {
      let command = try Command.run(["/usr/sbin/mfa-admin", "doctor", "--json"])
      let json = try #require(
        try JSONSerialization.jsonObject(with: Data(command.output)) as? [String: Any],
        "\(command)")
      return try #require(json["findings"] as? [[String: Any]])
        .filter { ($0["services"] as? [String])?.contains("sshd") == true }
        .map {
          Found(
            severity: $0["severity"] as? String ?? "", code: $0["finding"] as? String ?? "",
            hint: $0["hint"] as? String ?? "")
        }.filter { codes.contains($0.code) }
    }

    /// Returns the alternatives of a hint, each a list of settings of sshd that belong together.
    private static func proposals(in hint: String) -> [[String]] {
      hint.split(separator: " or, ").map { part in
        part.matches(of: /"([A-Z][A-Za-z]+ [^"]+)"/).map { String($0.1) }
      }.filter { !$0.isEmpty }
    }
  }
}
