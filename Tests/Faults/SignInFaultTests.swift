import MFATestSupport
import Testing

extension Faults {
  /// Sign-ins in which a system call fails or the process is killed.
  @Suite struct SignInFaults {
    /// With pam_permit.so at the end, a module that returned PAM_IGNORE would let the user in.
    static let stack = ["auth required pam_mfa.so tries=1", "auth required pam_permit.so"]

    /// The process to disturb. `question` and `answer` are the helpers of the two requests, which start no copy.
    enum Place: String, CaseIterable, Sendable {
      case application, question, answer
      /// The helper of the answer, while a copy of it decides.
      case waiting

      /// The number of the helper's request.
      var request: Int {
        switch self {
        case .application: 0
        case .question: 1
        case .answer, .waiting: 2
        }
      }

      var copies: SystemCallTrace.Copies {
        switch self {
        case .application, .waiting: .ignored
        case .question, .answer: .refused
        }
      }
    }

    /// A service, and what its sign-ins are traced with.
    struct Door {
      let service: String
      let user: String
      let list: String
      let helper: WrappedHelper

      init(_ machine: Machine, _ user: MachineUser) throws {
        service = try machine.makeService(SignInFaults.stack)
        self.user = user.name
        list = machine.folder + "/calls"
        helper = try WrappedHelper(on: machine)
      }

      func signIn(_ code: String, options: PAMClient.Options = PAMClient.Options()) throws
        -> PAMOutcome
      {
        try PAMClient.signIn(service: service, user: user, answers: [.text(code)], options: options)
      }

      /// Signs in, with a fault at a call of the process at a place.
      func signIn(
        _ code: String, _ fault: SystemCallTrace.Fault, at call: SystemCall, of place: Place,
        options: PAMClient.Options = PAMClient.Options()
      ) throws -> PAMOutcome {
        try signIn(
          code, at: place,
          through: SystemCallTrace.inject(fault, at: call, copies: place.copies), options: options)
      }

      /// Signs in; strace's command line applies to the process at a place.
      private func signIn(
        _ code: String, at place: Place, through command: [String], options: PAMClient.Options
      ) throws -> PAMOutcome {
        guard place != .application else {
          return try PAMClient.signIn(
            service: service, user: user, answers: [.text(code)], options: options,
            through: command)
        }
        return try helper.during(place.request, through: command) {
          try signIn(code, options: options)
        }
      }

      /// Returns the system calls of a sign-in at a place, starting when the module is loaded or when the
      /// helper reads the request.
      func calls(
        _ code: String, at place: Place, options: PAMClient.Options = PAMClient.Options()
      ) throws -> [SystemCall] {
        _ = try signIn(
          code, at: place, through: SystemCallTrace.list(to: list, copies: place.copies),
          options: options)
        return try SystemCallTrace.calls(
          inListAt: list, from: place == .application ? "/pam_mfa.so" : "read(0")
      }
    }

    @Test(
      "whichever call fails, no success is lost from the disk, and no code is accepted twice",
      arguments: Place.allCases)
    func rightCode(place: Place) throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let door = try Door(machine, user)
      let files = StoreFiles(of: user.name)
      let image = try files.image()
      let calls = try door.calls(try enrollment.phone.code(), at: place)
      if place == .answer {
        #expect(calls.count { $0.name == "pwrite64" } >= 2)
        #expect(calls.contains { $0.name == "fdatasync" })
      }
      var successes = 0
      var tries = 0
      for call in calls {
        for fault in Faults.faults(at: call) {
          tries += 1
          try files.restore(image)
          let step = enrollment.phone.step()
          let code = try enrollment.phone.codes(fromStep: step, count: 1)[0]
          let faulty = try door.signIn(code, fault, at: call, of: place)
          let title = "\(call) \(fault): \(faulty) \(call.line)"
          let isIn = faulty.status == .exited(0)
          if isIn {
            successes += 1
            #expect(try files.acceptedSteps() == [step], "\(title)")
          }
          switch faulty.status {
          case .exited: break
          case .killed(let signal):
            // No fault in the helper ends the application.
            #expect(place == .application, "\(title)")
            #expect(signal == 9 || Faults.memoryCalls.contains(call.name), "\(title)")
          }
          // At most one of three sign-ins with the code succeeds, whatever happened to the first.
          let others = try (0..<2).map { _ in try door.signIn(code).status == .exited(0) }
          #expect((others + [isIn]).count { $0 } <= 1, "\(title), then \(others)")
        }
      }
      // Both results must have occurred, or nothing was tested.
      #expect(tries > calls.count && successes > 0 && successes < tries, "\(successes) of \(tries)")
    }

    @Test("a wrong code stays counted if the helper is killed at any call")
    func killedGuess() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let door = try Door(machine, user)
      let files = StoreFiles(of: user.name)
      let image = try files.image()
      let wrong = try enrollment.phone.wrongCode()
      let calls = try door.calls(wrong, at: .answer)
      let written = try #require(calls.firstIndex { $0.name == "pwrite64" })
      let synced = try #require(calls.firstIndex { $0.name == "fdatasync" })
      #expect(written < synced)
      for (index, call) in calls.enumerated() {
        try files.restore(image)
        let killed = try door.signIn(wrong, .kill, at: call, of: .answer)
        #expect(killed.status != .exited(0), "\(call): \(killed)")
        let failures = try files.failures()
        if index < written { #expect(failures == 0, "\(call)") }
        if index > written { #expect(failures == 1, "\(call)") }
      }
    }

    @Test("a changed configuration is recorded completely or not at all, whichever call fails")
    func otherConfiguration() throws {
      let (user, _) = try machine.addEnrolledUser()
      let door = try Door(machine, user)
      var revision = 100
      func edit() throws {
        revision += 1
        try machine.writeConfiguration("[project]\nadjacent_intervals = 5\n# \(revision)\n")
      }
      func events() throws -> Int {
        let shown = try machine.mustAdminister("audit-log", "show", "--last", "9999").text
        return shown.split(separator: "\n").count { $0.contains("  policy-changed  ") }
      }
      try edit()
      let calls = try door.calls("no code", at: .answer)
      let first = try #require(calls.firstIndex { $0.line.contains("audit-log.head") })
      #expect(calls[first...].contains { $0.line.contains("\"audit-log\"") })
      for call in calls[first...] {
        for fault in Faults.faults(at: call) {
          let before = try events()
          try edit()
          let faulty = try door.signIn("no code", fault, at: call, of: .answer)
          #expect(faulty.status != .exited(0), "\(call) \(fault): \(faulty)")
          _ = try door.signIn("no code")
          let entered = try events() - before
          // Twice if a process was killed between writing the entry and the head file.
          #expect((1...2).contains(entered), "\(call) \(fault): \(entered) \(call.line)")
          let auditLog = try Command.run(["/usr/sbin/mfa-admin", "audit-log", "verify", "--json"])
          #expect(auditLog.text.contains("\"fault\": null"), "\(call) \(fault): \(auditLog.text)")
        }
      }
    }

    @Test("a code whose attempt cannot be written is not verified")
    func guessThatCannotBeWritten() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let door = try Door(machine, user)
      let files = StoreFiles(of: user.name)
      let image = try files.image()
      for name in ["pwrite64", "fdatasync"] {
        for error in ["EIO", "ENOSPC", "EDQUOT", "EROFS"] {
          try files.restore(image)
          let start = try machine.log.position()
          let outcome = try door.signIn(
            try enrollment.phone.code(), .error(error), at: SystemCall(name: name, number: 1),
            of: .answer)
          #expect(outcome.code == "PAM_AUTH_ERR", "\(name) \(error): \(outcome)")
          let entries = try machine.log.entries(since: start)
          #expect(entries.first?.fields["result"] == "error", "\(entries)")
          #expect(entries.first?.fields["part"] == "attempts", "\(entries)")
          #expect(entries.first?.fields["errno"] == error, "\(entries)")
        }
      }
    }

    /// Moves the store to a disk that is full.
    static func fillStore(_ machine: Machine) throws {
      try Command.succeed([
        "/bin/sh", "-c",
        """
        set -e; cp -a /var/lib/mfa \(machine.folder)/store
        mount -t tmpfs -o size=1m,mode=0700,uid=mfa,gid=mfa none /var/lib/mfa
        cp -a \(machine.folder)/store/. /var/lib/mfa
        head -c 2000000 /dev/zero >/var/lib/mfa/filling 2>/dev/null || true
        """,
      ])
      machine.atTheEnd("unmount the full disk") {
        try Command.succeed(["/bin/umount", "--lazy", "/var/lib/mfa"])
      }
    }

    @Test("on a full or read-only disk sign-ins work or are denied, and no code is accepted twice")
    func fullDisk() throws {
      try machine.takeAuditLogAway()
      let (user, enrollment) = try machine.addEnrolledUser()
      let other = try machine.addUser()
      let service = try machine.makeService(Self.stack)
      try Self.fillStore(machine)
      // The slots already exist, so a full disk prevents no sign-in.
      let code = try enrollment.phone.code()
      let first = try user.signIn(to: service, typing: code)
      #expect(first.code == "PAM_SUCCESS", "\(first)")
      let second = try user.signIn(to: service, typing: code)
      #expect(second.code == "PAM_AUTH_ERR", "\(second)")

      // Enrolment fails with a message, and existing files stay intact.
      #expect(throws: HarnessFailure.self) { try machine.enroll(other) }
      try Command.succeed(["/bin/rm", "/var/lib/mfa/filling"])
      _ = try machine.enroll(other)

      // A helper that is ending may still have a file open.
      #expect(
        try Deadline.usual.waits {
          try Command.run(["/bin/mount", "-o", "remount,ro", "/var/lib/mfa"]).status.isSuccess
        })
      let start = try machine.log.position()
      let third = try user.signIn(to: service, typing: try enrollment.phone.code(offset: 1))
      #expect(third.code == "PAM_AUTH_ERR", "\(third)")
      let entries = try machine.log.entries(since: start)
      #expect(entries.first?.fields["errno"] == "EROFS", "\(entries)")
    }
  }
}
