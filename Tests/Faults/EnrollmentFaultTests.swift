import MFATestSupport
import Testing

extension Faults {
  /// Factor changes in which a system call fails or the process is killed: afterwards the store has
  /// the old or the new state, and works.
  @Suite struct EnrollmentFaults {
    enum Change: String, CaseIterable, Sendable {
      case enrollFirst, enrollSecond, rename, unenrollOneOfTwo, unenrollLast
    }

    static let newName = "new-name"

    /// The state before a change.
    struct Start {
      let user: MachineUser
      let present: [Enrollment]
      let image: StoreFiles.Image?
    }

    func start(_ change: Change, on machine: Machine) throws -> Start {
      try machine.takeAuditLogAway()
      let user = try machine.addUser()
      var present: [Enrollment] = []
      let count: Int
      switch change {
      case .enrollFirst: count = 0
      case .enrollSecond, .rename, .unenrollLast: count = 1
      case .unenrollOneOfTwo: count = 2
      }
      for number in 0..<count {
        present.append(
          try machine.enroll(
            user, named: "factor \(number)",
            presentCode: try present.first?.phone.code(offset: -4)))
      }
      let image = count == 0 ? nil : try StoreFiles(of: user.name).image()
      return Start(user: user, present: present, image: image)
    }

    func reset(_ start: Start, on machine: Machine) throws {
      try machine.forget(start.user)
      if let image = start.image { try StoreFiles(of: start.user.name).restore(image) }
    }

    /// Performs the change; returns the last response, and the new app if one was enrolled.
    func perform(
      _ change: Change, _ start: Start, through command: [String]
    ) throws -> (answer: HelperSession.Message?, phone: Authenticator?) {
      let session = try HelperSession(as: start.user)
      _ = try session.greet()
      let proof = try session.prove(
        password: start.user.password, code: try start.present.first?.phone.code(offset: -3))
      guard proof?.kind == 0x84 else { return (proof, nil) }
      var phone: Authenticator?
      let answer: HelperSession.Message?
      switch change {
      case .enrollFirst, .enrollSecond:
        guard let secret = try session.ask(5, [1], [6], [0, 30]), secret.kind == 0x85 else {
          return (nil, nil)
        }
        let new = Authenticator(key: Base32.text(secret.fields[0]))
        phone = new
        try session.attach(command)
        answer = try session.ask(6, Array(try new.code(offset: -4).utf8), Array(Self.newName.utf8))
      case .rename:
        try session.attach(command)
        answer = try session.ask(8, start.present[0].identifier, Array(Self.newName.utf8))
      case .unenrollOneOfTwo:
        try session.attach(command)
        answer = try session.ask(9, start.present[1].identifier)
      case .unenrollLast:
        try session.attach(command)
        answer = try session.ask(9, start.present[0].identifier)
      }
      try session.end()
      return (answer, phone)
    }

    @Test("whichever call fails, the state is old or new, and usable", arguments: Change.allCases)
    func everyCall(change: Change) throws {
      let start = try start(change, on: machine)
      let service = try machine.makeService(SignInFaults.stack)
      let success: UInt8
      switch change {
      case .enrollFirst, .enrollSecond: success = 0x86
      case .rename: success = 0x88
      case .unenrollOneOfTwo, .unenrollLast: success = 0x89
      }
      try Faults.everyCall(
        on: machine, fromBeginning: change == .enrollFirst,
        reset: { try reset(start, on: machine) },
        perform: { try perform(change, start, through: $0) },
        isDone: { $0.answer?.kind == success },
        check: { performed, isDone, title in
          try expectUsable(
            change, start, performed.phone, isDone: isDone, machine, service,
            "\(change) \(title)")
        })
    }

    /// Expects the old or the new factors, each of which signs in; if the helper reported success,
    /// the new ones.
    func expectUsable(
      _ change: Change, _ start: Start, _ newPhone: Authenticator?, isDone: Bool,
      _ machine: Machine, _ service: String, _ title: String
    ) throws {
      let session = try HelperSession.begun(as: start.user)
      let names = try session.appNames()
      try session.end()
      let old = start.present.map(\.displayName)
      let new: [String]
      var phones = start.present.map(\.phone)
      switch change {
      case .enrollFirst, .enrollSecond:
        new = old + [Self.newName]
        if names == new, let newPhone { phones.append(newPhone) }
      case .rename: new = [Self.newName]
      case .unenrollOneOfTwo:
        new = [old[0]]
        if names == new { phones.removeLast() }
      case .unenrollLast:
        new = []
        if names == new { phones.removeLast() }
      }
      #expect(names == new || (!isDone && names == old), "\(title): \(names)")
      for (offset, phone) in phones.enumerated() {
        let outcome = try PAMClient.signIn(
          service: service, user: start.user.name, answers: [.text(try phone.code(offset: offset))])
        #expect(
          outcome.code == "PAM_SUCCESS" && (1...2).contains(outcome.prompts.count),
          "\(title): \(outcome)")
      }
      if phones.isEmpty {
        let outcome = try PAMClient.signIn(service: service, user: start.user.name)
        #expect(outcome.code == "PAM_SUCCESS" && outcome.prompts.isEmpty, "\(title): \(outcome)")
      }
    }
  }

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
        let listed = try helper.during(
          request, through: SystemCallTrace.list(to: list, copies: .refused)
        ) {
          try enroll(service, user)
        }
        #expect(listed.isDone, "\(listed)")
        let calls = try SystemCallTrace.calls(inListAt: list, from: "read(0")
        names.formUnion(calls.map(\.name))
        for call in calls {
          for fault in Faults.faults(at: call) {
            try machine.forget(user)
            let performed = try helper.during(
              request, through: SystemCallTrace.inject(fault, at: call, copies: .refused)
            ) { try enroll(service, user) }
            try check(
              performed, machine, service, user,
              "request \(request), \(call) \(fault): \(call.line) \(performed)")
          }
        }
      }
      #expect(names.isSuperset(of: ["fdatasync", "fsync", "renameat"]), "\(names)")
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
      let isEnrolled = next.prompts == ["Verification code: "]
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
