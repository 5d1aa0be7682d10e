import MFATestSupport
import Testing

extension EndToEnd {
  /// Processes that a user can stop, and locks that other users need.
  @Suite struct StoppedProcess {
    /// Asks only for a code.
    private static let suService = [
      "auth required pam_mfa.so tries=1", "account required pam_permit.so",
    ]

    /// Returns whether another process holds the lock on a file.
    private func isLocked(_ path: String) throws -> Bool {
      try !Command.run(["/usr/bin/flock", "--nonblock", path, "/bin/true"]).status.isSuccess
    }

    private func waitUntil(_ what: String, _ isSo: () throws -> Bool) throws {
      let deadline = Deadline.usual
      while try !isSo() {
        guard !deadline.isOver else { throw HarnessFailure("\(what): not by the deadline") }
      }
    }

    /// Starts `su` for a victim as an attacker, from a shell with job control, and types a wrong
    /// code. The write of the helper that counts the attempt, under the lock, is delayed by the given number of
    /// microseconds.
    private func hold(
      _ victim: MachineUser, _ code: String, by attacker: MachineUser, for microseconds: Int
    ) throws -> TerminalSession {
      let session = try TerminalSession([
        "/bin/bash", "-c",
        """
        set -m; strace -DDD -qq -o /dev/null -f -u \(attacker.name) -e trace=fdatasync \
        -e inject=fdatasync:delay_enter=\(microseconds) -- /bin/su \(victim.name) -c true; echo over
        read line
        """,
      ])
      try session.answer("Verification code: ", with: code)
      return session
    }

    private func number(of program: String) throws -> String {
      let numbers = try Command.succeed(["/usr/bin/pgrep", "-x", program]).split(separator: "\n")
      return String(try #require(numbers.first))
    }

    @Test(
      "a helper of `su` that holds the victim's lock may not be stopped by the user who started `su`",
      .withoutResidentService)
    func stopSignal() throws {
      try machine.writeService("su", Self.suService)
      let (victim, enrollment) = try machine.addEnrolledUser()
      let attacker = try machine.addUser()
      let session = try hold(victim, try enrollment.phone.wrongCode(), by: attacker, for: 5_000_000)
      let lock = "/var/lib/mfa/attempts/\(victim.name)"
      try waitUntil("the helper holds the lock") { try isLocked(lock) }
      let helper = try number(of: "mfa-helper")
      for signal in ["-STOP", "-TSTP", "-0"] {
        let kill = try Command.run(["/bin/kill", signal, helper], as: attacker.identity)
        #expect(kill.errorText.contains("Operation not permitted"), "\(signal): \(kill)")
      }
      let owner = try Command.succeed(["/usr/bin/id", "-u", "mfa"]).dropLast()
      let status = try Command.succeed(["/bin/cat", "/proc/\(helper)/status"])
      #expect(status.contains("Uid:\t\(owner)\t\(owner)\t\(owner)\t\(owner)\n"), "\(status)")
      // `su` itself holds no lock, whether or not it can be stopped.
      let su = try number(of: "su")
      _ = try Command.run(["/bin/kill", "-STOP", su], as: attacker.identity)
      #expect(try isLocked(lock))
      try waitUntil("the lock is free") { try !isLocked(lock) }
      _ = try Command.run(["/bin/kill", "-CONT", su])
      _ = session
    }

    /// Returns a command that runs a program as a user, and lists its system calls that change the
    /// identity, start a process or lock.
    private static func tracer(_ list: String, _ user: MachineUser) -> [String] {
      [
        "/usr/bin/strace", "-f", "-qq", "-o", list, "-u", user.name, "-e",
        "trace=setresuid,clone,clone3,fork,vfork,flock", "--",
      ]
    }

    /// A signal sent while the identity changes could otherwise arrive after a lock was taken, and
    /// stop the process with the lock held.
    @Test(
      "the process that takes a lock has never had its caller's identity", .withoutResidentService,
      arguments: ["su", "mfa-helper"])
    func signalsUnderWay(program: String) throws {
      try machine.writeService("su", Self.suService)
      let (victim, _) = try machine.addEnrolledUser()
      let list = machine.folder + "/calls"
      if program == "su" {
        let attacker = try machine.addUser()
        let session = try TerminalSession(
          Self.tracer(list, attacker) + ["/bin/su", victim.name, "-c", "true"])
        try session.answer("Verification code: ", with: "000000")
        try session.expect("su: ")
      } else {
        let session = try HelperSession(identity: .current, through: Self.tracer(list, victim))
        #expect(try session.greet()?.kind == 0x81)
        #expect(try session.ask(10, Array("000000".utf8)) != nil)
      }
      // Each line begins with the number of the process, of which one takes the lock, and spaces.
      let lines = try Command.succeed(["/bin/cat", list]).split(separator: "\n")
        .map { (process: $0.prefix { $0.isNumber }, call: $0.drop { $0.isNumber || $0 == " " }) }
      let holder = try #require(lines.first { $0.call.hasPrefix("flock(") }, "\(lines)").process
      let start = try #require(
        lines.firstIndex { $0.call.contains("clone") && $0.call.hasSuffix(" = \(holder)") },
        "\(lines)")
      let own = try Command.succeed(["/usr/bin/id", "-u", "mfa"]).dropLast()
      let identity = "setresuid(\(own), \(own), \(own)) "
      #expect(
        lines[..<start].contains {
          $0.process == lines[start].process && $0.call.hasPrefix(identity)
            && $0.call.hasSuffix("= 0")
        }, "\(lines)")
    }

    @Test(
      "Ctrl-Z stops `su`, but not the helper that holds the victim's lock", .withoutResidentService)
    func terminalStop() throws {
      try machine.writeService("su", Self.suService)
      let (victim, enrollment) = try machine.addEnrolledUser()
      let attacker = try machine.addUser()
      let session = try hold(victim, try enrollment.phone.wrongCode(), by: attacker, for: 1_000_000)
      let lock = "/var/lib/mfa/attempts/\(victim.name)"
      try waitUntil("the helper holds the lock") { try isLocked(lock) }
      try session.sendKeys([0x1A])
      try waitUntil("the lock is free") { try !isLocked(lock) }
      // Other sign-ins work, whether or not `su` continues.
      let service = try machine.makeService(OneCode.stack)
      let outcome = try victim.signIn(to: service, typing: try enrollment.phone.code())
      #expect(outcome.code == "PAM_SUCCESS", "\(outcome)")
      _ = session
    }

    @Test(
      "the user can stop their helper, but not its copy that verifies a code and waits for a lock",
      .withoutResidentService)
    func helper() throws {
      let (user, enrollment, service) = try machine.addSignIn()
      let session = try HelperSession(as: user)
      #expect(try session.greet()?.kind == 0x81)
      let number = "\(session.process.number)"
      let stop = try Command.run(["/bin/kill", "-TSTP", number], as: user.identity)
      #expect(stop.status.isSuccess, "the process belongs to the user")
      #expect(try session.ask(7)?.kind == 0x87, "a stop signal of the terminal is ignored")
      let lock = "/var/lib/mfa/attempts/\(user.name)"
      let holder = try holder(of: lock)
      let code = try enrollment.phone.code()
      session.send(10, Array(code.utf8))
      let own = try Command.succeed(["/usr/bin/id", "-u", "mfa"]).dropLast()
      let group = try Command.succeed(["/usr/bin/id", "-g", "mfa"]).dropLast()
      var copy = ""
      try waitUntil("the copy has opened the lock, and has one identity") {
        // The copy that answered before may have ended without being waited for. It has no file open.
        let copies = try children(of: number).flatMap { try children(of: $0) }
        copy = try String(
          copies.first { copy in
            !(try Command.run(["/usr/bin/find", "/proc/\(copy)/fd", "-lname", lock]).text.isEmpty)
          } ?? "none")
        let status = try Command.run(["/bin/cat", "/proc/\(copy)/status"]).text
        return status.contains("Uid:\t\(own)\t\(own)\t\(own)\t\(own)\n")
          && status.contains("Gid:\t\(group)\t\(group)\t\(group)\t\(group)\n")
      }
      for signal in ["-STOP", "-TERM", "-KILL"] {
        let kill = try Command.run(["/bin/kill", signal, copy], as: user.identity)
        #expect(kill.errorText.contains("Operation not permitted"), "\(kill)")
      }
      // The copy goes on without the helper.
      try Command.succeed(["/bin/kill", "-KILL", number], as: user.identity)
      _ = try session.waitForExit()
      holder.send(signal: 9)
      try waitUntil("the copy has ended") {
        try !Command.run(["/usr/bin/test", "-d", "/proc/\(copy)"]).status.isSuccess
      }
      let outcome = try user.signIn(to: service, typing: code)
      #expect(outcome.code == "PAM_AUTH_ERR", "the code was used: \(outcome)")
    }

    private func children(of process: String) throws -> [String] {
      try Command.run(["/usr/bin/pgrep", "-P", process]).text.split(separator: "\n").map(
        String.init)
    }

    /// Starts a process of root that locks a file and stops itself. It ends when the value is
    /// destroyed.
    private func holder(of path: String) throws -> ChildProcess {
      let holder = try ChildProcess([
        "/usr/bin/python3", "-c",
        """
        import fcntl, os, signal, sys
        file = open(sys.argv[1], 'r+b')
        fcntl.flock(file, fcntl.LOCK_EX)
        os.kill(os.getpid(), signal.SIGSTOP)
        """, path,
      ])
      try waitUntil("the lock is held") {
        let text = try Command.run(["/bin/cat", "/proc/\(holder.number)/stat"]).text
        return text.contains(") T ")
      }
      return holder
    }

    @Test("no sign-in waits for the audit log: a changed configuration is recorded later")
    func changedConfiguration() throws {
      let (user, enrollment, service) = try machine.addSignIn()
      let holder = try holder(of: "/var/lib/mfa/audit-log.head")
      try machine.writeConfiguration("[project]\n# another\n")
      let start = try machine.log.position()
      let outcome = try user.signIn(to: service, typing: try enrollment.phone.code())
      #expect(outcome.code == "PAM_SUCCESS", "\(outcome)")
      let line = try machine.log.waitForEntry(containing: "result=policy-changed", since: start)
      #expect(line.fields["part"] == "audit-log-head" && line.fields["reason"] == "busy", "\(line)")
      holder.send(signal: 9)
      _ = try holder.wait()
      _ = try user.signIn(to: service, typing: try enrollment.phone.code(offset: 1))
      let noted = try machine.log.waitForEntry(containing: " checkpoint=", since: start)
      #expect(noted.fields["result"] == "policy-changed", "\(noted)")
    }

    @Test("a bypass code that cannot be recorded in the audit log is denied with the reason")
    func bypassCode() throws {
      let (user, _, service) = try machine.addSignIn()
      let made = try machine.mustAdminister("bypass", user.name, "--reason", "test").text
      let code = String(try #require(made.split(separator: "\n").first))
      let holder = try holder(of: "/var/lib/mfa/audit-log.head")
      let start = try machine.log.position()
      let outcome = try user.signIn(to: service, typing: code)
      #expect(outcome.code == "PAM_AUTH_ERR", "\(outcome)")
      let line = try machine.log.waitForEntry(containing: "result=error", since: start)
      #expect(line.fields["part"] == "audit-log-head" && line.fields["reason"] == "busy", "\(line)")
      holder.send(signal: 9)
      _ = try holder.wait()
      let again = try user.signIn(to: service, typing: code)
      #expect(again.code == "PAM_SUCCESS", "\(again)")
    }

    @Test("mfa-admin names the process that holds a lock, and ends it on request")
    func administrator() throws {
      let (user, enrollment, service) = try machine.addSignIn()
      _ = try user.signIn(to: service, typing: try enrollment.phone.wrongCode())
      let lock = "/var/lib/mfa/attempts/\(user.name)"
      let holder = try holder(of: lock)
      let name = "process \(holder.number) (python3) of root, started "
      let refused = try Command.run(["/usr/sbin/mfa-admin", "unlock", user.name])
      #expect(refused.status == .exited(1))
      #expect(refused.errorText.contains("the lock of \(lock) is held by \(name)"), "\(refused)")
      #expect(refused.errorText.contains(", stopped\n"), "\(refused.errorText)")
      #expect(
        refused.errorText.contains(
          "hint: to kill the process that holds the lock, add --end-holder"))
      let doctor = try Command.run(["/usr/sbin/mfa-admin", "doctor"]).text
      #expect(doctor.contains("error: \(lock): \(name)"), "\(doctor)")
      let start = try machine.log.position()
      let done = try Command.run(["/usr/sbin/mfa-admin", "unlock", user.name, "--end-holder"])
      #expect(done.status == .exited(0), "\(done.errorText)")
      #expect(try holder.wait() == .killed(signal: 9))
      let line = try machine.log.waitForEntry(containing: "lock-holder-ended", since: start)
      #expect(line.fields["process"] == "\(holder.number)" && line.fields["state"] == "stopped")
    }

    @Test("a user may run sixteen helpers, which does not limit other users")
    func count() throws {
      let user = try machine.addUser()
      let other = try machine.addUser()
      var sessions: [HelperSession] = []
      for _ in 1...16 {
        let session = try HelperSession(as: user)
        #expect(try session.greet()?.kind == 0x81)
        // Nothing is to be mailed, so the process keeps the user's identity.
        #expect(try session.ask(18, Array(user.name.utf8))?.kind == 0x88)
        sessions.append(session)
      }
      let status = try Command.succeed(["/bin/cat", "/proc/\(sessions[0].process.number)/status"])
      let number = try Command.succeed(["/usr/bin/id", "-u", user.name]).dropLast()
      #expect(status.contains("Uid:\t\(number)\t"), "\(status)")
      let start = try machine.log.position()
      let tooMany = try HelperSession(as: user)
      #expect(try tooMany.greet() == HelperSession.Message(0x8B, [[26], [0, 0, 0, 34]]))
      let line = try machine.log.waitForEntry(containing: "part=process", since: start)
      #expect(line.fields["reason"] == "too-many-helpers", "\(line)")
      #expect(try HelperSession(as: other).greet()?.kind == 0x81)
      #expect(try HelperSession(identity: .current).greet()?.kind == 0x81)
      sessions[0].send(11)
      #expect(try sessions[0].waitForExit() == .exited(0))
      #expect(try HelperSession(as: user).greet()?.kind == 0x81)
    }

    @Test(
      "`su` under RLIMIT_FSIZE is denied, without being killed and without a partial write",
      .withoutResidentService)
    func fileSizeLimit() throws {
      try machine.writeService("su", Self.suService)
      let (victim, _) = try machine.addEnrolledUser()
      let attacker = try machine.addUser()
      let before = machine.contents(of: "/var/lib/mfa/attempts/\(victim.name)")
      let start = try machine.log.position()
      let session = try TerminalSession([
        "/usr/bin/prlimit", "--fsize=512", "/usr/bin/setpriv", "--reuid=\(attacker.name)",
        "--regid=\(attacker.name)", "--init-groups", "/bin/bash", "-c",
        "su \(victim.name) -c true; echo status $?",
      ])
      try session.expect("status 1")
      let line = try machine.log.waitForEntry(containing: "part=process", since: start)
      #expect(
        line.fields["reason"] == "resource-limit" && line.fields["limit"] == "RLIMIT_FSIZE",
        "\(line)")
      #expect(machine.contents(of: "/var/lib/mfa/attempts/\(victim.name)") == before)
    }

    @Test("other programs of the user cannot read the memory of mfa-enroll")
    func notDumpable() throws {
      let user = try machine.addUser()
      let session = try user.startEnroll()
      try session.expect("Password: ")
      let path = "/proc/\(session.process.number)/"
      let owner = try Command.succeed(["/usr/bin/stat", "-c", "%U", path + "mem"])
      #expect(owner == "root\n")
      let read = try Command.run(["/usr/bin/head", "-c1", path + "environ"], as: user.identity)
      #expect(!read.status.isSuccess, "\(read)")
      let limits = try Command.succeed(["/bin/cat", path + "limits"])
      #expect(limits.contains(/Max core file size +0 +0/), "\(limits)")
    }
  }
}
