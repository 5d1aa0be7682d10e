import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// Stacks as distributions and administrators write them for directory services, caches,
  /// fingerprint readers and display managers: sound ones, and each broken in one way. What `doctor`
  /// and `explain` say is compared with what real sign-ins do, for each way in which the modules can
  /// answer: a finding without an effect fails the test, and so does an effect without a finding.
  /// `readiness` must name the user if and only if no right answer leads in.
  @Suite struct HostCorpus {
    /// A stack.
    struct Host: Sendable, CustomTestStringConvertible {
      let name: String
      let lines: [String]
      /// What is wrong with it.
      let effects: Set<Effect>
      var testDescription: String { name }

      init(_ name: String, _ effects: Effect..., lines: String) {
        self.name = name
        self.effects = Set(effects)
        self.lines = lines.split(separator: "\n").map { "auth " + $0 }
      }
    }

    /// What can be wrong with a stack.
    enum Effect: String, Sendable {
      /// A user signs in without a code.
      case withoutCode
      /// The right password and code are refused.
      case closed
      /// A user without the right password is asked for a code.
      case askedEarly
    }

    /// The modules for which the stand-in is installed.
    static let standIns = [
      "pam_sss", "pam_krb5", "pam_winbind", "pam_ldap", "pam_ccreds", "pam_fprintd",
    ]

    static let askedTwice = "the module is asked twice"

    static let hosts = [
      Host(
        "sssd",
        lines: """
          [success=2 default=ignore] pam_unix.so nullok
          [success=1 default=ignore] pam_sss.so use_first_pass
          requisite pam_deny.so
          required pam_permit.so
          requisite pam_mfa.so
          """),
      Host(
        "sssd, the jump of pam_unix is one too long", .withoutCode,
        lines: """
          [success=4 default=ignore] pam_unix.so nullok
          [success=1 default=ignore] pam_sss.so use_first_pass
          requisite pam_deny.so
          required pam_permit.so
          requisite pam_mfa.so
          required pam_permit.so
          """),
      Host(
        "sssd, the jump of pam_sss is one too long", .withoutCode,
        lines: """
          [success=2 default=ignore] pam_unix.so nullok
          [success=3 default=ignore] pam_sss.so use_first_pass
          requisite pam_deny.so
          required pam_permit.so
          requisite pam_mfa.so
          required pam_permit.so
          """),
      Host(
        "sssd, without pam_deny", .askedEarly,
        lines: """
          [success=1 default=ignore] pam_unix.so nullok
          [success=ok default=ignore] pam_sss.so use_first_pass
          requisite pam_mfa.so
          required pam_permit.so
          """),
      Host(
        "Kerberos",
        lines: """
          [success=3 default=ignore] pam_krb5.so minimum_uid=1000
          [success=2 default=ignore] pam_unix.so nullok try_first_pass
          requisite pam_deny.so
          required pam_deny.so
          required pam_permit.so
          requisite pam_mfa.so
          """),
      Host(
        "Kerberos, sufficient", .withoutCode,
        lines: """
          sufficient pam_krb5.so minimum_uid=1000
          requisite pam_unix.so nullok try_first_pass
          requisite pam_mfa.so
          """),
      Host(
        "winbind",
        lines: """
          [success=2 default=ignore] pam_unix.so nullok
          [success=1 default=ignore] pam_winbind.so krb5_auth krb5_ccache_type=FILE try_first_pass
          requisite pam_deny.so
          required pam_permit.so
          requisite pam_mfa.so
          """),
      Host(
        "winbind, a wrong password goes on", .askedEarly,
        lines: """
          [success=2 default=ignore] pam_unix.so nullok
          [success=1 default=ignore] pam_winbind.so krb5_auth try_first_pass
          required pam_deny.so
          required pam_permit.so
          requisite pam_mfa.so
          """),
      Host(
        "LDAP with cached passwords",
        lines: """
          [success=4 default=ignore] pam_unix.so nullok
          [success=3 authinfo_unavail=1 default=ignore] pam_ldap.so use_first_pass
          requisite pam_deny.so
          [success=1 default=ignore] pam_ccreds.so action=validate use_first_pass
          requisite pam_deny.so
          required pam_permit.so
          requisite pam_mfa.so
          """),
      Host(
        "LDAP with cached passwords, the cache ends the stack", .withoutCode,
        lines: """
          [success=3 default=ignore] pam_unix.so nullok
          [success=2 authinfo_unavail=ignore default=die] pam_ldap.so use_first_pass
          [success=done default=die] pam_ccreds.so action=validate use_first_pass
          requisite pam_deny.so
          required pam_permit.so
          requisite pam_mfa.so
          """),
      Host(
        "faillock",
        lines: """
          required pam_faillock.so preauth
          [success=1 default=bad] pam_unix.so nullok
          [default=die] pam_faillock.so authfail
          sufficient pam_mfa.so
          required pam_deny.so
          """),
      Host(
        "fingerprint",
        lines: """
          [success=2 default=ignore] pam_fprintd.so max-tries=1 timeout=10
          [success=1 default=ignore] pam_unix.so nullok try_first_pass
          requisite pam_deny.so
          required pam_permit.so
          requisite pam_mfa.so
          """),
      Host(
        "fingerprint instead of everything", .withoutCode,
        lines: """
          sufficient pam_fprintd.so
          requisite pam_unix.so nullok
          requisite pam_mfa.so
          """),
      Host(
        "gdm",
        lines: """
          requisite pam_nologin.so
          required pam_succeed_if.so user != root quiet_success
          [success=1 default=ignore] pam_unix.so nullok
          requisite pam_deny.so
          required pam_permit.so
          requisite pam_mfa.so
          optional pam_env.so
          """),
      Host(
        "lightdm, the module is optional", .withoutCode,
        lines: """
          requisite pam_nologin.so
          [success=1 default=ignore] pam_unix.so nullok
          requisite pam_deny.so
          required pam_permit.so
          optional pam_mfa.so
          """),
      Host(
        "sddm, the result is discarded", .withoutCode,
        lines: """
          requisite pam_unix.so nullok
          required pam_mfa.so
          [default=reset] pam_env.so
          required pam_permit.so
          """),
      Host(
        "the stack jumps past its end", .closed,
        lines: """
          [success=1 default=ignore] pam_unix.so nullok
          requisite pam_deny.so
          requisite pam_mfa.so
          [default=1] pam_env.so
          """),
      Host(
        askedTwice, .closed,
        lines: """
          requisite pam_unix.so nullok
          requisite pam_mfa.so
          requisite pam_mfa.so
          """),
      Host(
        "the code is asked for first", .askedEarly,
        lines: """
          requisite pam_mfa.so
          requisite pam_unix.so nullok
          """),
    ]

    // MARK: Findings

    static let codes: [String: Effect] = [
      "auth-skippable": .withoutCode, "auth-denial-ignored": .withoutCode,
      "auth-result-reset": .withoutCode, "nobody-signs-in": .closed, "asked-twice": .closed,
      "required-before": .askedEarly, "code-before-password": .askedEarly,
    ]

    /// Returns the effects of which doctor speaks.
    static func found(_ service: String) throws -> Set<Effect> {
      let findings = try Doctor.found(try Doctor.examine(["--json"]))
        .filter { $0.contains("/etc/pam.d/\(service):") }
      return Set(findings.compactMap { codes[String($0.split(separator: " ")[1])] })
    }

    /// Returns the effects of which explain speaks.
    static func explained(_ user: MachineUser, at service: String) throws -> Set<Effect> {
      let command = try Command.run([
        "/usr/sbin/mfa-admin", "explain", "--user", user.name, "--service", service, "--json",
      ])
      let explanation = try #require(
        try JSONSerialization.jsonObject(with: Data(command.output)) as? [String: Any],
        "\(command)")
      let exceptions = explanation["exceptions"] as? [[String: Any]] ?? []
      let effects = exceptions.compactMap { codes[$0["finding"] as? String ?? ""] }
      let decision = try #require(explanation["decision"] as? String)
      #expect(["asked", "denied"].contains(decision), "\(command.text)")
      return Set(effects).union(decision == "denied" ? [.closed] : [])
    }

    /// Returns whether readiness says that the user cannot sign in at the service.
    static func isLockedOut(_ user: MachineUser, at service: String) throws -> Bool {
      let command = try Command.run(["/usr/sbin/mfa-admin", "readiness", "--json"])
      let readiness = try #require(
        try JSONSerialization.jsonObject(with: Data(command.output)) as? [String: Any],
        "\(command)")
      return (readiness["lockedOut"] as? [[String: Any]] ?? []).contains { entry in
        entry["user"] as? String == user.name
          && (entry["message"] as? String)?.contains("at \(service): ") == true
      }
    }

    // MARK: Sign-ins

    /// How the modules that verify a first factor answer.
    struct Answers: CustomStringConvertible {
      /// Whether pam_unix accepts the password.
      var unix = false
      /// What each stand-in answers.
      var others: [String: String] = [:]
      var description: String { "unix \(unix), \(others)" }
    }

    /// Returns the ways in which exactly one module of a stack accepts the user, for each way in which
    /// the others can refuse.
    static func ways(_ host: Host, password: String) -> [Answers] {
      let used = standIns.filter { name in host.lines.contains { $0.contains(name + ".so") } }
      var ways: [Answers] = []
      for refusal in used.isEmpty ? ["wrong"] : ["wrong", "unknown", "unavailable"] {
        var others: [String: String] = [:]
        for name in used { others[name] = refusal }
        ways.append(Answers(unix: true, others: others))
        for name in used {
          var answers = Answers(unix: false, others: others)
          answers.others[name] = name == "pam_fprintd" ? "success" : "password \(password)"
          ways.append(answers)
        }
      }
      return ways
    }

    /// Signs a new user in with these answers of the modules. Returns whether a sign-in succeeds
    /// without a code, whether one succeeds with a code, and whether a wrong password leads to a code.
    static func signIns(
      _ service: String, _ answers: Answers, _ machine: Machine
    ) throws -> (without: Bool, with: Bool, early: Bool) {
      let (user, enrollment) = try machine.addEnrolledUser()
      if !answers.unix { try machine.setPassword("another password", of: user.name) }
      for (name, answer) in answers.others {
        try machine.write(
          answer.replacing("PASSWORD", with: user.password) + "\n", to: "/run/stand-in/\(name)")
      }
      func signIn(password: String, code: String?) throws -> (isSuccess: Bool, asksCode: Bool) {
        // Each prompt is answered by its text, one more in each round.
        var typed: [PAMClient.Answer] = []
        while true {
          let outcome = try PAMClient.signIn(
            service: service, user: user.name, answers: typed + [.failure])
          guard outcome.prompts.count > typed.count, typed.count < 6 else {
            return (outcome.code == "PAM_SUCCESS", false)
          }
          let prompt = outcome.prompts[typed.count]
          if prompt.contains("assword") {
            typed.append(.text(password))
          } else if let code {
            // The password can be asked for after the code.
            typed += [.text(code), .text(password)]
            let last = try PAMClient.signIn(
              service: service, user: user.name, answers: typed + [.failure])
            return (last.code == "PAM_SUCCESS", true)
          } else {
            return (outcome.code == "PAM_SUCCESS", true)
          }
        }
      }
      let without = try signIn(password: user.password, code: nil)
      let with = try signIn(password: user.password, code: try enrollment.phone.code(offset: 1))
      let early = try signIn(password: "wrong", code: nil)
      return (without.isSuccess, with.isSuccess, early.asksCode)
    }

    @Test("doctor, explain and readiness say of a stack what real sign-ins do", arguments: hosts)
    func agrees(host: Host) throws {
      try Machine.use { machine in
        for name in Self.standIns { try Self.install(name, machine) }
        let service = try machine.makeService(host.lines + ["account required pam_permit.so"])
        var effects: Set<Effect> = []
        var isOpen = false
        var log: [String] = []
        // A finger is not a password: with it, the user types none.
        let hasFinger = host.lines.contains { $0.contains("pam_fprintd") }
        for answers in Self.ways(host, password: "PASSWORD") {
          let (without, with, early) = try Self.signIns(service, answers, machine)
          log.append("\(answers): without \(without), with \(with), early \(early)")
          if without { effects.insert(.withoutCode) }
          if with { isOpen = true }
          let isByFinger = hasFinger && answers.others["pam_fprintd"] == "success"
          if early, !isByFinger { effects.insert(.askedEarly) }
        }
        if !isOpen { effects.insert(.closed) }
        let text = "\(host.name): \(log.joined(separator: "; "))"
        #expect(effects == host.effects, "\(text)")
        #expect(try Self.found(service) == host.effects, "\(text)")
        // A code that is asked for too early is no matter of one user's sign-in.
        let (user, _) = try machine.addEnrolledUser()
        let explained = try Self.explained(user, at: service)
        #expect(explained == host.effects.subtracting([.askedEarly]), "\(text)")
        // A stack that asks twice lets in a user who waits for another code.
        let isClosed = host.effects == [.closed] && host.name != Self.askedTwice
        #expect(try Self.isLockedOut(user, at: service) == isClosed, "\(text)")
      }
    }

    /// Installs the stand-in under the name of another module.
    static func install(_ name: String, _ machine: Machine) throws {
      let library = try CompiledProgram.standIn(name)
      try Command.succeed([
        "/bin/sh", "-ec",
        "for folder in /usr/lib/*/security; do [ -e $folder/pam_unix.so ] || continue; "
          + "[ -e $folder/$2.so ] || cp $1 $folder/$2.so; done", "sh", library, name,
      ])
    }
  }
}
