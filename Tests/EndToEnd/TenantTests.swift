import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// Tenants, through a real sshd that verifies a key first.
  @Suite struct Tenants {
    static let project = "[project]\nstate = disabled\n"

    /// A machine with a server at 127.0.0.1 and ::1, and an enrolled user; `group` is a group that
    /// contains only this user.
    struct Scene {
      let machine: Machine
      let server: PrivateServer
      let user: MachineUser
      let enrollment: Enrollment
      let key: String
      var group: String { user.name }

      init(_ machine: Machine, settings: [String] = []) throws {
        self.machine = machine
        let blocks = try Guide.blocks(under: "ssh: a key, then a code")
        try machine.changeService("sshd", authentication: OneCode.lines(blocks[0], tries: 1))
        // explain reads the settings of the host's sshd.
        try machine.write(
          blocks[1].map { $0 + "\n" }.joined(), to: "/etc/ssh/sshd_config.d/00-mfa.conf")
        server = try PrivateServer(
          on: machine, settings: settings + ["ListenAddress ::1"] + blocks[1])
        (user, enrollment) = try machine.addEnrolledUser()
        key = try machine.addLoginKey(for: user)
      }

      /// Signs in, without answering a code prompt. Returns whether there was one; a user who is
      /// not asked must be signed in.
      func isAsked(at address: String = "127.0.0.1") throws -> Bool {
        let session = try server.signIn(
          user.name, command: "echo uid=$(id -un)", key: key, at: address,
          options: ["NumberOfPasswordPrompts=1"])
        // A prompt does not end with a line feed; the output of a session does.
        try session.expectOne(of: ["Verification code: ", "uid="])
        guard session.text.contains("Verification code: ") else {
          #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
          return false
        }
        try session.send("")
        #expect(try session.waitForExit() == .exited(255), "\(session.transcript)")
        #expect(!session.text.contains("uid="), "\(session.transcript)")
        return true
      }

      /// Returns the decision of `mfa-admin explain` for a sign-in.
      func decision(from address: String) throws -> String? {
        let arguments = ["--user", user.name, "--service", "sshd", "--rhost", address, "--json"]
        let command = try Command.run(["/usr/sbin/mfa-admin", "explain"] + arguments)
        let object =
          try JSONSerialization.jsonObject(with: Data(command.output)) as? [String: Any]
        return object?["decision"] as? String
      }

      func writeConfiguration(_ text: String) throws {
        try machine.writeConfiguration(text.replacingOccurrences(of: "GROUP", with: group))
      }
    }

    struct Row {
      /// The configuration after a `[project]` whose state is disabled.
      let tenants: String
      var address = "127.0.0.1"
      let isAsked: Bool
    }

    static let rows = [
      Row(tenants: "[tenant t]\ngroups = GROUP\nstate = enabled", isAsked: true),
      Row(tenants: "[tenant t]\ngroups = games\nstate = enabled", isAsked: false),
      Row(tenants: "[tenant t]\nservices = login\nstate = enabled", isAsked: false),
      Row(tenants: "[tenant t]\nnetworks = 127.0.0.0/8\nstate = enabled", isAsked: true),
      Row(
        tenants: "[tenant t]\nnetworks = 127.0.0.0/8\nstate = enabled", address: "::1",
        isAsked: false),
      Row(
        tenants: "[tenant t]\nnetworks = ::1/128\nstate = enabled", address: "::1",
        isAsked: true),
      // All selectors combined.
      Row(
        tenants: "[tenant t]\ngroups = games, GROUP\nservices = su, sshd\nnetworks = 127.0.0.1/32\n"
          + "state = enabled", isAsked: true),
      // The last matching tenant that sets the option takes precedence.
      Row(
        tenants: "[tenant t]\ngroups = GROUP\nstate = enabled\n"
          + "[tenant u]\nnetworks = 127.0.0.0/8\nstate = disabled", isAsked: false),
    ]

    @Test("groups, services and IPv4 and IPv6 networks select tenants, and the last match decides")
    func selectors() throws {
      let scene = try Scene(machine)
      for row in Self.rows {
        try scene.writeConfiguration(Self.project + row.tenants + "\n")
        do {
          #expect(try scene.isAsked(at: row.address) == row.isAsked, "\(row)")
          let decision = try scene.decision(from: row.address)
          #expect(decision == (row.isAsked ? "asked" : "allowed"), "\(row)")
        } catch {
          Issue.record("\(row): \(error)")
        }
      }
      #expect(!scene.server.log.contains("fatal"), "\(scene.server.log)")
    }

    struct NameRow {
      /// The names that the host's resolver returns for 127.0.0.1 and ::1.
      let names: (four: String, six: String)
      var address = "127.0.0.1"
      let network: String
      /// The state of the tenant with that network; the project has the opposite one.
      let state: String
      let isAsked: Bool
      /// The expected PAM_RHOST in the log, if something is logged.
      var host: String?
    }

    static let named = (four: "four.example", six: "six.example")
    static let spoofed = (four: "10.0.0.1.example", six: "192.0.2.1.example")

    static let nameRows = [
      NameRow(names: named, network: "127.0.0.0/8", state: "disabled", isAsked: false),
      NameRow(
        names: named, network: "127.0.0.0/8", state: "enabled", isAsked: true,
        host: "four.example"),
      NameRow(
        names: named, address: "::1", network: "127.0.0.0/8", state: "enabled",
        isAsked: false),
      NameRow(names: named, address: "::1", network: "::1/128", state: "disabled", isAsked: false),
      NameRow(
        names: named, address: "::1", network: "::1/128", state: "enabled",
        isAsked: true, host: "six.example"),
      NameRow(names: named, network: "::1/128", state: "enabled", isAsked: false),
      // The owner of an address controls its name.
      NameRow(
        names: spoofed, network: "10.0.0.0/8", state: "disabled", isAsked: true,
        host: "10.0.0.1.example"),
      NameRow(names: spoofed, network: "127.0.0.0/8", state: "disabled", isAsked: false),
      NameRow(
        names: spoofed, address: "::1", network: "192.0.2.0/24", state: "disabled",
        isAsked: true, host: "192.0.2.1.example"),
      // sshd itself rejects a name that is an address.
      NameRow(
        names: (four: "10.0.0.1", six: "2001:db8::1"), network: "10.0.0.0/8",
        state: "disabled", isAsked: true, host: "127.0.0.1"),
      NameRow(
        names: (four: "10.0.0.1", six: "2001:db8::1"), address: "::1",
        network: "2001:db8::/32", state: "disabled", isAsked: true, host: "::1"),
    ]

    @Test("with UseDNS yes, the connection's address counts, and never the name")
    func names() throws {
      let scene = try Scene(machine, settings: ["UseDNS yes"])
      for row in Self.nameRows {
        try machine.write("127.0.0.1 \(row.names.four)\n::1 \(row.names.six)\n", to: "/etc/hosts")
        try scene.writeConfiguration(
          """
          [project]
          state = \(row.state == "enabled" ? "disabled" : "enabled")
          [tenant here]
          networks = \(row.network)
          state = \(row.state)

          """)
        let start = try machine.log.position()
        do {
          #expect(try scene.isAsked(at: row.address) == row.isAsked, "\(row)")
          let entries = try OneCode.logged(machine, since: start)
          #expect(entries.first?.fields["rhost"] == row.host, "\(row)")
        } catch {
          Issue.record("\(row): \(error)")
        }
      }
    }

    @Test("a failed group lookup counts for the stricter rule")
    func failedLookUp() throws {
      let scene = try Scene(machine)
      let switches = machine.text(of: "/etc/nsswitch.conf")
      let lines = switches.split(separator: "\n").filter { !$0.hasPrefix("group:") }
      struct Row {
        let source: String
        let group: String
        let state: String
        let isAsked: Bool
      }
      let rows = [
        Row(source: "files", group: "games", state: "enabled", isAsked: false),
        Row(source: "files", group: "own", state: "disabled", isAsked: false),
        Row(source: "files", group: "nobodys", state: "enabled", isAsked: false),
        // This machine has no source of that name.
        Row(source: "hesiod", group: "games", state: "enabled", isAsked: true),
        Row(source: "hesiod", group: "own", state: "disabled", isAsked: true),
        Row(source: "files hesiod", group: "nobodys", state: "enabled", isAsked: true),
        Row(source: "files hesiod", group: "own", state: "disabled", isAsked: false),
        // The group is known, but its other members are not.
        Row(source: "files hesiod", group: "games", state: "enabled", isAsked: true),
        Row(source: "files hesiod", group: "games", state: "disabled", isAsked: true),
      ]
      for row in rows {
        // A numeric group, because the name of root's group cannot be resolved either.
        try machine.write(
          lines.joined(separator: "\n") + "\ngroup: \(row.source)\n", to: "/etc/nsswitch.conf",
          group: "0")
        try machine.write(
          """
          [project]
          state = \(row.state == "enabled" ? "disabled" : "enabled")
          [tenant members]
          groups = \(row.group == "own" ? scene.group : row.group)
          state = \(row.state)

          """, to: "/etc/mfa/mfa.conf", group: "0")
        do {
          #expect(try scene.isAsked() == row.isAsked, "\(row)")
          let decision = try scene.decision(from: "127.0.0.1")
          #expect(decision == (row.isAsked ? "asked" : "allowed"), "\(row)")
        } catch {
          Issue.record("\(row): \(error)")
        }
      }
    }

    @Test("observe: sign-ins are evaluated and logged but not denied, and readiness counts users")
    func observe() throws {
      let scene = try Scene(machine)
      let stranger = try machine.addUser()
      let strangersKey = try machine.addLoginKey(for: stranger)
      // The service asks all users for a code; the tenant observes these sign-ins only.
      try scene.writeConfiguration(
        """
        [project]
        state = enabled
        enrollment = required
        [tenant trial]
        networks = ::1/128
        state = observe

        """)
      let code = try scene.enrollment.phone.code()
      let answers = [
        ("wrong", try scene.enrollment.phone.wrongCode()), ("accepted", code),
        ("replayed", code), ("not-a-code", ""),
      ]
      for (result, answer) in answers {
        let start = try machine.log.position()
        let session = try scene.server.signIn(
          scene.user.name, command: "echo uid=$(id -un)", key: scene.key, at: "::1")
        try session.answer("Verification code: ", with: answer)
        try session.expect("uid=\(scene.user.name)")
        #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
        let entries = try OneCode.logged(machine, since: start)
        #expect(entries.map { $0.fields["result"] } == [result])
        #expect(entries.map { $0.fields["state"] } == ["observe"])
        #expect(entries.map { $0.fields["rhost"] } == ["::1"])
      }
      // A user who would have to enrol is neither asked nor denied in an observing tenant.
      let start = try machine.log.position()
      let session = try scene.server.signIn(
        stranger.name, command: "echo uid=$(id -un)", key: strangersKey, at: "::1")
      try session.expect("uid=\(stranger.name)")
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      #expect(!session.text.contains("Verification code: "), "\(session.transcript)")
      let observed = try OneCode.logged(machine, since: start)
      #expect(observed.contains { $0.fields["result"]?.hasPrefix("enrollment-") == true })
      #expect(observed.allSatisfy { $0.fields["state"] == "observe" }, "\(observed)")
      // Other sign-ins require a code.
      #expect(try scene.isAsked())

      let ready = try Command.run(["/usr/sbin/mfa-admin", "readiness", "--tenant", "trial"])
      // sshd's account line enrols the user.
      #expect(ready.text.contains("has to enrol: \(stranger.name)\n"), "\(ready.text)")
      #expect(!ready.text.contains("  \(scene.user.name) "), "\(ready.text)")
    }
  }
}
