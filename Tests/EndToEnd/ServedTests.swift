import Foundation
import MFAMessages
import MFATestSupport
import Testing

extension EndToEnd {
  /// Sign-ins that the resident service decides, and what happens to them when it fails. The tests
  /// start the service themselves.
  @Suite(.withoutResidentService) struct Served {
    static let stack = ["auth required pam_mfa.so tries=1", "account required pam_mfa.so"]

    /// Keeps the helper from deciding: without its setuid bit, it refuses to work. What is accepted then, the
    /// service has accepted.
    private static func withoutHelper(_ machine: Machine) throws {
      try Command.succeed(["/bin/chmod", "0755", HelperSession.program])
      machine.atTheEnd("set the helper's bits") { try withHelper() }
    }

    /// Lets the helper decide again.
    private static func withHelper() throws {
      try Command.succeed(["/bin/chmod", "6755", HelperSession.program])
    }

    private static func signIn(
      _ service: String, _ user: MachineUser, _ code: String,
      options: PAMClient.Options = PAMClient.Options()
    ) throws -> PAMOutcome {
      try PAMClient.signIn(
        service: service, user: user.name, answers: [.text(code)], options: options)
    }

    /// Returns the log lines about a failure of the service.
    private static func failures(
      _ machine: Machine, since start: SystemLog.Position
    ) throws -> [String?] {
      try machine.log.entries(since: start).filter { $0.fields["part"] == "resident" }
        .map { $0.fields["reason"] }
    }

    /// Files that root can read and the user mfa cannot, as a shell with the umask makes them.
    struct UnreadableFile: Sendable, CustomTestStringConvertible {
      let script: String
      /// What the remedy names.
      let place: String
      var testDescription: String { script }
    }

    @Test(
      "what mfad cannot read denies sign-ins, every tool that predicts says so, and the remedy helps",
      arguments: [
        UnreadableFile(
          script: "umask 027; printf '[project]\\nstate = observe\\n' | tee $D/x.conf",
          place: "/etc/mfa/mfa.conf.d/x.conf"),
        UnreadableFile(script: "chmod 0600 /etc/mfa/mfa.conf", place: "/etc/mfa/mfa.conf"),
        UnreadableFile(script: "chmod 0750 $D", place: "/etc/mfa/mfa.conf.d"),
        UnreadableFile(script: "chmod 0711 /etc/mfa", place: "/etc/mfa"),
      ])
    func unreadableFile(file: UnreadableFile) throws {
      try machine.keepConfiguration()
      try machine.keepServices()
      let user = try machine.addUser()
      let service = try machine.makeService(Self.stack)
      try machine.writeConfiguration("[project]\n")
      _ = try ResidentService(on: machine)
      func signIn() throws -> String {
        try user.signIn(to: service, typing: "x").code
      }
      let before = try signIn()
      #expect(before != "PAM_AUTH_ERR")
      try Command.succeed(["/bin/sh", "-ec", "D=/etc/mfa/mfa.conf.d; " + file.script])
      #expect(try signIn() == "PAM_AUTH_ERR")

      let words = "the user mfa, who decides about sign-ins, cannot read "
      let check = try machine.administer("config", "check")
      #expect(check.status == .exited(1) && check.errorText.contains(words), "\(check.errorText)")
      let remedy = try #require(
        check.errorText.split(separator: "\n").first { $0.contains("hint: ch") }.map {
          String($0.drop { $0 != ":" }.dropFirst().drop { $0 != ":" }.dropFirst(2))
        }, "\(check.errorText)")
      #expect(remedy.contains(file.place), "\(remedy)")
      for arguments in [
        ["config", "show"], ["readiness"], ["enable", "--no-confirm", "login"],
        ["explain", "--user", user.name, "--service", service],
      ] {
        let command = try Command.run(["/usr/sbin/mfa-admin"] + arguments)
        #expect((command.text + command.errorText).contains(words), "\(arguments): \(command)")
      }
      let doctor = try Doctor.examine(["--json"])
      #expect(
        try Doctor.found(doctor).contains { $0.hasPrefix("error configuration ") }
          && doctor.text.contains(remedy), "\(doctor.text)")

      // The remedy helps, and doctor has nothing against it.
      try Command.succeed(["/bin/sh", "-ec", remedy])
      #expect(try machine.administer("config", "check").status == .exited(0))
      #expect(try signIn() == before)
      let mended = try Doctor.found(try Doctor.examine(["--json"]))
      #expect(!mended.contains { $0.hasPrefix("error ") && $0.contains("/etc/mfa") }, "\(mended)")
      #expect(!(try machine.administer("readiness").errorText.contains(words)))
    }

    @Test("config set and config write make files that mfad can read, whatever the umask")
    func configurationCommands() throws {
      try machine.keepConfiguration()
      let (user, _) = try machine.addEnrolledUser()
      let service = try machine.makeService(Self.stack)
      let other = try machine.makeService([
        "auth requisite pam_mfa.so", "auth required pam_permit.so",
        "account required pam_permit.so",
      ])
      try machine.writeConfiguration("[project]\n")
      _ = try ResidentService(on: machine)
      func run(_ arguments: String, input: String = "") throws -> Command {
        try Command.run(
          ["/bin/sh", "-c", "umask 077; mfa-admin config \(arguments)"], input: Array(input.utf8))
      }
      func signIn() throws -> String {
        try user.signIn(to: service, typing: "x").code
      }
      #expect(try signIn() == "PAM_AUTH_ERR")
      let emergency = "/etc/mfa/mfa.conf.d/99-emergency.conf"
      let set = try run("set --file 99-emergency.conf state disabled")
      #expect(set.status == .exited(0), "\(set.errorText)")
      // Of the first service, nothing but the code would let the user in.
      #expect(
        set.text.contains("1 user (\(user.name)) will be denied at \(service): "),
        "\(set.text) \(set.errorText)")
      #expect(
        set.text.contains(
          "(\(user.name)) will be let in without a code at \(other) (before: asked for a code)\n"),
        "\(set.text)")
      #expect(try user.signIn(to: other, typing: "x").code == "PAM_SUCCESS")
      #expect(
        try Command.succeed(["/usr/bin/stat", "-c", "%U %G %a", emergency]) == "root root 644\n")
      #expect(try signIn() != "PAM_AUTH_ERR")
      // The file that decides the key is changed, and its version before is kept.
      let enabled = try run("set state enabled").text
      #expect(enabled.contains(emergency + ".old"))
      #expect(
        enabled.contains("(\(user.name)) will be asked for a code at \(service) ("), "\(enabled)")
      #expect(try signIn() == "PAM_AUTH_ERR")
      #expect(
        machine.contents(of: emergency + ".old") == Array("[project]\nstate = disabled\n".utf8))
      try Command.succeed(["/bin/rm", emergency])

      let written = try run("write 10-a.conf", input: "[project]\nstate = observe\n")
      #expect(written.status == .exited(0), "\(written.errorText)")
      try Command.succeed(["/bin/chgrp", "mfa", "/etc/mfa/mfa.conf.d/10-a.conf"])
      try Command.succeed(["/bin/chmod", "0640", "/etc/mfa/mfa.conf.d/10-a.conf"])
      let before = machine.contents(of: "/etc/mfa/mfa.conf.d/10-a.conf")
      for (arguments, input, status) in [
        ("write 10-a.conf", "[project]\nstate = on\n", Int32(1)), ("set state on", "", 1),
        ("set no_such_key 1", "", 1), ("write a.txt", "", 64), ("set state 'a\nb'", "", 64),
        ("write ../x.conf", "", 64), ("set --tenant nobody state enabled", "", 1),
      ] {
        let refused = try run(arguments, input: input)
        #expect(refused.status == .exited(status), "\(arguments): \(refused.errorText)")
        #expect(machine.contents(of: "/etc/mfa/mfa.conf.d/10-a.conf") == before)
      }
      #expect(try run("set state enabled").status == .exited(0))
      #expect(
        try Command.succeed(["/usr/bin/stat", "-c", "%G %a", "/etc/mfa/mfa.conf.d/10-a.conf"])
          == "mfa 640\n")

      // A mistake in another file, and a store that cannot be opened, do not stand in the way.
      try machine.writeConfiguration("[project]\nstat = 1\n")
      try machine.keep("/etc/mfa/key")
      try Command.succeed(["/bin/mv", "/etc/mfa/key", "/etc/mfa/key.away"])
      let broken = try run("set --file 99-emergency.conf state disabled")
      #expect(broken.status == .exited(1), "\(broken.errorText)")
      #expect(broken.errorText.contains("/etc/mfa/mfa.conf:2: "), "\(broken.errorText)")
      #expect(machine.contents(of: emergency) == Array("[project]\nstate = disabled\n".utf8))
      let mended = try run("write mfa.conf", input: "[project]\n")
      #expect(mended.status == .exited(0), "\(mended.errorText)")
      #expect(try signIn() != "PAM_AUTH_ERR")
      #expect(try machine.administer("config", "check").status == .exited(0))
    }

    @Test("the service decides, and the application opens neither store nor key")
    func decides() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let service = try machine.makeService(Self.stack)
      let resident = try ResidentService(on: machine)
      try Self.withoutHelper(machine)
      let list = machine.folder + "/calls"
      var options = PAMClient.Options()
      options.asksAccount = true
      let start = try machine.log.position()
      let accepted = try PAMClient.signIn(
        service: service, user: user.name, answers: [.text(try enrollment.phone.code())],
        options: options, through: SystemCallTrace.list(to: list))
      #expect(accepted.results.map(\.code) == ["PAM_SUCCESS", "PAM_SUCCESS"], "\(accepted)")
      let calls = try machine.existingText(of: list)
      #expect(!calls.contains("/var/lib/mfa") && !calls.contains("/etc/mfa"), "\(calls)")
      #expect(calls.contains("/run/mfa/root") && !calls.contains("mfa-helper"))
      #expect(!calls.contains("libcrypto"), "\(calls)")
      let entry = try #require(try OneCode.logged(machine, since: start).first)
      #expect(entry.fields["result"] == "accepted" && entry.line.contains("pam-client"))

      try resident.stop()
      let without = try Self.signIn(service, user, try enrollment.phone.code(offset: 1))
      #expect(without.code == "PAM_AUTH_ERR" && without.prompts.isEmpty, "\(without)")
      try Self.withHelper()
      let after = try Self.signIn(service, user, try enrollment.phone.code(offset: 1))
      #expect(after.code == "PAM_SUCCESS", "\(after)")
    }

    @Test("a change of the configuration, of groups or of factors is in force for the next sign-in")
    func fresh() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let (other, otherEnrollment) = try machine.addEnrolledUser()
      let service = try machine.makeService(OneCode.stack + ["auth required pam_permit.so"])
      _ = try ResidentService(on: machine)
      try Self.withoutHelper(machine)
      func code(_ user: MachineUser, _ text: String) throws -> String {
        try Self.signIn(service, user, text).code
      }
      // The service has read everything before each change.
      let wrong = try enrollment.phone.wrongCode()
      #expect(try code(user, wrong) == "PAM_AUTH_ERR")
      for round in 1...3 {
        try machine.writeConfiguration("[project]\nstate = disabled\n# \(round)\n")
        #expect(try code(user, wrong) == "PAM_SUCCESS", "\(round)")
        try machine.writeConfiguration(
          "[project]\n[tenant wheel]\ngroups = served\nstate = disabled\n# \(round)\n")
        #expect(try code(user, wrong) == "PAM_AUTH_ERR", "\(round)")
        try Command.succeed(["/usr/sbin/groupadd", "served"])
        machine.atTheEnd("remove the group") {
          _ = try Command.run(["/usr/sbin/groupdel", "served"])
        }
        try Command.succeed(["/usr/sbin/usermod", "-aG", "served", user.name])
        #expect(try code(user, wrong) == "PAM_SUCCESS", "\(round)")
        try Command.succeed(["/usr/sbin/groupdel", "served"])
        try machine.writeConfiguration("[project]\n# \(round)\n")
        #expect(try code(other, try otherEnrollment.phone.code(offset: round)) == "PAM_SUCCESS")
      }
      try machine.mustAdminister("revoke", "--yes", "--all", other.name)
      let revoked = try Self.signIn(service, other, try otherEnrollment.phone.code(offset: 4))
      // Policy does not require a factor.
      #expect(revoked.code == "PAM_SUCCESS" && revoked.prompts.isEmpty, "\(revoked)")
      #expect(try code(user, try enrollment.phone.code()) == "PAM_SUCCESS")
      try machine.keep("/etc/mfa/key")
      try Command.succeed([
        "/bin/sh", "-c",
        "head -c 32 /dev/urandom | install -o mfa -g mfa -m 0400 /dev/stdin /etc/mfa/key",
      ])
      let start = try machine.log.position()
      #expect(try code(user, try enrollment.phone.code(offset: 1)) == "PAM_AUTH_ERR")
      let entry = try #require(try OneCode.logged(machine, since: start).first)
      #expect(entry.fields["result"] == "error" && entry.fields["part"] != "resident", "\(entry)")
    }

    @Test("1,000 open prompts occupy no process and little memory, and delay nobody")
    func thousandPrompts() throws {
      let (user, enrollment, service) = try machine.addSignIn()
      let (other, otherEnrollment) = try machine.addEnrolledUser()
      let resident = try ResidentService(on: machine)
      let code = try enrollment.phone.code()
      let signIns = try HeldSignIns(
        service: service, user: user.name,
        answers: Array(repeating: [.text(code)], count: 1000))
      #expect(try signIns.waitUntilAsked() == 1000)
      #expect(resident.memory < 64 * 1024, "\(resident.memory)")
      let between = try Self.signIn(service, other, try otherEnrollment.phone.code())
      #expect(between.code == "PAM_SUCCESS", "\(between)")
      // No process waits for an answer, and at most 8 wait for connections to each socket.
      #expect(Deadline.usual.waits { resident.workers.count <= 16 }, "\(resident.workers)")
      signIns.release()
      let outcomes = try signIns.outcomes()
      #expect(outcomes.count { $0.code == "PAM_SUCCESS" } == 1)
      #expect(
        outcomes.allSatisfy { ["PAM_SUCCESS", "PAM_AUTH_ERR"].contains($0.code) })
      let files = StoreFiles(of: user.name)
      #expect(try files.failures() <= 5)
      #expect(try files.acceptedSteps().count == 1)
    }

    @Test("the service may be restarted between the choice of a factor and its code")
    func choice() throws {
      try machine.writeConfiguration("[project]\nprompt_hints = on\n")
      let (user, enrollment, service) = try machine.addSignIn()
      let resident = try ResidentService(on: machine)
      try Self.withoutHelper(machine)
      let signIns = try HeldSignIns(
        service: service, user: user.name,
        answers: [[.text("1"), .text(try enrollment.phone.code())]])
      #expect(try signIns.waitUntilAsked() == 1)
      // The service of the first question does not exist any more when the second is asked.
      try resident.stop()
      _ = try ResidentService(on: machine)
      signIns.release()
      let outcome = try #require(try signIns.outcomes().first)
      #expect(outcome.code == "PAM_SUCCESS", "\(outcome)")
      #expect(outcome.prompts.count == 2 && outcome.isScriptUsedUp, "\(outcome)")
    }

    /// Holds the lock of a user's attempts until the test ends.
    private static func holdLock(of user: MachineUser) throws -> ResidentClient.Running {
      let holder = try ResidentClient.start(
        """
        lock = open(sys.argv[1], "r+b")
        fcntl.flock(lock, fcntl.LOCK_EX)
        say("held")
        signal.pause()
        """, [StoreFiles(of: user.name).attempts])
      #expect(try holder.said() == "held\n")
      return holder
    }

    /// Sends the same answer many times, which the service cannot verify while the user's lock is held, and says
    /// when this many connections are refused.
    private static let occupation = """
      continuation = asked(sys.argv[1], sys.argv[2], sys.argv[3])
      connections, refused, wanted = [], 0, int(sys.argv[5])
      def occupy():
          connections.append(connect(sys.argv[1]))
          send(connections[-1], request(
              sys.argv[2], sys.argv[3], 0, continuation, b"000000"))
      for _ in range(int(sys.argv[4])): occupy()
      limit = time.monotonic() + 60
      while refused < wanted:
          ready = select.select(connections, [], [], max(limit - time.monotonic(), 0))[0]
          if not ready: break
          for connection in ready:
              connections.remove(connection)
              if receive(connection) == BUSY: refused = min(refused + 1, wanted)
              # A process that waited for the lock in vain is free again.
              else: occupy()
      say("%d refused" % refused)
      signal.pause()
      """

    @Test("if all processes are occupied, the application is told so and the helper decides")
    func busy() throws {
      let (user, enrollment, service) = try machine.addSignIn()
      let (other, _) = try machine.addEnrolledUser()
      _ = try ResidentService(on: machine)
      let lock = try Self.holdLock(of: other)
      let holder = try ResidentClient.start(
        Self.occupation, ["root", other.name, service, "300", "1"])
      #expect(try holder.said() == "1 refused\n")
      let start = try machine.log.position()
      let outcome = try Self.signIn(service, user, try enrollment.phone.code())
      #expect(outcome.code == "PAM_SUCCESS", "\(outcome)")
      #expect(try Self.failures(machine, since: start).isEmpty)
      withExtendedLifetime((holder, lock)) {}
    }

    @Test("a user who occupies all of the user's processes does not limit other users or root")
    func share() throws {
      try machine.writeService(Unprivileged.service, Unprivileged.stack)
      let (user, enrollment) = try machine.addEnrolledUser()
      let (attacker, _) = try machine.addEnrolledUser()
      _ = try ResidentService(on: machine)
      try Self.withoutHelper(machine)
      let lock = try Self.holdLock(of: attacker)
      let holder = try ResidentClient.start(
        Self.occupation, ["users", attacker.name, Unprivileged.service, "20", "4"],
        as: attacker.identity)
      #expect(try holder.said() == "4 refused\n")
      let locker = try PAMClient.signIn(
        service: Unprivileged.service, user: user.name,
        answers: [.text(try enrollment.phone.code())], as: user.identity)
      #expect(locker.code == "PAM_SUCCESS", "\(locker)")
      let service = try machine.makeService(OneCode.stack)
      let server = try Self.signIn(service, user, try enrollment.phone.code(offset: 1))
      #expect(server.code == "PAM_SUCCESS", "\(server)")
      withExtendedLifetime((holder, lock)) {}
    }

    @Test("a code that a user's own application asked for is one audit record")
    func audit() throws {
      try machine.writeService(Unprivileged.service, Unprivileged.stack)
      let library = try StandInAudit(machine)
      let (user, enrollment) = try machine.addEnrolledUser()
      _ = try ResidentService(on: machine, through: library.wrapper)
      try Self.withoutHelper(machine)
      var options = PAMClient.Options()
      options.remoteHost = "forged.example.org"
      options.terminal = "forged"
      let outcome = try PAMClient.signIn(
        service: Unprivileged.service, user: user.name,
        answers: [.text(try enrollment.phone.code())], options: options, as: user.identity)
      #expect(outcome.code == "PAM_SUCCESS", "\(outcome)")
      #expect(library.records(machine) == ["1100 mfa:code \(user.name) -1 NULL ? ? 1"])
    }

    @Test("the list of services says whether the service decides")
    func services() throws {
      func said() throws -> (text: String?, status: String?) {
        let text = try machine.administer("services").text
        let json = try machine.administer("services", "--json").text
        let status = json.firstMatch(of: /"residentService": "(\w+)"/).map { String($0.output.1) }
        return (text.split(separator: "\n").last.map(String.init), status)
      }
      let resident = try ResidentService(on: machine)
      let running = try said()
      #expect(running.text == "sign-ins are decided by mfad, the resident service")
      #expect(running.status == "answers", "\(running)")
      try resident.stop()
      let stopped = try said()
      #expect(stopped.text == "sign-ins are decided by mfa-helper, because mfad does not run")
      #expect(stopped.status == "stopped", "\(stopped)")
    }

    @Test("a user cannot sign in another user, or claim to be the helper or root")
    func claims() throws {
      let (victim, _) = try machine.addEnrolledUser()
      let attacker = try machine.addUser()
      _ = try ResidentService(on: machine)
      try machine.writeService(Unprivileged.service, Unprivileged.stack)
      let said = try ResidentClient.run(
        """
        try: connect("root"); say("root")
        except PermissionError: say("refused")
        for caller in (0, os.getuid()):
            connection = connect("users")
            connection.send(request(sys.argv[1], "locker", caller))
            say(heard(connection))
        for packet in (message(0x11, b"\\1\\0"), verdict(1), b"\\x41", bytes(65536)):
            connection = connect("users")
            connection.send(packet)
            say(heard(connection))
        """, [victim.name], as: attacker.identity)
      // A denial with its log line and message, and nothing at all.
      let denial = "log tell verdict 0\n"
      #expect(said == "refused\n" + denial + denial + "end\nend\nend\nend\n")
      #expect(try StoreFiles(of: victim.name).failures() == 0)
    }

    @Test("a process that is killed is replaced, and no open question depends on it")
    func killedWorkers() throws {
      let (user, enrollment, service) = try machine.addSignIn()
      let resident = try ResidentService(on: machine)
      try Self.withoutHelper(machine)
      for round in 0..<5 {
        let signIns = try HeldSignIns(
          service: service, user: user.name,
          answers: [[.text(try enrollment.phone.code(offset: round))]])
        #expect(try signIns.waitUntilAsked() == 1)
        let killed = resident.workers
        for number in killed { _ = kill(number, SIGKILL) }
        #expect(Deadline.usual.waits { !resident.workers.contains { killed.contains($0) } })
        signIns.release()
        let outcome = try #require(try signIns.outcomes().first)
        #expect(outcome.code == "PAM_SUCCESS", "\(outcome)")
      }
    }

    @Test("when the service is stopped, requests that it has read are answered first")
    func stoppedInRequest() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let service = try machine.makeService(Self.stack)
      let resident = try ResidentService(on: machine)
      // The request waits for the user's lock.
      let said = try ResidentClient.start(
        """
        continuation = asked("root", sys.argv[1], sys.argv[2])
        lock = open(sys.argv[5], "r+b")
        fcntl.flock(lock, fcntl.LOCK_EX)
        connection = connect()
        connection.send(request(sys.argv[1], sys.argv[2], 0, continuation, sys.argv[4].encode()))
        time.sleep(1)
        os.kill(int(sys.argv[3]), 15)
        children = "/proc/%s/task/%s/children" % (sys.argv[3], sys.argv[3])
        while os.path.exists(children) and len(open(children).read().split()) != 1: pass
        fcntl.flock(lock, fcntl.LOCK_UN)
        say(heard(connection))
        """,
        [
          user.name, service, "\(resident.supervisor)", try enrollment.phone.code(),
          StoreFiles(of: user.name).attempts,
        ])
      #expect(try said.said() == "log audit verdict 1\n")
      try resident.stop()
      #expect(try StoreFiles(of: user.name).acceptedSteps().count == 1)
    }

    @Test("if the service ends while a user is typing, the helper verifies the code")
    func endedWhileTyping() throws {
      let (user, enrollment, service) = try machine.addSignIn()
      let resident = try ResidentService(on: machine)
      let signIns = try HeldSignIns(
        service: service, user: user.name, answers: [[.text(try enrollment.phone.code())]])
      #expect(try signIns.waitUntilAsked() == 1)
      // The sockets without a listener are still there.
      try resident.kill()
      let start = try machine.log.position()
      signIns.release()
      let outcome = try #require(try signIns.outcomes().first)
      #expect(outcome.code == "PAM_SUCCESS" && outcome.isScriptUsedUp, "\(outcome)")
      #expect(try Self.failures(machine, since: start).isEmpty)
    }

    @Test("if nothing replies after a user has typed, the user is denied in the user's language")
    func noReply() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      try machine.writeConfiguration("[project]\nlanguage = fr\n")
      let service = try machine.makeService(OneCode.stack)
      let resident = try ResidentService(on: machine)
      let code = try enrollment.phone.code()
      let signIns = try HeldSignIns(service: service, user: user.name, answers: [[.text(code)]])
      #expect(try signIns.waitUntilAsked() == 1)
      try resident.kill()
      try Self.withoutHelper(machine)
      let start = try machine.log.position()
      signIns.release()
      let outcome = try #require(try signIns.outcomes().first)
      #expect(outcome.code == "PAM_AUTH_ERR", "\(outcome)")
      #expect(
        outcome.notices == [
          SignInMessage.unavailable.text(in: .french).wrapped(to: MessageText.moduleColumns)
            .string
        ], "\(outcome)")
      #expect(try Self.failures(machine, since: start) == ["malformed"])
      // The code was not used.
      try Self.withHelper()
      let next = try Self.signIn(service, user, code)
      #expect(next.code == "PAM_SUCCESS", "\(next)")
    }

    @Test("a service that hangs denies within the deadline")
    func stopSignal() throws {
      let (user, enrollment, service) = try machine.addSignIn()
      let resident = try ResidentService(on: machine)
      let signIns = try HeldSignIns(
        service: service, user: user.name, answers: [[.text(try enrollment.phone.code())]])
      #expect(try signIns.waitUntilAsked() == 1)
      try resident.suspend()
      let start = try machine.log.position()
      signIns.release()
      let outcome = try #require(try signIns.outcomes().first)
      #expect(outcome.code == "PAM_AUTH_ERR", "\(outcome)")
      #expect(try Self.failures(machine, since: start) == ["silent"])
      resident.resume()
      let next = try Self.signIn(service, user, try enrollment.phone.code(offset: 2))
      #expect(next.code == "PAM_SUCCESS", "\(next)")
    }

    @Test("a socket that another user created is not used, and denies")
    func foreignSocket() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let attacker = try machine.addUser()
      let service = try machine.makeService(OneCode.stack)
      let resident = try ResidentService(on: machine)
      try resident.stop()
      try ResidentService.removeSockets()
      try Command.succeed(["/bin/chown", attacker.name, ResidentService.folder])
      machine.atTheEnd("chown") {
        try Command.succeed(["/bin/chown", "root", ResidentService.folder])
      }
      // The attacker's service would accept every code.
      let attack = try ResidentClient.start(
        """
        listener = listen()
        say("ready")
        while True:
            connection = listener.accept()[0]
            if connection.recv(65536):
                connection.send(verdict(1))
        """, as: attacker.identity)
      #expect(try attack.said() == "ready\n")
      let start = try machine.log.position()
      let wrong = try Self.signIn(service, user, try enrollment.phone.wrongCode())
      #expect(wrong.code == "PAM_AUTH_ERR" && wrong.prompts.isEmpty, "\(wrong)")
      let right = try Self.signIn(service, user, try enrollment.phone.code())
      #expect(right.code == "PAM_AUTH_ERR" && right.prompts.isEmpty, "\(right)")
      let failures = try Self.failures(machine, since: start)
      #expect(failures == ["wrong-owner", "wrong-owner"])
    }

    /// What a program of root that is not the service does, and what then happens.
    struct Impostor: Sendable, CustomTestStringConvertible {
      let title: String
      /// Statements that read the request or not, and reply or not.
      let action: String
      /// Whether the helper may still decide.
      let falls: Bool
      let failures: [String?]
      var testDescription: String { title }
    }

    private static func replying(_ title: String, _ reply: String, _ failure: String?) -> Impostor {
      Impostor(
        title: title, action: "connection.recv(65536); connection.send(\(reply))", falls: false,
        failures: failure.map { [$0] } ?? [])
    }

    static let impostors = [
      Impostor(title: "does not read the request", action: "pass", falls: true, failures: []),
      Impostor(title: "is busy", action: "connection.send(BUSY)", falls: true, failures: []),
      Impostor(
        title: "ends after the request", action: "connection.recv(65536)", falls: false,
        failures: ["ended"]),
      replying("cuts a reply", "verdict(1)[:3]", "malformed"),
      replying("sends another kind of message", "b'\\x82' + verdict(1)[1:]", "malformed"),
      replying("sends another version", "b'\\x81\\2' + verdict(1)[2:]", "malformed"),
      replying("sends more after the verdict", "verdict(1) + b'1'", "malformed"),
      replying("sends a verdict that the module does not know", "verdict(9)", nil),
    ]

    @Test("a service that breaks the protocol denies, or has decided nothing", arguments: impostors)
    func impostor(row: Impostor) throws {
      let (user, enrollment, service) = try machine.addSignIn()
      try Command.succeed(["/bin/mkdir", "-p", "-m", "0755", ResidentService.folder])
      try ResidentService.removeSockets()
      machine.atTheEnd("remove the sockets") { try ResidentService.removeSockets() }
      let program = try ResidentClient.start(
        """
        listener = listen()
        say("ready")
        while True:
            connection = listener.accept()[0]
            \(row.action)
            connection = None
        """)
      #expect(try program.said() == "ready\n")
      let files = StoreFiles(of: user.name)
      let image = try files.image()
      let start = try machine.log.position()
      let outcome = try Self.signIn(service, user, try enrollment.phone.code())
      #expect(outcome.code == (row.falls ? "PAM_SUCCESS" : "PAM_AUTH_ERR"), "\(outcome)")
      #expect(try Self.failures(machine, since: start) == row.failures)
      #expect((try files.image() == image) == !row.falls)
    }

    // MARK: Sign-ins with and without the service at the same moment

    /// A wrapper with which every second process does not see the service.
    private static func mixed(_ index: Int) -> [String] {
      index.isMultiple(of: 2)
        ? []
        : [
          "/usr/bin/unshare", "--mount", "/bin/sh", "-c",
          "mount -t tmpfs none \(ResidentService.folder) && exec \"$@\"", "sh",
        ]
    }

    @Test("one code is accepted once, with and without the service at the same moment")
    func mixedCode() throws {
      let (user, enrollment, service) = try machine.addSignIn()
      let resident = try ResidentService(on: machine)
      let files = StoreFiles(of: user.name)
      let image = try files.image()
      var isServed: Set<Bool> = []
      for round in 1...20 {
        try files.restore(image)
        let code = try enrollment.phone.code(offset: round % 5)
        let signIns = try HeldSignIns(
          service: service, user: user.name, answers: Array(repeating: [.text(code)], count: 32),
          through: Self.mixed)
        #expect(try signIns.waitUntilAsked() == 32)
        // The helper takes longer to start than the service to answer, so in every other round it is first.
        if round.isMultiple(of: 2) { try resident.suspend() }
        let before = try files.acceptedSteps()
        signIns.release()
        if round.isMultiple(of: 2) {
          #expect(try Deadline.usual.waits { try files.acceptedSteps() != before })
          resident.resume()
        }
        let outcomes = try signIns.outcomes()
        let accepted = outcomes.indices.filter { outcomes[$0].code == "PAM_SUCCESS" }
        #expect(accepted.count == 1, "round \(round): \(outcomes.map(\.code))")
        isServed.formUnion(accepted.map { $0.isMultiple(of: 2) })
      }
      // Each of the two ways was the first at least once.
      #expect(isServed == [true, false])
    }

    @Test("only 5 of 64 wrong codes are verified, with and without the service at the same moment")
    func mixedGuesses() throws {
      let (user, enrollment, service) = try machine.addSignIn()
      _ = try ResidentService(on: machine)
      let start = try machine.log.position()
      let signIns = try HeldSignIns(
        service: service, user: user.name,
        answers: try enrollment.phone.wrongCodes(count: 64).map { [.text($0)] },
        through: Self.mixed)
      #expect(try signIns.waitUntilAsked() == 64)
      signIns.release()
      #expect(try signIns.outcomes().count == 64)
      let results = try OneCode.results(machine, since: start)
      #expect(results.count { $0 == "wrong" } == 5, "\(results)")
      #expect(results.count { $0 == "throttled" } == 59, "\(results)")
      #expect(try StoreFiles(of: user.name).failures() == 5)
    }
  }
}
