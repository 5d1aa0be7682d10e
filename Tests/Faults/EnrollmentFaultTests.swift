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
      session.send(11)
      _ = try session.waitForExit()
      return (answer, phone)
    }

    @Test("whichever call fails, the state is old or new, and usable", arguments: Change.allCases)
    func everyCall(change: Change) throws {
      try Machine.use { machine in
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
    }

    /// Expects the old or the new factors, each of which signs in; if the helper reported success,
    /// the new ones.
    func expectUsable(
      _ change: Change, _ start: Start, _ newPhone: Authenticator?, isDone: Bool,
      _ machine: Machine, _ service: String, _ title: String
    ) throws {
      let session = try HelperSession(as: start.user)
      _ = try session.greet()
      let answer = try session.ask(7)
      session.send(11)
      _ = try session.waitForExit()
      guard let answer, answer.kind == 0x87 else {
        Issue.record("\(title): the factors cannot be listed: \(String(describing: answer))")
        return
      }
      let names = stride(from: 2, to: answer.fields.count, by: 7).map {
        String(decoding: answer.fields[$0], as: UTF8.self)
      }
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
}
