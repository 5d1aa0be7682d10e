import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// The audit log, written by the installed module, helper and mfa-admin.
  @Suite struct AuditLogOfAll {
    static let admin = "/usr/sbin/mfa-admin"
    static let auditLog = "/var/lib/mfa/audit-log"

    /// Leaves only the entry of the configuration in the audit log.
    init() throws {
      try machine.takeAuditLogAway()
      try machine.mustAdminister("list")
    }

    /// Returns one value of each entry, oldest first.
    private func shown(_ member: String, _ options: [String] = []) throws -> [String] {
      let text = try Command.succeed([Self.admin, "audit-log", "show", "--json"] + options)
      return text.matches(
        of: try Regex("\"\(member)\": \"?([^\",\n]*)", as: (Substring, Substring).self)
      )
      .map { String($0.output.1) }
    }

    /// Verifies a new audit log, which has no entries for the files that other tests left behind.
    private func verify(_ options: [String] = []) throws -> Command {
      try Command.run([Self.admin, "audit-log", "verify", "--begun-anew"] + options)
    }

    /// Returns a helper session of the user, authenticated by the password and a code, or by a
    /// ticket.
    private func session(
      _ user: MachineUser, code: String? = nil, ticket: String? = nil
    ) throws -> HelperSession {
      let session = try HelperSession.begun(as: user)
      guard let ticket else {
        #expect(try session.prove(password: user.password, code: code)?.kind == 0x84)
        return session
      }
      session.send(0x0C)
      while let message = try session.receive(), message.kind != 0x84 {
        try #require(message.kind == 0x82 || message.kind == 0x83, "\(message)")
        guard message.kind == 0x82 else { continue }
        let text = String(decoding: message.fields.first ?? [], as: UTF8.self)
        session.send(3, Array((text.contains("ticket") ? ticket : code ?? "").utf8))
      }
      return session
    }

    private func madeCode(_ arguments: [String]) throws -> String {
      let text = try Command.succeed([Self.admin] + arguments)
      return String(
        try #require(
          text.firstMatch(of: /^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/.anchorsMatchLineEndings())
        ).output.0)
    }

    @Test("every change of factors is recorded once, whichever program makes it")
    func everyEvent() throws {
      let start = try machine.log.position()
      let user = try machine.addUser()
      let service = try machine.makeService(OneCode.stack)
      let enrollment = try machine.enroll(user)
      var expected = ["policy-changed", "enrolled"]

      let helper = try session(user, code: try enrollment.phone.code(offset: -4))
      #expect(try helper.ask(8, enrollment.identifier, Array("my phone".utf8))?.kind == 0x88)
      let codes = try #require(try helper.ask(0x0E)).fields.dropFirst()
      try helper.end()
      expected += ["renamed", "recovery-codes-made"]

      let recovery = String(decoding: try #require(codes.first), as: UTF8.self)
      for (answer, result) in [(recovery, "PAM_SUCCESS"), (recovery, "PAM_AUTH_ERR")] {
        let outcome = try user.signIn(to: service, typing: answer)
        #expect(outcome.code == result, "\(outcome)")
      }
      expected.append("recovery-code-used")
      let plain = try user.signIn(to: service, typing: try enrollment.phone.code(offset: -3))
      #expect(plain.code == "PAM_SUCCESS", "an accepted code is not recorded: \(plain)")

      _ = try madeCode(["ticket", user.name])
      try machine.mustAdminister("withdraw", user.name, "--all")
      let bypass = try madeCode(["bypass", user.name, "--reason", "phone lost"])
      let passed = try user.signIn(to: service, typing: bypass)
      #expect(passed.code == "PAM_SUCCESS", "\(passed)")
      expected += ["ticket-made", "grant-withdrawn", "bypass-made", "bypass-used"]

      let ticket = try madeCode(["ticket", user.name, "--reason", "no password"])
      let second = try session(user, code: try enrollment.phone.code(offset: -2), ticket: ticket)
      let secret = try #require(try second.ask(5, [1], [6], [0, 30])).fields[0]
      let tablet = Authenticator(key: Base32.text(secret))
      let answer = try second.ask(6, Array(try tablet.code(offset: -4).utf8), Array("tablet".utf8))
      #expect(answer?.kind == 0x86, "\(String(describing: answer))")
      try second.end()
      expected += ["ticket-made", "enrolled-by-ticket"]

      for _ in 0..<5 {
        _ = try user.signIn(to: service, typing: "0000000")
        _ = try user.signIn(to: service, typing: "000000")
      }
      try machine.mustAdminister("unlock", user.name)
      expected.append("unlocked")

      let third = try session(user, code: try enrollment.phone.code(offset: -1))
      #expect(try third.ask(9, enrollment.identifier)?.kind == 0x89)
      try third.end()
      expected.append("unenrolled")

      let drifted = try session(user)
      let late = try tablet.codes(fromStep: tablet.step() + 8, count: 2)
      let factor = try #require(try drifted.ask(7)?.fields.dropFirst().first)
      #expect(try drifted.ask(0x0F, factor, Array(late[0].utf8))?.kind == 0x88)
      let resynchronized = try drifted.ask(0x14, Array(late[1].utf8))
      #expect(resynchronized?.kind == 0x88, "\(String(describing: resynchronized))")
      try drifted.end()
      expected.append("resynchronized")

      try machine.mustAdminister("revoke", user.name, "--all", "--yes")
      expected.append("revoked")
      try machine.write(
        "HOTP/T30/6 \(user.name) - 3132333435363738393031323334353637383930\n",
        to: "/etc/users.oath", mode: "0600")
      try machine.mustAdminister("import", "--users-oath", "/etc/users.oath")
      expected.append("imported")

      try machine.keep("/etc/mfa/mfa.conf.d")
      let json = machine.folder + "/settings.json"
      try machine.write(
        #"{"mfa":{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":5}}]}}"#,
        to: json)
      try machine.mustAdminister("config", "apply", json)
      expected += ["configured", "policy-changed"]

      #expect(try shown("event") == expected)
      #expect(try shown("number") == (1...expected.count).map { "\($0)" })
      #expect(Set(try shown("verified")) == ["true"])
      let users = try shown("user", ["--user", user.name])
      #expect(users == [String](repeating: user.name, count: expected.count - 3))
      #expect(
        try shown("via")[0...4] == [
          "mfa-admin", "mfa-helper", "mfa-helper", "mfa-helper", service,
        ])
      #expect(try shown("name")[2] == "my phone")
      // The log does not know who edited a file, but knows who ran mfa-admin.
      #expect(try shown("by").first == "null" && shown("by").last == "root")
      #expect(try shown("event", ["--since", "9999-01-01"]).isEmpty)
      let time = try #require(try shown("time").last)
      #expect(try shown("checkpoint", ["--since", time]).last == shown("checkpoint").last)

      // Each log line about such a change ends with the checkpoint of its entry, and no other
      // line does.
      let marks = try machine.log.entries(since: start).compactMap { $0.fields["checkpoint"] }
      let kept = try shown("checkpoint")
      #expect(marks == Array(kept.dropFirst()))
      let last = try #require(kept.last)
      #expect(try verify(["--expect", last]).status == .exited(0))
      #expect(try verify(["--expect", "\(expected.count):00000000"]).status == .exited(1))
      let text = try machine.existingText(of: Self.auditLog)
      // The factor, and the ticket that was used to enrol it.
      let byTicket = #/event=enrolled-by-ticket\s.*\sid=[0-9a-f]{32},[0-9a-f]{8}\s/#
      #expect(text.contains(byTicket), "\(text)")
      for secret in [recovery, bypass, ticket, Base32.text(secret), user.password] {
        #expect(!text.contains(secret))
      }
    }

    @Test("verify detects and locates changes of the audit log, and restored records")
    func tampering() throws {
      let (user, _) = try machine.addEnrolledUser()
      let files = StoreFiles(of: user.name)
      var old = try files.image()
      // Only the user's files, because the audit log continues.
      old.log = nil
      _ = try madeCode(["ticket", user.name])
      _ = try madeCode(["ticket", user.name])
      let good = try verify()
      #expect(
        good.status == .exited(0) && good.text.hasPrefix("4 entries are valid; the last is 4:"))

      for (row, change, expected) in [
        (1, "sed -i 3s/event=ticket-made/event=ticket-used/", "audit-log:3: a line was changed"),
        (2, "sed -i 2d", "audit-log:2: a line was changed"),
        (3, "sed -i 4d", "the last entry is missing"),
        (4, "sed -i 1p", "audit-log:2: a line was changed"),
        (5, "truncate -s 0", "the last 4 entries"),
        (6, "rm", "the last 4 entries are missing"),
      ] {
        let whole = try #require(machine.contents(of: Self.auditLog))
        let head = try #require(machine.contents(of: Self.auditLog + ".head"))
        try Command.succeed(["/bin/sh", "-ec", "\(change) \(Self.auditLog)"])
        // sed replaces the file with one that root owns; the owner alone would reveal the change.
        if row != 6 { try Command.succeed(["/bin/chown", "mfa:mfa", Self.auditLog]) }
        let found = try verify()
        #expect(found.status == .exited(1), "row \(row)")
        #expect(found.errorText.contains(expected), "row \(row): \(found.errorText)")
        #expect(found.errorText.contains("hint: "), "row \(row)")
        #expect(try verify(["--json"]).text.contains("\"valid\": false"), "row \(row)")
        let looked = try Command.run([Self.admin, "audit-log", "show"])
        #expect(looked.status == .exited(1) && looked.errorText == found.errorText, "row \(row)")
        #expect(looked.text.contains("  NOT VERIFIED\n") == [1, 2, 4].contains(row), "row \(row)")
        // The next write detects truncation; verify detects the rest.
        if [3, 5, 6].contains(row) {
          #expect(try Command.run([Self.admin, "ticket", user.name]).status == .exited(1))
        }
        try StoreFiles.put(whole, at: Self.auditLog)
        try StoreFiles.put(head, at: Self.auditLog + ".head")
      }
      #expect(try verify().status == .exited(0))
      // A file with a wrong owner or mode is not trusted, and the hint corrects it.
      try Command.succeed(["/bin/chmod", "0644", Self.auditLog])
      let distrusted = try verify()
      #expect(distrusted.status == .exited(1))
      #expect(
        distrusted.errorText.contains("hint: mfa-admin repair && mfa-admin audit-log verify"),
        "\(distrusted.errorText)")
      try Command.succeed(["/bin/chmod", "0600", Self.auditLog])
      // Both files are missing although records exist.
      let whole = try #require(machine.contents(of: Self.auditLog))
      let head = try #require(machine.contents(of: Self.auditLog + ".head"))
      let identity = try #require(machine.contents(of: StoreFiles.identity))
      try Command.succeed(["/bin/rm", Self.auditLog, Self.auditLog + ".head"])
      let gone = try Command.run([Self.admin, "audit-log", "verify"])
      #expect(
        gone.status == .exited(1)
          && gone.errorText.contains("/var/lib/mfa has no audit log, but"),
        "\(gone.errorText)")
      #expect(gone.errorText.contains("otherwise: mfa-admin adopt-store "), "\(gone.errorText)")
      let adopted = try Command.run([Self.admin, "adopt-store", "--yes"])
      #expect(adopted.status == .exited(0), "\(adopted.errorText)")
      for _ in 0..<2 {
        let gone = try Command.run([Self.admin, "audit-log", "verify"])
        #expect(gone.status == .exited(1))
        #expect(gone.errorText.contains("the record of \(user.name): an"), "\(gone.errorText)")
        #expect(gone.errorText.contains("hint: ") && gone.errorText.contains("--begun-anew"))
        let json = try Command.run([Self.admin, "audit-log", "verify", "--json"])
        #expect(json.status == .exited(1) && json.text.contains("\"valid\": false"))
      }
      let begun = try verify()
      #expect(begun.status == .exited(0) && begun.text.contains("no entries about 1 record\n"))
      try StoreFiles.put(whole, at: Self.auditLog)
      try StoreFiles.put(head, at: Self.auditLog + ".head")
      try StoreFiles.put(identity, at: StoreFiles.identity)
      #expect(try verify().status == .exited(0))
      try files.restore(old)
      let restored = try verify()
      #expect(restored.status == .exited(1))
      #expect(
        restored.text.contains(
          "\(user.name): the record matches entry 2, but entry 4 was not carried out or was undone"
        ))
      try Command.succeed(["/bin/rm", files.record])
      #expect(try verify().text.contains("\(user.name): the record was removed after entry 4"))
    }

    @Test("a change that cannot be recorded is refused, but a code is accepted")
    func unwritable() throws {
      let (user, enrollment, service) = try machine.addSignIn()
      let helper = try session(user, code: try enrollment.phone.code(offset: -4))
      let codes = try #require(try helper.ask(0x0E)).fields.dropFirst()
      try helper.end()
      let record = machine.contents(of: StoreFiles(of: user.name).record)
      try Command.succeed(["/bin/chmod", "0640", Self.auditLog])
      let start = try machine.log.position()
      let refused = try PAMClient.signIn(
        service: service, user: user.name,
        answers: [.text(String(decoding: try #require(codes.first), as: UTF8.self))])
      #expect(refused.code == "PAM_AUTH_ERR", "\(refused)")
      let line = try machine.log.waitForEntry(containing: "result=error", since: start)
      #expect(line.fields["part"] == "audit-log" && line.fields["reason"] == "wrong-permissions")
      let ticket = try Command.run([Self.admin, "ticket", user.name])
      #expect(ticket.status == .exited(1) && ticket.output.isEmpty)
      #expect(ticket.errorText.contains("/var/lib/mfa/audit-log is not trusted"))
      let calls = machine.folder + "/calls"
      let accepted = try PAMClient.signIn(
        service: service, user: user.name,
        answers: [.text(try enrollment.phone.code(offset: -3))],
        through: SystemCallTrace.list(to: calls))
      let list = try machine.existingText(of: calls)
      // The application opens nothing of the store.
      #expect(!list.contains("/var/lib/mfa") && !list.contains(#""audit-log""#))
      #expect(accepted.code == "PAM_SUCCESS", "\(accepted)")
      #expect(machine.contents(of: StoreFiles(of: user.name).record) == record)
      try Command.succeed(["/bin/chmod", "0600", Self.auditLog])
      #expect(try verify().status == .exited(0))
    }

    @Test("a manual change of the configuration is recorded by the first program that uses it")
    func manualConfigurationChangeIsRecorded() throws {
      let (user, enrollment, service) = try machine.addSignIn()
      let configuration = "/etc/mfa/mfa.conf"
      let dropIn = configuration + ".d/70-edited.conf"
      try machine.keep(configuration + ".d")
      var count = try shown("event").count
      func signIn(as identity: Identity = .current) throws -> String {
        try PAMClient.signIn(
          service: service, user: user.name, answers: [.text("000000")], as: identity
        ).code
      }
      for (row, change, program) in [
        (1, { try machine.writeConfiguration("[project]\nthrottle_after = 50\n") }, service),
        (2, { try machine.write("[project]\nstate = observe\n", to: dropIn) }, service),
        (3, { try machine.write("[project]\nstate = disabled\n", to: dropIn) }, service),
        (4, { try Command.succeed(["/bin/rm", dropIn]) }, "mfa-admin"),
        (5, { try machine.write("[project]\nremember = off\n", to: dropIn) }, "mfa-helper"),
        (6, { try Command.succeed(["/bin/rm", dropIn]) }, service),
      ] as [(Int, () throws -> Void, String)] {
        let start = try machine.log.position()
        try change()
        // Run twice, because a known configuration is not recorded again.
        for _ in 0..<2 {
          switch row {
          case 4: try machine.mustAdminister("audit-log", "verify")
          case 5:
            let helper = try HelperSession.begun(as: user)
            try helper.end()
          case 6: _ = try signIn(as: user.identity)
          case _: #expect(try signIn() == (row == 1 ? "PAM_AUTH_ERR" : "PAM_PERM_DENIED"))
          }
        }
        count += 1
        #expect(try shown("event").count == count, "row \(row)")
        #expect(try shown("event").last == "policy-changed", "row \(row)")
        #expect(try shown("via").last == program, "row \(row)")
        let newest = [1, 4, 6].contains(row) ? configuration : dropIn
        let name = try #require(try shown("name").last)
        #expect(name.hasPrefix(newest + "@20") && name.hasSuffix("Z"), "row \(row): \(name)")
        let lines = try machine.log.entries(since: start).filter {
          $0.fields["result"] == "policy-changed"
        }
        #expect(lines.count == 1, "row \(row)")
        #expect(lines.first?.fields["checkpoint"] == (try shown("checkpoint").last), "row \(row)")
      }
      // A configuration change takes effect even if it cannot be recorded.
      try machine.writeConfiguration("[project]\nthrottle_after = 60\n")
      try Command.succeed(["/bin/chmod", "0640", Self.auditLog])
      let start = try machine.log.position()
      let accepted = try PAMClient.signIn(
        service: service, user: user.name, answers: [.text(try enrollment.phone.code(offset: -2))]
      )
      #expect(accepted.code == "PAM_SUCCESS", "\(accepted)")
      let line = try machine.log.waitForEntry(containing: "result=policy-changed", since: start)
      #expect(line.fields["part"] == "audit-log" && line.fields["reason"] == "wrong-permissions")
      try Command.succeed(["/bin/chmod", "0600", Self.auditLog])
      #expect(try verify().status == .exited(0))
      #expect(try shown("event").count == count + 1)
    }

    @Test("a report names unmet requirements and the related audit log entries")
    func report() throws {
      let (user, _) = try machine.addEnrolledUser()
      try machine.write("#!/bin/sh\n", to: "/usr/sbin/sendmail", mode: "0755")
      try machine.writeConfiguration("[project]\nstate = enabled\nenrollment = required\n")
      try machine.writeService("sshd", OneCode.stack)
      _ = try madeCode(["bypass", user.name, "--reason", "phone lost"])
      // By default, sshd accepts a key and asks for nothing else.
      let open = try Command.run([Self.admin, "report"])
      #expect(open.status == .exited(1))
      #expect(open.text.contains("PCI DSS 4.0.1 8.4.1  NOT MET\n"), "\(open.text)")
      #expect(open.text.contains("/etc/ssh/sshd_config: users who sign in by ssh with a key"))
      try machine.write(
        try Guide.blocks(under: "ssh: a key, then a code")[1].joined(separator: "\n") + "\n",
        to: "/etc/ssh/sshd_config.d/00-mfa.conf")
      let report = try Command.run([Self.admin, "report"])
      #expect(
        report.status == .exited(0) || report.text.contains("without an entry"), "\(report.text)")
      #expect(report.text.contains("    - bound: 1, removed: 0\n"))
      #expect(report.text.contains("    - the audit log was verified\n"))
      #expect(report.text.contains("enrollment = required  # /etc/mfa/mfa.conf:3\n"))
      #expect(report.text.contains("created: 1, used: 0, valid"))

      try machine.writeConfiguration("[project]\nstate = observe\nenrollment = required\n")
      let observed = try Command.run([Self.admin, "report", "--json"])
      #expect(observed.status == .exited(1))
      #expect(observed.errorText.contains("items are not met"))
      #expect(observed.text.contains("\"setting\": \"state = observe\""))
      try machine.writeConfiguration("[project]\nstate = never\n")
      #expect(try Command.run([Self.admin, "report"]).status == .exited(1))
    }

    @Test("an entry in text form names the user who made the change, and its source")
    func actors() throws {
      let user = try machine.addUser()
      let terminal = try TerminalSession(
        [Self.admin, "bypass", user.name, "--reason", "phone lost"])
      #expect(try terminal.waitForExit() == .exited(0), "\(terminal.transcript)")
      _ = try machine.enroll(user)
      #expect(try shown("by").suffix(2) == ["root", user.name])
      let uid = try Command.succeed(["/usr/bin/id", "-u", user.name])
      #expect(try shown("byUid").suffix(2).joined(separator: " ") + "\n" == "0 " + uid)
      let lines = try machine.mustAdminister("audit-log", "show", "--user", user.name).text
        .split(separator: "\n")
      #expect(lines.count == 2)
      let first = try #require(lines.first)
      let begin = #/^2\s\s20[0-9T:Z-]+\s\s[a-z0-9-]+\s\sbypass-made\s\s"phone\ lost"/#
      let end = #/\s\s\([0-9a-f]{8}\)\s\sby\ root\ via\ mfa-admin\s\sfrom\ (/dev/)?pts/[0-9]+$/#
      #expect(first.contains(begin) && first.contains(end), "\(first)")
    }

    @Test("revoking an unreadable record and revoking a single factor are both recorded")
    func revoking() throws {
      let (user, _) = try machine.addEnrolledUser()
      let (other, _) = try machine.addEnrolledUser()
      let files = StoreFiles(of: user.name)
      try machine.write("none", to: files.record, owner: "mfa", group: "mfa", mode: "0600")
      try machine.mustAdminister("revoke", user.name, "--all", "--yes")
      try machine.mustAdminister("revoke", other.name, "--yes")
      #expect(try shown("event").suffix(2) == ["revoked", "unenrolled"])
      #expect(try shown("user").suffix(2) == [user.name, other.name])
      #expect(try verify().status == .exited(0))
    }

    @Test("thirty-two concurrent programs record their changes one after the other")
    func atOnce() throws {
      let users = try (0..<8).map { _ in try machine.addUser().name }
      try Command.succeed(
        [
          "/bin/sh", "-c",
          "for user; do for i in 1 2 3 4; do \(Self.admin) ticket $user & done; done; wait", "sh",
        ] + users)
      #expect(try shown("number", ["--last", "100"]) == (1...33).map { "\($0)" })
      // By default, the last twenty entries are shown.
      #expect(try shown("number") == (14...33).map { "\($0)" })
      #expect(try shown("number", ["--last", "2"]) == ["32", "33"])
      for user in users { #expect(try shown("event", ["--user", user]).count == 4) }
      #expect(try verify().status == .exited(0))
    }
  }
}
