import MFATestSupport
import Testing

extension EndToEnd {
  /// Process states that a caller can set before it starts the helper, one per row. The helper
  /// either corrects the state and works, or refuses with a reason for the client and the log.
  @Suite struct InheritedState {
    /// A process state, and the expected effect on the helper.
    struct Row: Sendable, CustomTestStringConvertible {
      let title: String
      /// Python statements that root's process runs before it changes to the user and executes the
      /// helper.
      let setup: String
      /// A file in /proc/PID, and the beginning of a line that the file must contain.
      var file = "status"
      var expected = "State:\t"
      /// The fault number that the client receives, or nil if the helper works.
      var fault: UInt8?
      /// The expected part of the log line, if the helper refuses.
      var logged = ""
      var testDescription: String { title }
    }

    /// Returns a command that runs Python statements, then executes the command that follows.
    static func wrapper(_ setup: String) -> [String] {
      [
        "/usr/bin/python3", "-c",
        """
        import ctypes, fcntl, os, resource, signal, sys
        c = ctypes.CDLL(None, use_errno=True)
        def limit(number, soft, hard): resource.setrlimit(number, (soft, hard))
        \(setup)
        os.execv(sys.argv[1], sys.argv[1:])
        """,
      ]
    }

    /// Returns the rows of a limit with a required minimum: one below it, exactly the minimum, and
    /// a soft limit below it, which the helper raises. `shown` is the limit's name in
    /// /proc/PID/limits.
    private static func limit(
      _ name: String, _ number: Int, least: Int, shown: String
    ) -> [Row] {
      [
        Row(
          title: "\(name): the hard limit is too low",
          setup: "limit(\(number), \(least - 1), \(least - 1))",
          fault: UInt8(number), logged: "reason=resource-limit limit=\(name)"),
        Row(
          title: "\(name): a low soft limit is raised",
          setup: "limit(\(number), \(least - 1), \(2 * least))", file: "limits",
          expected: shown + " \(2 * least) \(2 * least)"),
        Row(
          title: "\(name): exactly the minimum", setup: "limit(\(number), \(least), \(least))",
          file: "limits", expected: shown + " \(least) \(least)"),
      ]
    }

    static let limits: [Row] =
      [
        Row(
          title: "RLIMIT_FSIZE: a finite hard limit", setup: "limit(1, 1 << 40, 1 << 40)", fault: 1,
          logged: "reason=resource-limit limit=RLIMIT_FSIZE"),
        Row(
          title: "RLIMIT_FSIZE: zero", setup: "limit(1, 0, 0)", fault: 1,
          logged: "reason=resource-limit limit=RLIMIT_FSIZE"),
        Row(
          title: "RLIMIT_FSIZE: a finite soft limit", setup: "limit(1, 4096, -1)", file: "limits",
          expected: "Max file size unlimited unlimited"),
        Row(
          title: "RLIMIT_CPU: less than a minute", setup: "limit(0, 50, 50)", fault: 0,
          logged: "reason=resource-limit limit=RLIMIT_CPU"),
        Row(
          title: "RLIMIT_CPU: a low soft limit", setup: "limit(0, 1, 3600)", file: "limits",
          expected: "Max cpu time 3600 3600"),
        Row(
          title: "RLIMIT_CORE: unlimited", setup: "limit(4, -1, -1)", file: "limits",
          expected: "Max core file size 0 0"),
      ] + limit("RLIMIT_DATA", 2, least: 64 << 20, shown: "Max data size")
      + limit("RLIMIT_STACK", 3, least: 1 << 20, shown: "Max stack size")
      + limit("RLIMIT_NPROC", 6, least: 16, shown: "Max processes")
      + limit("RLIMIT_NOFILE", 7, least: 64, shown: "Max open files")
      + limit("RLIMIT_AS", 9, least: 256 << 20, shown: "Max address space")
      // The helper leaves all other limits unchanged, even at zero.
      + [
        ("RSS", 5), ("MEMLOCK", 8), ("LOCKS", 10), ("SIGPENDING", 11), ("MSGQUEUE", 12),
        ("NICE", 13), ("RTPRIO", 14), ("RTTIME", 15),
      ].map { name, number in
        Row(title: "RLIMIT_\(name): zero", setup: "limit(\(number), 0, 0)")
      }

    static let attributes: [Row] = [
      Row(
        title: "signals are ignored",
        setup:
          "[signal.signal(n, signal.SIG_IGN) for n in range(1, 65) if n not in (9, 19, 32, 33)]",
        expected: "SigIgn:\t0000000000380007"),
      Row(
        title: "signals are at their defaults",
        setup: "[signal.signal(n, 0) for n in (20, 21, 22)]", expected: "SigIgn:\t0000000000380007"),
      Row(
        title: "signals are blocked", setup: "signal.pthread_sigmask(0, range(1, 65))",
        expected: "SigBlk:\t0000000000000000"),
      Row(
        title: "signals are pending",
        setup: """
          # The C library does not block 32 and 33: rt_sigprocmask(2).
          c.syscall(14, 0, ctypes.byref(ctypes.c_ulong(2 ** 64 - 1)), None, ctypes.c_ulong(8))
          [os.kill(os.getpid(), n) for n in (1, 2, 3, 14, 15, 20, 24, 25, 32, 33, 34, 64)]
          """, expected: "ShdPnd:\t0000000000000000"),
      Row(title: "niceness 5", setup: "os.nice(5)", fault: 32, logged: "reason=niceness"),
      Row(title: "niceness -5", setup: "os.nice(-5)", file: "stat", expected: "nice 0"),
      Row(
        title: "SCHED_IDLE", setup: "os.sched_setscheduler(0, 5, os.sched_param(0))", fault: 33,
        logged: "reason=scheduling-policy"),
      Row(
        title: "SCHED_BATCH", setup: "os.sched_setscheduler(0, 3, os.sched_param(0))",
        file: "stat", expected: "policy 0"),
      Row(
        title: "SCHED_BATCH, reset in children",
        setup: "os.sched_setscheduler(0, 3 | 0x40000000, os.sched_param(0))", file: "stat",
        expected: "policy 0"),
      Row(
        title: "one processor", setup: "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})",
        expected: "Cpus_allowed_list:\t" + allowedProcessors),
      Row(title: "idle input and output priority", setup: "c.syscall(251, 1, 0, 3 << 13)"),
      Row(
        title: "a personality without address space randomisation",
        setup: "c.personality(0x0040000)",
        file: "personality", expected: "00000000"),
      Row(
        title: "a personality with WHOLE_SECONDS and STICKY_TIMEOUTS",
        setup: "c.personality(0x6000000)",
        file: "personality", expected: "00000000"),
      Row(title: "a timer slack of 10 s", setup: "c.prctl(29, ctypes.c_ulong(10 ** 10), 0, 0, 0)"),
      Row(title: "a parent-death signal", setup: "c.prctl(1, 9, 0, 0, 0)"),
      Row(title: "a subreaper of children", setup: "c.prctl(36, 1, 0, 0, 0)"),
      Row(title: "dumpable", setup: "c.prctl(4, 1, 0, 0, 0)", expected: "CoreDumping:\t0"),
      Row(
        title: "the highest OOM score",
        setup: "open('/proc/self/oom_score_adj', 'w').write('1000')"),
      Row(title: "a umask of 0", setup: "os.umask(0)", expected: "Umask:\t0077"),
      Row(
        title: "a removed working directory",
        setup: "os.mkdir('/run/gone'); os.chdir('/run/gone'); "
          + "os.rmdir('/run/gone')", file: "cwd", expected: "/"),
      Row(title: "standard error is closed", setup: "os.close(2)", file: "fd", expected: "0 1 2"),
      Row(
        title: "additional descriptors",
        setup: "[os.set_inheritable(os.open('/etc/passwd', 0), True) "
          + "for n in range(20)]", file: "fd", expected: "few"),
      Row(
        title: "non-blocking pipes",
        setup: "os.set_blocking(0, False); os.set_blocking(1, False)"),
      Row(title: "groups of the caller", setup: "os.setgroups([0, 4, 42])"),
      Row(title: "a session keyring", setup: "c.syscall(250, 1, b'mine')"),
      Row(
        title: "securebits", setup: "c.prctl(28, 0x14, 0, 0, 0)",
        expected: "CapEff:\t0000000000000000"),
      Row(
        title: "a seccomp filter set by root",
        setup: """
          import struct
          code = ctypes.create_string_buffer(struct.pack('HBBI', 6, 0, 0, 0x7fff0000))
          class Program(ctypes.Structure):
            _fields_ = [('n', ctypes.c_ushort), ('code', ctypes.c_void_p)]
          c.prctl(22, 2, ctypes.byref(Program(1, ctypes.addressof(code))))
          """, expected: "Seccomp:\t2"),
    ]

    /// The processors that the tests may use, in the format of /proc.
    private static var allowedProcessors: String {
      do {
        let status = try Command.succeed(["/bin/cat", "/proc/self/status"])
        return status.firstMatch(of: /Cpus_allowed_list:\t(\S+)/).map { String($0.output.1) } ?? "?"
      } catch {
        return "?"
      }
    }

    /// Returns the content of a file of the helper in /proc, as lines that a row can name.
    private func read(_ file: String, of process: Int32) throws -> [String] {
      let path = "/proc/\(process)/\(file)"
      switch file {
      case "cwd": return [try Command.succeed(["/bin/readlink", path]).trimmed]
      case "fd":
        let numbers = try Command.succeed(["/bin/ls", path]).words
        return [numbers.joined(separator: " "), numbers.count < 10 ? "few" : "many"]
      case "stat":
        let fields = try Command.succeed(["/bin/cat", path]).split(separator: ")").last?
          .split(separator: " ")
        let numbers = try #require(fields)
        return ["nice \(numbers[16])", "policy \(numbers[38])"]
      case _:
        return try Command.succeed(["/bin/cat", path]).split(separator: "\n").map { line in
          file == "limits" ? line.split(separator: " ").joined(separator: " ") : String(line)
        }
      }
    }

    @Test("a state set by the caller is corrected or refused", arguments: limits + attributes)
    func state(row: Row) throws {
      let user = try machine.addUser()
      let start = try machine.log.position()
      let session = try HelperSession(as: user, through: Self.wrapper(row.setup))
      let greeting = try session.greet()
      let errors = try session.standardError()
      if let fault = row.fault {
        #expect(greeting == HelperSession.Message(0x8B, [[26], [0, 0, 0, fault]]))
        #expect(try session.waitForExit() == .exited(1))
        let line = try machine.log.waitForEntry(containing: "part=process", since: start)
        #expect(line.line.contains(row.logged) && line.facility == 10, "\(line)")
        return
      }
      #expect(greeting?.kind == 0x81, "\(errors)")
      let lines = try read(row.file, of: session.process.number)
      #expect(lines.contains { $0.hasPrefix(row.expected) }, "\(lines)")
      // Authenticates with the password, which a separate process verifies, then enrols a factor.
      #expect(try session.prove(password: user.password)?.kind == 0x84)
      let secret = try #require(try session.ask(5, [1], [6], [0, 30]))
      let phone = Authenticator(key: Base32.text(secret.fields[0]))
      let code = Array(try phone.code().utf8)
      #expect(try session.ask(6, code, Array("phone".utf8))?.kind == 0x86)
    }

    @Test("interval timers are stopped before the first message")
    func timers() throws {
      let user = try machine.addUser()
      let list = machine.folder + "/calls"
      let setup = "[signal.setitimer(n, 60) for n in (0, 1, 2)]"
      let session = try HelperSession(
        identity: .current,
        through: Self.wrapper(setup) + [
          "/usr/bin/strace", "-qq", "-o", list, "-u", user.name, "-e",
          "trace=setitimer,openat", "--",
        ])
      #expect(try session.greet()?.kind == 0x81)
      let calls = try Command.succeed(["/bin/cat", list])
      for timer in ["ITIMER_REAL", "ITIMER_VIRTUAL", "ITIMER_PROF"] {
        #expect(calls.contains("setitimer(\(timer), {it_interval={tv_sec=0"), "\(calls)")
      }
    }

    /// A state in which the setuid bit has no effect.
    enum Confinement: String, CaseIterable {
      case noNewPrivileges, userNamespace, rootOfAUserNamespace, filterByTheUser

      var wrapper: [String] {
        switch self {
        case .noNewPrivileges: ["/usr/bin/setpriv", "--no-new-privs", "--"]
        case .userNamespace, .rootOfAUserNamespace, .filterByTheUser: []
        }
      }

      /// The command of the user's own process.
      var command: [String] {
        switch self {
        case .noNewPrivileges: []
        case .userNamespace: ["/usr/bin/unshare", "--user", "--"]
        case .rootOfAUserNamespace:
          ["/usr/bin/unshare", "--user", "--map-root-user", "--mount", "--"]
        case .filterByTheUser:
          InheritedState.wrapper("c.prctl(38, 1, 0, 0, 0)\n\(InheritedState.filter)")
        }
      }
    }

    private static let filter = attributes[attributes.count - 1].setup

    @Test("if the setuid bit has no effect, the helper refuses", arguments: Confinement.allCases)
    func confined(confinement: Confinement) throws {
      let user = try machine.addUser()
      let start = try machine.log.position()
      let session = try HelperSession(
        identity: .current,
        through: confinement.wrapper + user.identity.commandLine(confinement.command))
      let greeting = try session.greet()
      let errors = try session.standardError()
      #expect(greeting?.kind == 0x8B, "\(errors)")
      #expect(try session.waitForExit() == .exited(1))
      let line = try machine.log.waitForEntry(containing: "part=process", since: start)
      let reason = try #require(line.fields["reason"])
      #expect(["no-identity-of-its-own", "root-owned"].contains(reason), "\(line)")
    }
  }
}

extension String {
  fileprivate var words: [Substring] { split(whereSeparator: \.isWhitespace) }
  fileprivate var trimmed: String { words.joined(separator: " ") }
}
