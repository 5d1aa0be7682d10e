import Foundation
import MFATestSupport
import Testing

extension Faults {
  /// Sign-ins that the resident service decides, in which a system call of the service fails or its
  /// process is killed.
  @Suite struct ServedFaults {
    /// How the module gets the answer.
    enum Mode: String, CaseIterable, Sendable, CustomTestStringConvertible {
      /// It asks, and sends a second request with the answer.
      case question = "an answer to a question"
      /// It sends the text that was typed for an earlier module in the first request.
      case earlierAnswer = "an earlier answer"

      var testDescription: String { rawValue }

      var stack: [String] {
        switch self {
        case .question: SignInFaults.stack
        case .earlierAnswer:
          [
            "auth optional pam_unix.so", "auth required pam_mfa.so use_first_pass",
            "auth required pam_permit.so",
          ]
        }
      }
    }

    /// Returns the system calls of the service's processes between accepting a connection and
    /// waiting for the next, in a sign-in that `signIn` performs.
    ///
    /// The sign-in is repeated if one process has served both of its requests: the calls of the second would
    /// have other numbers in a sign-in with two processes.
    private static func calls(
      _ machine: Machine, during signIn: () throws -> PAMOutcome
    ) throws -> [SystemCall] {
      for number in 0..<20 {
        let folder = machine.folder + "/calls-\(number)"
        if let calls = try calls(machine, listedIn: folder, during: signIn) { return calls }
      }
      throw HarnessFailure("one process serves all requests")
    }

    /// Returns nil if one process has served several requests.
    private static func calls(
      _ machine: Machine, listedIn folder: String, during signIn: () throws -> PAMOutcome
    ) throws -> [SystemCall]? {
      try Command.succeed(["/bin/mkdir", "-m", "0777", folder])
      let resident = try ResidentService(on: machine)
      let tracer = try resident.trace(with: SystemCallTrace.list(to: folder + "/of") + ["-ff"])
      let outcome = try signIn()
      #expect(!outcome.results.isEmpty, "\(outcome)")
      try resident.stop()
      _ = try tracer.wait()
      var calls: [SystemCall] = []
      for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
        let path = folder + "/" + file
        guard
          machine.text(of: path).contains("recvmsg(")
        else { continue }
        let all = try SystemCallTrace.calls(inListAt: path, from: "accept4(")
        let requests = all.split { $0.name == "accept4" }
          .filter { $0.contains { $0.name == "recvmsg" } }
        guard requests.count <= 1 else { return nil }
        calls += (requests.first ?? []).filter { call in
          !calls.contains { $0.name == call.name && $0.number == call.number }
        }
      }
      return calls
    }

    @Test(
      "whichever call of the service fails, no code is accepted twice", arguments: Mode.allCases)
    func rightCode(mode: Mode) throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let service = try machine.makeService(mode.stack)
      let files = StoreFiles(of: user.name)
      let image = try files.image()
      func signIn(_ code: String) throws -> PAMOutcome {
        let typed = mode == .question ? code : user.password + code
        return try user.signIn(to: service, typing: typed)
      }
      let calls = try Self.calls(machine) {
        try files.restore(image)
        return try signIn(try enrollment.phone.code())
      }
      #expect(calls.contains { $0.name == "fdatasync" } && calls.count > 20, "\(calls)")
      var ends: [String: Int] = [:]
      for call in calls {
        for fault in Faults.faults(at: call) {
          try files.restore(image)
          let step = enrollment.phone.step()
          let codes = try enrollment.phone.codes(fromStep: step, count: 2)
          let resident = try ResidentService(on: machine)
          let tracer = try resident.trace(with: SystemCallTrace.inject(fault, at: call))
          let faulty = try signIn(codes[0])
          try resident.kill()
          _ = try tracer.wait()
          let title = "\(call) \(fault): \(faulty) \(call.line)"
          #expect(["PAM_SUCCESS", "PAM_AUTH_ERR"].contains(faulty.code), "\(title)")
          let isIn = faulty.status == .exited(0)
          if isIn { #expect(try files.acceptedSteps() == [step], "\(title)") }
          ends[faulty.code, default: 0] += 1
          // At most one of three sign-ins succeeds. The helper now decides.
          let others = try (0..<2).map { _ in try signIn(codes[0]).status == .exited(0) }
          #expect((others + [isIn]).count { $0 } <= 1, "\(title), then \(others)")
          // Nobody is locked out.
          #expect(try signIn(codes[1]).code == "PAM_SUCCESS", "\(title)")
        }
      }
      // Both results must have occurred, or nothing was tested.
      #expect(ends.count == 2, "\(ends)")
    }

    @Test(
      "a wrong code stays counted if the service's process is killed at any call",
      arguments: Mode.allCases)
    func killedGuess(mode: Mode) throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let service = try machine.makeService(mode.stack)
      let files = StoreFiles(of: user.name)
      let image = try files.image()
      let wrong = try enrollment.phone.wrongCode()
      func signIn() throws -> PAMOutcome {
        let typed = mode == .question ? wrong : user.password + wrong
        return try user.signIn(to: service, typing: typed)
      }
      let calls = try Self.calls(machine) {
        try files.restore(image)
        return try signIn()
      }
      let written = try #require(calls.firstIndex { $0.name == "pwrite64" })
      #expect(calls[written...].contains { $0.name == "fdatasync" })
      var counted: Set<Int> = []
      for (index, call) in calls.enumerated() {
        try files.restore(image)
        let resident = try ResidentService(on: machine)
        let tracer = try resident.trace(with: SystemCallTrace.inject(.kill, at: call))
        let killed = try signIn()
        try resident.kill()
        _ = try tracer.wait()
        #expect(killed.code == "PAM_AUTH_ERR", "\(call): \(killed)")
        let failures = try files.failures()
        #expect((0...1).contains(failures), "\(call)")
        // In the other mode, the calls of the two requests are in one list.
        if mode == .earlierAnswer, index > written { #expect(failures == 1, "\(call)") }
        counted.insert(failures)
      }
      #expect(counted == [0, 1])
    }

    @Test("on a full disk the service signs users in, or denies them with the reason")
    func fullDisk() throws {
      try machine.takeAuditLogAway()
      let (user, enrollment) = try machine.addEnrolledUser()
      let service = try machine.makeService(SignInFaults.stack)
      _ = try ResidentService(on: machine)
      try SignInFaults.fillStore(machine)
      // The helper does not decide in place of the service, because it has no setuid bit.
      try Command.succeed(["/bin/chmod", "0755", HelperSession.program])
      machine.atTheEnd("set the helper's bits") {
        try Command.succeed(["/bin/chmod", "6755", HelperSession.program])
      }
      func signIn(_ offset: Int) throws -> PAMOutcome {
        try user.signIn(to: service, typing: try enrollment.phone.code(offset: offset))
      }
      #expect(try signIn(0).code == "PAM_SUCCESS")
      #expect(try signIn(0).code == "PAM_AUTH_ERR")
      // A helper that is ending may still have a file open.
      #expect(
        try Deadline.usual.waits {
          try Command.run(["/bin/mount", "-o", "remount,ro", "/var/lib/mfa"]).status.isSuccess
        })
      let start = try machine.log.position()
      #expect(try signIn(1).code == "PAM_AUTH_ERR")
      let entries = try machine.log.entries(since: start)
      #expect(entries.first?.fields["errno"] == "EROFS", "\(entries)")
    }
  }
}
