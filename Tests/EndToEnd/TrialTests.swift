import MFATestSupport
import Testing

extension EndToEnd {
  /// The trial before `mfa-admin enable` changes anything.
  @Suite struct Trial {
    init() throws { try machine.keepServices() }

    static let services = ["sshd", "login", "su", "sudo"]

    @Test("each of Debian's services is tried, and the trial leaves nothing behind")
    func leavesNothing() throws {
      let before = try Self.traces()
      let start = try machine.log.position()
      let tried = try Self.administer(["try-sign-in"] + Self.services)
      #expect(tried.status == .exited(0), "\(tried.errorText)")
      let expected = Self.services.map { "proven\t\($0)\t\n" }.joined()
      #expect(tried.text == expected, "\(tried.text) \(tried.errorText)")
      #expect(try Self.traces() == before)
      let lines = try machine.log.entries(since: start).map(\.line)
      #expect(lines.filter { $0.contains("mfa-trial") }.isEmpty, "\(lines)")
    }

    @Test(
      "services are tried although policy remembers a code",
      arguments: [
        "remember = 8h\nremember_services = sshd, sudo, login, su\n", "fresh_for = 15m\n",
      ])
    func remembered(settings: String) throws {
      try machine.writeConfiguration("[project]\n" + settings)
      for factors in ["password+code", "key+code", "key-or-password+code"] {
        let tried = try Self.administer(["try-sign-in", "--factors", factors, "sshd"])
        #expect(tried.text == "proven\tsshd\t\n", "\(factors): \(tried.text) \(tried.errorText)")
      }
      let others = try Self.administer(["try-sign-in", "login", "su", "sudo"])
      #expect(others.text == "proven\tlogin\t\nproven\tsu\t\nproven\tsudo\t\n", "\(others.text)")
    }

    @Test("on a host of a realm, the trial uses a store of its own, and leaves nothing behind")
    func hostOfARealm() throws {
      machine.atTheEnd("leave the realm") { try Command.succeed(["/bin/rm", "/etc/mfa/realm"]) }
      try Command.succeed(["/usr/bin/touch", "/etc/mfa/realm"])
      let before = try Self.traces()
      let tried = try Self.administer(["try-sign-in", "sudo", "login"])
      #expect(tried.text == "proven\tsudo\t\nproven\tlogin\t\n", "\(tried.errorText)")
      #expect(try Self.traces() == before)
    }

    static func administer(_ arguments: [String]) throws -> Command {
      try Command.run([ServiceFiles.program] + arguments)
    }

    /// What a sign-in of an account on this machine would change.
    static func traces() throws -> String {
      try Command.succeed([
        "/bin/sh", "-c",
        "cat /etc/passwd /etc/shadow; ls -lR /var/lib/mfa /etc/mfa /run/faillock; cat "
          + "/proc/self/mountinfo; find /etc/pam.d /etc/ssh -newer /etc/hostname | sort",
      ])
    }

    struct Fault: Sendable, CustomTestStringConvertible {
      let number: Int
      let service: String
      let message: String
      let change: @Sendable (Machine) throws -> Void
      var testDescription: String { "\(number)" }

      init(
        _ number: Int, _ service: String, _ message: String,
        change: @escaping @Sendable (Machine) throws -> Void
      ) {
        self.number = number
        self.service = service
        self.message = message
        self.change = change
      }
    }

    static let rows = [
      Fault(1, "sudo", "libpam cannot load pam_mfa.so: ") { machine in
        let module = try Command.succeed([
          "/bin/sh", "-c", "ls /usr/lib/*/security/pam_mfa.so",
        ]).split(separator: "\n").map { String($0) }
        let path = try #require(module.first)
        try machine.write("damaged\n", to: path)
      },
      Fault(2, "sudo", "/etc/mfa/mfa.conf:2: ") { machine in
        try machine.writeConfiguration("[project]\nstat = enabled\n")
      },
      Fault(3, "sudo", "the store cannot be used: /etc/mfa/key is not trusted: wrong-permissions") {
        machine in
        try machine.keep("/etc/mfa/key")
        try Command.succeed(["/bin/chmod", "0444", "/etc/mfa/key"])
      },
      Fault(4, "sshd", "line 1: Bad configuration option: Foo") {
        try $0.write("Foo bar\n", to: "/etc/ssh/sshd_config.d/99-x.conf")
      },
      // This module decides by the name, which no examination of the lines can know.
      Fault(5, "sudo", "denied") { machine in
        try machine.writeService(
          "sudo",
          [
            "auth requisite pam_unix.so", "account required pam_unix.so",
            "account [success=ignore default=die] pam_succeed_if.so user notin x:y",
            "account requisite pam_exec.so /bin/sh -c [grep -q ^auth.requisite.pam_mfa /etc/pam.d/sudo && exit 1; exit 0]",
          ])
      },
    ]

    @Test(
      "a service that would not work is not enabled, and the message has the cause",
      arguments: rows)
    func faults(fault: Fault) throws {
      try fault.change(machine)
      let files = ServiceFiles([fault.service])
      // Neither needs a test account.
      let untried = ["--no-confirm", "--untried"]
      for arguments in [["--no-confirm"], []] + (fault.number <= 2 ? [untried] : []) {
        let enabled = try Self.administer(["enable"] + arguments + [fault.service])
        #expect(enabled.status == .exited(1), "\(fault.number): \(enabled.text)")
        #expect(enabled.errorText.contains(fault.message), "\(fault.number): \(enabled.errorText)")
        #expect(files.isRestored && ServiceFiles.waiting.isEmpty)
      }
    }

    @Test("a service that denies test accounts is enabled only with a confirmation or --untried")
    func untried() throws {
      try machine.writeService(
        "sudo",
        [
          "auth requisite pam_unix.so", "account requisite pam_succeed_if.so user = root",
        ])
      let refused = try Self.administer(["enable", "--no-confirm", "sudo"])
      #expect(refused.status == .exited(1))
      #expect(
        refused.errorText.contains("the present file already denies a test account"),
        "\(refused.errorText)")
      let untried = try Self.administer(["enable", "--no-confirm", "--untried", "sudo"])
      #expect(untried.status == .exited(0), "\(untried.errorText)")
      _ = try Self.administer(["disable", "sudo"])
      let waiting = try Self.administer(["enable", "sudo"])
      #expect(waiting.status == .exited(0), "\(waiting.errorText)")
      #expect(waiting.errorText.contains("a trial sign-in was not possible"))
      #expect(ServiceFiles.waiting == ["sudo"])
    }

    @Test("sshd can be enabled although its folder in /run is missing")
    func folderOfServer() throws {
      try Command.shell("rmdir /run/sshd 2>/dev/null; true")
      let enabled = try Self.administer(["enable", "--no-confirm", "sshd"])
      #expect(enabled.status == .exited(0), "\(enabled.errorText)")
    }

    @Test("what policy decides about the test accounts is expected of the service")
    func policy() throws {
      try machine.writeConfiguration("[project]\nenrollment = required\n")
      #expect(try Self.administer(["enable", "--no-confirm", "sudo"]).status == .exited(0))
      _ = try Self.administer(["disable", "sudo"])
      try machine.writeConfiguration("[project]\nstate = disabled\n")
      let off = try Self.administer(["enable", "--no-confirm", "sudo"])
      #expect(off.status == .exited(0), "\(off.errorText)")
      #expect(off.errorText.contains("note: sudo: no code was tried"), "\(off.errorText)")
      _ = try Self.administer(["disable", "sudo"])
      try machine.writeConfiguration("[project]\nstate = observe\n")
      let observed = try Self.administer(["enable", "--no-confirm", "sudo"])
      #expect(observed.status == .exited(0), "\(observed.errorText)")
      #expect(observed.errorText.contains("policy only observes"), "\(observed.errorText)")
    }
  }
}
