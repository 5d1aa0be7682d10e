import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// Stacks as distributions and administrators write them for directory services, caches,
  /// fingerprint readers and display managers: sound ones, and each broken in one way
  /// (CorpusHost.swift). What `doctor` and `explain` say is compared with what real sign-ins do, for each
  /// way in which the modules can answer: a finding without an effect fails the test, and so does an
  /// effect without a finding. `readiness` must name the user if and only if no right answer leads in.
  @Suite struct HostCorpus {
    /// The modules for which the stand-in is installed.
    static let standIns = [
      "pam_sss", "pam_krb5", "pam_winbind", "pam_ldap", "pam_ccreds", "pam_fprintd",
    ]

    // MARK: Findings

    /// What the findings of doctor and explain say.
    static let codes: [String: CorpusHost.Effect] = [
      "auth-skippable": .withoutCode, "auth-denial-ignored": .withoutCode,
      "auth-result-reset": .withoutCode, "nobody-signs-in": .closed, "asked-twice": .closed,
      "jump-past-end": .closed, "other-module-missing": .closed, "carriage-return": .closed,
      "included-file-not-found": .closed, "required-before": .askedEarly,
      "code-before-password": .askedEarly, "first-factor-missing": .withoutFirstFactor,
    ]

    /// Returns the effect of which a finding speaks, or nil if it is a note.
    static func effect(_ finding: [String: Any]) throws -> CorpusHost.Effect? {
      guard finding["severity"] as? String != "note" else { return nil }
      let code = try #require(finding["finding"] as? String)
      let message = try #require(finding["message"] as? String)
      switch code {
      // The client of these tests asks each question, other than the program of the service.
      case "one-field": return nil
      case "module-not-loaded":
        return message.contains("users sign in without a code") ? .withoutCode : .closed
      // The users of the corpus have enrolled.
      case "unenrolled-locked-out": return nil
      case "module-misnamed":
        return message.contains("does nothing") ? .withoutCode : .closed
      case _:
        let effect: CorpusHost.Effect = try #require(
          codes[code], "no effect is known for \(code): \(message)")
        return effect
      }
    }

    /// Returns the effects of which doctor speaks.
    static func found(_ service: String) throws -> Set<CorpusHost.Effect> {
      let command = try Doctor.examine(["--json"])
      let json = try #require(
        try JSONSerialization.jsonObject(with: Data(command.output)) as? [String: Any],
        "\(command)")
      let findings = try #require(json["findings"] as? [[String: Any]])
        .filter { ($0["services"] as? [String])?.contains(service) == true }
      return Set(try findings.compactMap { try effect($0) })
    }

    /// Returns the effects of which explain speaks.
    static func explained(
      _ user: MachineUser, at service: String
    ) throws -> Set<CorpusHost.Effect> {
      let command = try Command.run([
        "/usr/sbin/mfa-admin", "explain", "--user", user.name, "--service", service, "--json",
      ])
      let explanation = try #require(
        try JSONSerialization.jsonObject(with: Data(command.output)) as? [String: Any],
        "\(command)")
      let exceptions = explanation["exceptions"] as? [[String: Any]] ?? []
      var effects = Set(try exceptions.compactMap { try effect($0) })
      switch explanation["decision"] as? String {
      case "asked": break
      case "denied": effects.insert(.closed)
      case "allowed": effects.insert(.withoutCode)
      case let other: Issue.record("\(other ?? "no decision"): \(command.text)")
      }
      return effects
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
    static func ways(_ host: CorpusHost, password: String) -> [Answers] {
      let used = standIns.filter { host.asks($0) }
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

    /// Signs an enrolled user in with these answers of the modules. Returns whether a sign-in succeeds
    /// without a code, whether one succeeds with a code, and whether a wrong password leads to a code.
    static func signIns(
      _ service: String, _ answers: Answers, of user: MachineUser, _ enrollment: Enrollment,
      _ machine: Machine
    ) throws -> (without: Bool, with: Bool, early: Bool) {
      if !answers.unix { try machine.setPassword("another password", of: user.name) }
      for (name, answer) in answers.others {
        try machine.write(
          answer.replacing("PASSWORD", with: user.password) + "\n", to: "/run/stand-in/\(name)")
      }
      var options = PAMClient.Options()
      options.asksAccount = true
      func signIn(password: String, code: String?) throws -> (isSuccess: Bool, asksCode: Bool) {
        // Each prompt is answered by its text, one more in each round.
        var typed: [PAMClient.Answer] = []
        while true {
          let outcome = try PAMClient.signIn(
            service: service, user: user.name, answers: typed + [.failure], options: options)
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
              service: service, user: user.name, answers: typed + [.failure], options: options)
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

    /// Returns whether a user who has not enrolled signs in with a wrong password.
    static func isAdmitted(
      _ stranger: MachineUser, at service: String, _ host: CorpusHost, _ machine: Machine
    ) throws -> Bool {
      for name in standIns where host.asks(name) {
        try machine.write("wrong\n", to: "/run/stand-in/\(name)")
      }
      var options = PAMClient.Options()
      options.asksAccount = true
      let outcome = try PAMClient.signIn(
        service: service, user: stranger.name,
        answers: Array(repeating: .text("not the password"), count: 4), options: options)
      return outcome.code == "PAM_SUCCESS"
    }

    @Test(
      "doctor, explain and readiness say of a stack what real sign-ins do",
      arguments: CorpusHost.all)
    func agrees(host: CorpusHost) throws {
      for name in Self.standIns { try Self.install(name, machine) }
      let ways = Self.ways(host, password: "PASSWORD")
      // Enrolment uses common-auth too, which is replaced afterwards.
      let users = try ways.map { _ in try machine.addEnrolledUser() }
      let (user, _) = try machine.addEnrolledUser()
      let stranger = try machine.addUser()
      let service = try host.install(on: machine)
      var effects: Set<CorpusHost.Effect> = []
      var isOpen = false
      var log: [String] = []
      // A finger is not a password: with it, the user types none.
      let hasFinger = host.asks("pam_fprintd")
      for (answers, (user, enrollment)) in zip(ways, users) {
        let (without, with, early) = try Self.signIns(
          service, answers, of: user, enrollment, machine)
        log.append("\(answers): without \(without), with \(with), early \(early)")
        if without { effects.insert(.withoutCode) }
        if with { isOpen = true }
        let isByFinger = hasFinger && answers.others["pam_fprintd"] == "success"
        if early, !isByFinger { effects.insert(.askedEarly) }
      }
      if !isOpen { effects.insert(.closed) }
      if try Self.isAdmitted(stranger, at: service, host, machine) {
        effects.insert(.withoutFirstFactor)
      }
      let text = "\(host.name): \(log.joined(separator: "; "))"
      #expect(effects == host.effects, "\(text)")
      #expect(try Self.found(service) == host.effects, "doctor: \(text)")
      // A code that is asked for too early is no matter of one user's sign-in.
      let explained = try Self.explained(user, at: service)
      #expect(explained == host.effects.subtracting([.askedEarly]), "explain: \(text)")
      #expect(try Self.isLockedOut(user, at: service) == host.locksOut, "readiness: \(text)")
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
