import MFATestSupport
import Testing

extension EndToEnd {
  /// The helper's capability, and the kernel audit records that it writes.
  @Suite struct HelperAudit {
    /// The helper's only capability, in the format of /proc.
    static let auditWrite = "0000000020000000"
    static let none = "0000000000000000"

    /// Returns the capability sets of a process: inheritable, permitted, effective, ambient.
    private func capabilities(_ process: Int32) throws -> [String] {
      let status = try Command.succeed(["/bin/cat", "/proc/\(process)/status"])
      return try ["CapInh", "CapPrm", "CapEff", "CapAmb"].map { name in
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix(name) })
        return String(line.dropFirst(name.utf8.count + 2))
      }
    }

    /// The user that starts the helper, and the capabilities of the starting process.
    enum Caller: CaseIterable {
      case user, userWithInheritable, root, rootWithAmbient

      func session(_ user: MachineUser) throws -> HelperSession {
        switch self {
        case .user: try HelperSession(as: user)
        case .userWithInheritable:
          try HelperSession(
            as: user, through: ["/usr/bin/setpriv", "--inh-caps=+net_raw,+audit_write", "--"])
        case .root: try HelperSession(identity: .current)
        case .rootWithAmbient:
          try HelperSession(
            identity: .current,
            through: [
              "/usr/bin/setpriv", "--inh-caps=+net_raw,+audit_write",
              "--ambient-caps=+net_raw,+audit_write", "--",
            ])
        }
      }
    }

    @Test(
      "for every caller, the helper has only the audit capability, and only as permitted",
      .withoutResidentService, arguments: Caller.allCases)
    func capabilities(caller: Caller) throws {
      let user = try machine.addUser()
      let session = try caller.session(user)
      #expect(try session.greet()?.kind == 0x81)
      let expected = [Self.none, Self.auditWrite, Self.none, Self.none]
      #expect(try capabilities(session.process.number) == expected)
      #expect(try session.prove(password: user.password)?.kind == 0x84)
      #expect(try capabilities(session.process.number) == expected, "after the proof")
    }

    /// The reason why the helper does not get its capability.
    enum Lack: CaseIterable {
      case notInstalled, withheld

      func session(
        _ machine: Machine, _ user: MachineUser, _ library: StandInAudit
      ) throws -> HelperSession {
        switch self {
        case .notInstalled:
          try machine.keep(HelperSession.program)
          try Command.succeed(["/sbin/setcap", "-r", HelperSession.program])
          return try HelperSession(as: user, through: library.wrapper)
        case .withheld:
          return try HelperSession(
            as: user,
            through: library.wrapper + ["/usr/bin/setpriv", "--bounding-set=-audit_write", "--"])
        }
      }
    }

    @Test("without the capability the helper works but records nothing", arguments: Lack.allCases)
    func lack(lack: Lack) throws {
      let library = try StandInAudit(machine)
      let (user, enrollment) = try machine.addEnrolledUser()
      let session = try lack.session(machine, user, library)
      _ = try session.greet()
      #expect(
        try capabilities(session.process.number) == [Self.none, Self.none, Self.none, Self.none])
      let code = try enrollment.phone.code()
      #expect(try session.prove(password: user.password, code: code)?.kind == 0x84)
      #expect(try session.ask(8, enrollment.identifier, Array("mine".utf8))?.kind == 0x88)
      #expect(library.records(machine) == [])
    }

    @Test(
      "if capabilities cannot be dropped, the helper refuses to work",
      arguments: [
        ("capset:error=EPERM", false), ("capget:error=EFAULT", false),
        ("capget:error=ENOSYS", true),
      ])
    func cannotReduce(fault: String, works: Bool) throws {
      let user = try machine.addUser()
      let start = try machine.log.position()
      let name = String(fault.prefix(6))
      let session = try HelperSession(
        identity: .current,
        through: [
          "/usr/bin/strace", "-qq", "-o", "/dev/null", "-u", user.name, "-e", "trace=\(name)",
          "-e", "inject=\(fault)", "--",
        ])
      #expect(try session.greet()?.kind == (works ? 0x81 : nil))
      guard !works else { return }
      #expect(try session.waitForExit() == .exited(1))
      let line = try machine.log.waitForEntry(containing: "part=process", since: start)
      #expect(line.line.contains("mfa-helper["), "\(line)")
      #expect(line.fields["errno"] == fault.split(separator: "=").last.map(String.init))
    }

    @Test(
      "each audit record is written with the one capability, which is then dropped again",
      .withoutResidentService)
    func records() throws {
      let library = try StandInAudit(machine)
      let (user, enrollment) = try machine.addEnrolledUser()
      let session = try HelperSession(as: user, through: library.wrapper)
      _ = try session.greet()
      let held = [Self.none, Self.auditWrite, Self.none, Self.none]
      #expect(try session.prove(password: "not it")?.kind == 0x8B)
      // A different helper, because one that has verified a code cannot verify a password.
      let judge = try HelperSession(as: user, through: library.wrapper)
      _ = try judge.greet()
      let wrong = Array(try enrollment.phone.wrongCode().utf8)
      #expect(try judge.ask(10, wrong)?.kind == 0x8B)
      #expect(try capabilities(judge.process.number) == held)
      #expect(try capabilities(session.process.number) == held)
      let code = try enrollment.phone.code()
      #expect(try session.prove(password: user.password, code: code)?.kind == 0x84)
      #expect(try session.ask(8, enrollment.identifier, Array("mine".utf8))?.kind == 0x88)
      #expect(
        try capabilities(session.process.number) == held,
        "after the helper gave up its caller's identity")
      #expect(try session.ask(9, enrollment.identifier)?.kind == 0x89)
      #expect(
        library.records(machine) == [
          "1100 mfa:reauthentication-failed \(user.name) -1 NULL ? ? 0",
          "1100 mfa:code \(user.name) -1 NULL ? ? 0", "1100 mfa:code \(user.name) -1 NULL ? ? 1",
          "1102 mfa:renamed \(user.name) -1 NULL ? ? 1",
          "1102 mfa:unenrolled \(user.name) -1 NULL ? ? 1",
        ])
      #expect(library.capabilities(machine) == Array(repeating: Self.auditWrite, count: 5))
    }

    @Test("root's own changes through the helper are recorded too", .withoutResidentService)
    func root() throws {
      let library = try StandInAudit(machine)
      machine.atTheEnd("remove root's factors") {
        try StoreFiles(of: "root").discard()
      }
      let session = try HelperSession(identity: .current, through: library.wrapper)
      _ = try session.greet()
      #expect(try session.prove(password: "none")?.kind == 0x84)
      let secret = try #require(try session.ask(5, [1], [6], [0, 30]))
      let phone = Authenticator(key: Base32.text(secret.fields[0]))
      let code = Array(try phone.code().utf8)
      #expect(try session.ask(6, code, Array("phone".utf8))?.kind == 0x86)
      #expect(library.records(machine) == ["1102 mfa:enrolled root -1 NULL ? ? 1"])
      #expect(library.capabilities(machine) == [Self.auditWrite])
    }

    @Test(
      "the session's controlling terminal is recorded, not the one used for output",
      .withoutResidentService)
    func terminal() throws {
      let library = try StandInAudit(machine)
      let (user, enrollment) = try machine.addEnrolledUser()
      let other = try TerminalSession(["/bin/sh", "-c", "tty; read line"], as: user.identity)
      let otherName = String(try other.expect(matching: /\/dev\/(pts\/\d+)\r\n/).output.1)
      // The frames for the helper: hello, verify a code, bye.
      let code = Array(try enrollment.phone.code().utf8)
      let frames = [[1, 0, 1, HelperSession.version, 0, 1, 0], [10, 0, 6] + code, [11]].flatMap {
        body in
        [0, 0, 0, UInt8(body.count)] + body
      }
      let input = machine.folder + "/frames"
      try machine.write(frames, to: input)
      let session = try TerminalSession(
        library.wrapper
          + user.identity.commandLine([
            "/bin/sh", "-c",
            "tty; \(HelperSession.program) <\(input) >/dev/\(otherName) 2>&1; echo status $?",
          ]))
      let name = String(try session.expect(matching: /\/dev\/(pts\/\d+)\r\n/).output.1)
      try session.expect("status 0")
      #expect(name != otherName)
      #expect(library.records(machine) == ["1100 mfa:code \(user.name) -1 NULL ? \(name) 1"])
    }

    @Test("the audit log takes the terminal from the change", .withoutResidentService)
    func enrollment() throws {
      let library = try StandInAudit(machine)
      let user = try machine.addUser()
      let session = try TerminalSession(
        library.wrapper
          + user.identity.commandLine(["/bin/sh", "-c", "tty; exec mfa-enroll --name phone"]))
      let name = String(try session.expect(matching: /\/dev\/(pts\/\d+)\r\n/).output.1)
      try session.answer("Password: ", with: user.password)
      try session.send(try session.keyOnScreen().phone.code(offset: -1))
      try session.expect("was added")
      try session.keepRecoveryCodes()
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      let enrolled = "1102 mfa:enrolled \(user.name) -1 NULL ? \(name) 1"
      #expect(library.records(machine).contains(enrolled), "\(library.records(machine))")
      let auditLog = machine.text(of: "/var/lib/mfa/audit-log")
      let entry = try #require(
        auditLog.split(separator: "\n").last { $0.contains("user=\(user.name) ") })
      #expect(entry.contains(" from=\(name) "), "\(entry)")
    }

    @Test("the mailer that the helper starts for root has no capability")
    func mailer() throws {
      let (user, _) = try machine.addEnrolledUser()
      let file = machine.folder + "/status"
      try machine.write("", to: file, mode: "0666")
      try machine.write(
        """
        #!/bin/sh
        cat /proc/$$/status >\(file)
        logger -u /dev/log -p mail.info -t sendmail mailed=yes

        """, to: "/usr/sbin/sendmail", mode: "0755")
      let start = try machine.log.position()
      try machine.mustAdminister("ticket", user.name)
      _ = try machine.log.waitForEntry(containing: "mailed=", since: start)
      let status = machine.text(of: file)
      for name in ["CapInh", "CapPrm", "CapEff", "CapAmb"] {
        #expect(status.contains("\(name):\t\(Self.none)\n"), "\(status)")
      }
    }

    @Test(
      "the kernel records an enrolment",
      .enabled(if: KernelAuditTrail.isKept, "the kernel has auditing switched off: auditctl -e 1"))
    func kernel() throws {
      let user = try machine.addUser()
      let trail = try KernelAuditTrail()
      _ = try machine.enroll(user)
      // The listener receives records of other machines too.
      let change = "'op=mfa:enrolled acct=\"\(user.name)\" exe=\"\(HelperSession.program)\" "
      let record = try #require(try trail.record(containing: change))
      #expect(record.contains("addr=? terminal=? res=success"), "\(record)")
      let number = try Command.succeed(["/usr/bin/id", "-u", "mfa"]).dropLast()
      #expect(record.contains(" uid=\(number) "), "\(record)")
    }
  }
}
