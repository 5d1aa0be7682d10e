import MFATestSupport
import Testing

extension EndToEnd {
  /// Kernel audit records, recorded by a substitute libaudit that logs how it is called.
  @Suite struct AuditTrail {
    @Test("codes and changes are recorded, without host names that libaudit would resolve")
    func records() throws {
      try Machine.use { machine in
        let library = try StandInAudit(machine)
        let (user, enrollment) = try machine.addEnrolledUser()
        let service = try machine.makeService(OneCode.stack)
        for (answer, host, terminal) in [
          (try enrollment.phone.code(offset: -3), "203.0.113.9", "ssh"),
          ("000000", "2001:db8::1", "tty 1"), ("no code", "203.0.113.9", "ssh"),
          (try enrollment.phone.code(offset: -2), "host.example", "ssh"),
        ] {
          var options = PAMClient.Options()
          options.remoteHost = host
          options.terminal = terminal
          _ = try PAMClient.signIn(
            service: service, user: user.name, answers: [.text(answer)], options: options,
            environment: ["LD_LIBRARY_PATH": library.folder])
        }
        #expect(
          library.records(machine) == [
            "1100 mfa:code \(user.name) -1 NULL 203.0.113.9 ssh 1",
            "1100 mfa:code \(user.name) -1 NULL 2001:db8::1 tty\\x201 0",
            "1100 mfa:code \(user.name) -1 NULL ? ssh 1",
          ])
        for arguments in [
          ["ticket", user.name], ["withdraw", user.name, "--all"],
          ["revoke", user.name, "--all", "--yes"],
        ] {
          try Command.succeed(
            ["/usr/sbin/mfa-admin"] + arguments, environment: ["LD_LIBRARY_PATH": library.folder])
        }
        #expect(
          library.records(machine).dropFirst(3) == [
            "1102 mfa:ticket-made \(user.name) -1 NULL ? ? 1",
            "1102 mfa:grant-withdrawn \(user.name) -1 NULL ? ? 1",
            "1102 mfa:revoked \(user.name) -1 NULL ? ? 1",
          ])
      }
    }

    @Test("configuration and service changes of mfa-admin are recorded")
    func configuration() throws {
      try Machine.use { machine in
        let library = try StandInAudit(machine)
        try machine.keepServices()
        try machine.keep("/etc/mfa/mfa.conf.d")
        let json = machine.folder + "/mfa.json"
        try machine.write(
          #"{"mfa": {"providerConfigs": [{"state": "ENABLED", "totpProviderConfig": {}}]}}"#,
          to: json)
        for arguments in [
          ["config", "apply", json], ["enable", "su", "--no-confirm"], ["disable", "su"],
          ["enable", "su"], ["restore", "--boot"],
        ] {
          try Command.succeed(
            [ServiceFiles.program] + arguments, environment: ["LD_LIBRARY_PATH": library.folder])
        }
        let file = "/etc/mfa/mfa.conf.d/50-identity-platform.conf"
        #expect(
          library.records(machine) == [
            "1111 op=mfa:configured file=\(file) NULL ? ? 1",
            "1111 op=mfa:service-enabled service=su NULL ? ? 1",
            "1111 op=mfa:service-disabled service=su NULL ? ? 1",
            "1111 op=mfa:service-enabled service=su NULL ? ? 1",
            "1111 op=mfa:service-restored service=su NULL ? ? 1",
          ])
      }
    }

    @Test("sign-ins work without kernel auditing, and for processes that are not root's")
    func absent() throws {
      try Machine.use { machine in
        let library = try StandInAudit(machine, opens: "(errno = EPROTONOSUPPORT, -1)")
        let (user, enrollment) = try machine.addEnrolledUser()
        let service = try machine.makeService(OneCode.stack)
        let environment = ["LD_LIBRARY_PATH": library.folder]
        let first = try PAMClient.signIn(
          service: service, user: user.name,
          answers: [.text(try enrollment.phone.code(offset: -3))],
          environment: environment)
        #expect(first.code == "PAM_SUCCESS", "\(first)")
        let own = try PAMClient.signIn(
          service: service, user: user.name,
          answers: [.text(try enrollment.phone.code(offset: -2))],
          as: user.identity, environment: environment)
        #expect(own.code == "PAM_SUCCESS", "\(own)")
        #expect(library.records(machine).isEmpty)
      }
    }
  }
}
