import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// Administrators' reports, compared with what actually happens.
  @Suite struct Insight {
    private func admin(_ arguments: String...) throws -> Command {
      try Command.run(["/usr/sbin/mfa-admin"] + arguments)
    }

    private func object(_ command: Command) throws -> [String: Any] {
      try #require(try JSONSerialization.jsonObject(with: Data(command.output)) as? [String: Any])
    }

    @Test(
      "settings of Identity Platform lock out nobody without a warning, and an object leaves what it does not name"
    )
    func appliedTypes() throws {
      try machine.keepConfiguration()
      let (user, device) = try machine.addEnrolledUser()
      let service = try machine.makeService([
        "auth requisite pam_mfa.so", "auth required pam_permit.so",
        "account required pam_permit.so",
      ])
      try machine.writeConfiguration("[project]\n")
      let file = machine.folder + "/settings.json"
      let own = "/etc/mfa/mfa.conf.d/50-identity-platform.conf"
      func apply(_ text: String, _ options: String...) throws -> Command {
        try machine.write(text, to: file)
        let command = try Command.run(
          ["/usr/sbin/mfa-admin", "config", "apply", file] + options)
        #expect(command.status == .exited(0), "\(command.errorText)")
        return command
      }
      var offset = -3
      /// Signs in with a right code that was not used before.
      func signIn() throws -> String {
        offset += 1
        return try user.signIn(to: service, typing: device.phone.code(offset: offset)).code
      }
      let object = try apply("{multiFactorConfig: {state: 'ENABLED', factorIds: ['phone']}}")
      #expect(object.errorText.contains("note: totp stays allowed"), "\(object.errorText)")
      #expect(try signIn() == "PAM_SUCCESS")

      let before = machine.contents(of: own)
      let body = #"{"mfa": {"state": "ENABLED", "enabledProviders": ["PHONE_SMS"]}}"#
      let warning =
        "warning: 1 user (\(user.name)) can no longer use their authenticator apps; 1 of them "
        + "(\(user.name)) can no longer sign in; "
      let dry = try apply(body, "--dry-run")
      #expect(dry.errorText.contains(warning), "\(dry.errorText)")
      #expect(
        dry.errorText.contains("note: 1 user (\(user.name)) will be denied at \(service): "),
        "\(dry.errorText)")
      #expect(machine.contents(of: own) == before)
      let replaced = try apply(body)
      #expect(replaced.errorText.contains(warning), "\(replaced.errorText)")
      #expect(replaced.errorText.contains("settings lack providerConfigs"))
      #expect(try signIn() == "PAM_AUTH_ERR")

      let entry = #"{"mfa": {"providerConfigs": [{"state": "ENABLED", "totpProviderConfig": {}}]}}"#
      let masked = try apply(entry, "--update-mask", "updateMask=mfa.provider_configs")
      #expect(masked.errorText.contains("note: phone stays allowed"), "\(masked.errorText)")
      #expect(try signIn() == "PAM_SUCCESS")
      let unknown = try admin("config", "apply", file, "--update-mask", "mfa.factorIds")
      #expect(unknown.status == .exited(64))
      #expect(
        unknown.errorText.contains(
          "there is no field \"mfa.factorIds\" of a project; the fields are mfa, mfa.state, "))
    }

    @Test("explain agrees with the sign-in, and readiness with who could sign in")
    func explains() throws {
      let (user, _) = try machine.addEnrolledUser()
      let other = try machine.addUser()
      let member = try machine.addUser(groups: ["games"])
      let service = try machine.makeService([
        "auth required pam_mfa.so", "auth required pam_permit.so",
        "account required pam_permit.so",
      ])
      try machine.writeConfiguration(
        """
        [project]
        [tenant strict]
        groups = games
        enrollment = required
        [tenant here]
        users = \(user.name)
        networks = 127.0.0.0/8
        state = disabled

        """)
      /// Compares the decision with the result of a sign-in with a wrong code.
      func compare(_ name: String, _ address: String, _ decision: String, _ code: String) throws {
        let explained = try object(
          admin("explain", "--user", name, "--service", service, "--rhost", address, "--json"))
        #expect(explained["decision"] as? String == decision, "\(name) \(explained)")
        var options = PAMClient.Options()
        options.remoteHost = address
        let outcome = try PAMClient.signIn(
          service: service, user: name, answers: [.text("000")], options: options)
        #expect(outcome.code == code, "\(name) \(outcome)")
        #expect(outcome.prompts.isEmpty == (decision == "allowed"), "\(name) \(outcome)")
      }
      try compare(user.name, "192.0.2.1", "asked", "PAM_AUTH_ERR")
      try compare(user.name, "127.0.0.1", "allowed", "PAM_SUCCESS")
      try compare(other.name, "192.0.2.1", "allowed", "PAM_SUCCESS")
      // The service has no account line with the module.
      try compare(member.name, "192.0.2.1", "denied", "PAM_AUTH_ERR")
      try compare("nobody-here", "192.0.2.1", "denied", "PAM_AUTH_ERR")
      for (name, status) in [(user.name, 0), ("nobody-here", 2)] {
        let command = try admin("explain", "--user", name, "--service", service)
        #expect(command.status == .exited(Int32(status)), "\(name) \(command.errorText)")
      }
      let text = try admin("explain", "--user", member.name, "--service", service).text
      for line in [
        "because      enrollment = required                  tenant strict, /etc/mfa/mfa.conf:4",
        "service      \(service): pam_mfa.so is called by /etc/pam.d/\(service):1",
        "tenant       strict: matches",
        "             groups = games: yes                    /etc/mfa/mfa.conf:3",
        "setting      enrollment = required                  tenant strict, /etc/mfa/mfa.conf:4",
      ] {
        #expect(text.contains(line + "\n"), "\(text)")
      }
      let before = StoreFiles(of: user.name)
      let image = try before.image()
      _ = try admin("explain", "--user", user.name, "--service", service)
      #expect(try before.image() == image)

      let ready = try admin("readiness")
      #expect(ready.status == .exited(1))
      #expect(
        ready.text.contains(
          "\n  \(member.name) has no factor, but must have one (tenant strict)\n"),
        "\(ready.text)")
      #expect(ready.errorText.contains("1 of "))
      let here = try admin("readiness", "--tenant", "here")
      // Only the service is wrong: it proves nothing before the code.
      #expect(here.status == .exited(1), "\(here)")
      #expect(here.text.hasPrefix("1 of 1 ready\nno first factor: \(service): "), "\(here.text)")
      #expect(here.text.split(separator: "\n").count == 2, "\(here.text)")
      #expect(try admin("readiness", "--tenant", "nowhere").status == .exited(2))
      let json = try object(try admin("readiness", "--json"))
      #expect((json["lockedOut"] as? [[String: Any]])?.count == 1)
    }

    @Test("an explanation names the effective drop-in, and the file given in the arguments")
    func layers() throws {
      let user = try machine.addUser()
      let folder = "/etc/mfa/mfa.conf.d"
      try machine.keep(folder)
      try machine.writeConfiguration("[project]\nenrollment = required\n")
      try machine.write("[project]\n\nstate = disabled\n", to: folder + "/20-off.conf")
      let layered = try machine.makeService([
        "auth required pam_mfa.so", "auth required pam_permit.so",
      ])
      let text = try admin("explain", "--user", user.name, "--service", layered).text
      for line in [
        "decision     let through: the second factor is switched off",
        "because      state = disabled                       project, \(folder)/20-off.conf:3",
        "policy       /etc/mfa/mfa.conf, \(folder)/20-off.conf",
        "setting      enrollment = required                  project, /etc/mfa/mfa.conf:2",
      ] {
        #expect(text.contains(line + "\n"), "\(text)")
      }
      let alone = try machine.makeService([
        "auth required pam_mfa.so config=/etc/mfa/mfa.conf", "auth required pam_permit.so",
      ])
      let other = try admin("explain", "--user", user.name, "--service", alone).text
      #expect(other.contains("policy       /etc/mfa/mfa.conf\n"), "\(other)")
      #expect(other.contains("setting      state = enabled                        default\n"))
    }

    @Test("a list can be filtered, and can show users without a factor")
    func lists() throws {
      let (user, _) = try machine.addEnrolledUser()
      let other = try machine.addUser()
      let enrolled = try admin("list").text
      #expect(enrolled.contains("\n\(user.name) ") && !enrolled.contains("\n\(other.name) "))
      let not = try admin("list", "--not-enrolled")
      #expect(not.status == .exited(0))
      #expect(not.text.contains("\n\(other.name) ") && !not.text.contains("\n\(user.name) "))
      #expect(not.text.contains("\nroot ") && !not.text.contains("\ndaemon "))
      let disabled = try admin("list", "--locked")
      #expect(disabled.status == .exited(0) && disabled.output.isEmpty)
      #expect(disabled.errorText == "mfa-admin: no enrolled user matches\n")
      #expect(try admin("list", "--stale", "1").output.isEmpty)
      for arguments in [["--stale", "0"], ["--not-enrolled", "--weak"]] {
        #expect(try Command.run(["/usr/sbin/mfa-admin", "list"] + arguments).status == .exited(64))
      }
    }
  }
}
