import MFATestSupport
import Testing

extension Faults {
  /// An enrolment during a sign-in in which a system call fails or the process is killed, from the
  /// code onwards: afterwards nothing is enrolled, or everything is, and it works.
  @Suite struct SignInEnrollmentFaults {
    static let stack = SignInFaults.stack + ["account required pam_mfa.so"]

    /// The outcome, and the new app.
    struct Performed: CustomStringConvertible {
      let outcome: PAMOutcome
      let phone: Authenticator

      /// Whether the application was told that the account may be used.
      var isDone: Bool { outcome.results.map(\.code) == ["PAM_SUCCESS", "PAM_SUCCESS"] }
      var description: String { "\(outcome.status) \(outcome.results)" }
    }

    /// Enrols, and calls `beforeCode` before the code is sent.
    func enroll(
      _ service: String, _ user: MachineUser, beforeCode: () throws -> Void = {}
    ) throws -> Performed {
      let session = try PAMSession(service: service, user: user.name)
      #expect(try session.question()?.contains("1, 2 or 3") == true)
      session.answer(.text("3"))
      let shown = try #require(try session.question())
      let url = try #require(shown.firstMatch(of: /(otpauth:[^\n]+)\n/)).output.1
      let phone = try Authenticator(url: String(url))
      let code = try phone.code(offset: -4)
      try beforeCode()
      session.answer(.text(code))
      // The name of the device, and the recovery codes.
      while try session.question() != nil { session.answer(.text("")) }
      return Performed(outcome: try session.finish(), phone: phone)
    }

    @Test("whichever call fails, nothing or everything is enrolled, and usable")
    func everyCall() throws {
      try Machine.use { machine in
        try machine.takeAuditLogAway()
        try machine.writeConfiguration("[project]\nenrollment = required\n")
        let user = try machine.addUser()
        let service = try machine.makeService(Self.stack)
        let helper = try WrappedHelper(on: machine)
        let list = machine.folder + "/calls"
        var before = 0
        let undisturbed = try helper.during {
          try enroll(service, user) { before = try helper.requests }
        }
        #expect(undisturbed.isDone, "\(undisturbed)")
        try check(undisturbed, machine, service, user, "undisturbed")
        var names: Set<String> = []
        // The requests before the one with the code change nothing.
        for request in (before + 1)...(try helper.requests) {
          try machine.forget(user)
          let listed = try helper.during(request, through: SystemCallTrace.list(to: list)) {
            try enroll(service, user)
          }
          #expect(listed.isDone, "\(listed)")
          let calls = try SystemCallTrace.calls(inListAt: list, from: "read(0")
          names.formUnion(calls.map(\.name))
          for call in calls {
            for fault in Faults.faults(at: call) {
              try machine.forget(user)
              let performed = try helper.during(
                request, through: SystemCallTrace.inject(fault, at: call)
              ) { try enroll(service, user) }
              try check(
                performed, machine, service, user,
                "request \(request), \(call) \(fault): \(call.line) \(performed)")
            }
          }
        }
        #expect(names.isSuperset(of: ["fdatasync", "fsync", "renameat"]), "\(names)")
      }
    }

    /// Expects a factor if the sign-in succeeded. If there is a factor, its next code signs in;
    /// otherwise the next sign-in starts afresh.
    func check(
      _ performed: Performed, _ machine: Machine, _ service: String, _ user: MachineUser,
      _ title: String
    ) throws {
      var options = PAMClient.Options()
      options.asksAccount = true
      let next = try PAMClient.signIn(
        service: service, user: user.name, answers: [.text(try performed.phone.code())],
        options: options)
      let isEnrolled = next.prompts == ["One-time code: "]
      #expect(isEnrolled || !performed.isDone, "\(title): \(next)")
      if isEnrolled {
        #expect(next.code == "PAM_SUCCESS", "\(title): \(next)")
      } else {
        #expect(machine.contents(of: StoreFiles(of: user.name).record) == nil, "\(title)")
        #expect(next.prompts.first?.contains("1, 2 or 3") == true, "\(title): \(next)")
        #expect(next.code == "PAM_AUTH_ERR", "\(title): \(next)")
        let again = try enroll(service, user)
        #expect(again.isDone, "\(title): \(again)")
      }
    }
  }
}
