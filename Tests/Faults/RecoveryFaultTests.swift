import Foundation
import MFATestSupport
import Testing

extension Faults {
  /// Faults while recovery codes are created or used, a factor is imported, or a clock is
  /// resynchronised. If a system call fails or the process is killed, the state is either the old
  /// one or the new one, and all access that was granted is recorded on disk.
  @Suite struct RecoveryFaults {
    enum Change: String, CaseIterable, Sendable {
      case recoveryCodes, importFirst, importSecond, resynchronize
    }

    /// The factor of the other program.
    static let imported = Authenticator(key: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
    static let importedKey = Array("12345678901234567890".utf8)
    static let importedCodes = ["12345678", "87654321"]
    static let newName = "new-name"
    /// The number of steps that the phone is ahead.
    static let drift = 8

    /// The state before a change.
    struct Start {
      let user: MachineUser
      let enrollment: Enrollment?
      let codes: [String]
      let image: StoreFiles.Image?
    }

    /// The helper's response, and the time step at that moment.
    struct Answer {
      let message: HelperSession.Message?
      let step: Int

      /// The recovery codes in the response.
      var codes: [String] {
        guard let message, message.kind == 0x8D else { return [] }
        return message.fields.dropFirst().map { String(decoding: $0, as: UTF8.self) }
      }
    }

    static func start(_ change: Change, on machine: Machine) throws -> Start {
      try machine.takeAuditLogAway()
      let user = try machine.addUser()
      guard change != .importFirst else {
        return Start(user: user, enrollment: nil, codes: [], image: nil)
      }
      let enrollment = try machine.enroll(user)
      let codes = try makeCodes(user, enrollment, offset: -4)
      return Start(
        user: user, enrollment: enrollment, codes: codes,
        image: try StoreFiles(of: user.name).image())
    }

    /// Creates recovery codes through the helper.
    static func makeCodes(
      _ user: MachineUser, _ enrollment: Enrollment, offset: Int
    ) throws -> [String] {
      let session = try HelperSession.begun(as: user)
      _ = try session.prove(
        password: user.password, code: try enrollment.phone.code(offset: offset))
      let answer = Answer(message: try session.ask(0x0E), step: 0)
      try session.end()
      try #require(answer.codes.count == 10)
      return answer.codes
    }

    func reset(_ start: Start, on machine: Machine) throws {
      try machine.forget(start.user)
      if let image = start.image { try StoreFiles(of: start.user.name).restore(image) }
    }

    /// Performs the change.
    func perform(
      _ change: Change, _ start: Start, through command: [String]
    ) throws -> Answer {
      let session = try HelperSession(as: start.user)
      _ = try session.greet()
      let step = Self.imported.step()
      // A user who resynchronises has no valid code.
      let code =
        change == .resynchronize ? nil : try start.enrollment?.phone.code(offset: -3)
      let proof = try session.prove(password: start.user.password, code: code)
      guard proof?.kind == 0x84 else { return Answer(message: proof, step: step) }
      let message: HelperSession.Message?
      switch change {
      case .recoveryCodes:
        try session.attach(command)
        message = try session.ask(0x0E)
      case .importFirst, .importSecond:
        try session.attach(command)
        message = try session.ask(
          0x10, Array(Self.newName.utf8), [1], [6], [0, 30], Self.importedKey, [0, 0, 0, 0],
          (0..<8).reversed().map { UInt8(truncatingIfNeeded: step >> (8 * $0)) },
          [UInt8(Self.importedCodes.count)], Array(Self.importedCodes[0].utf8),
          Array(Self.importedCodes[1].utf8))
      case .resynchronize:
        // The first of the two codes changes nothing, and another copy decides on it.
        let enrollment = try #require(start.enrollment)
        let codes = try enrollment.phone.codes(fromStep: step + Self.drift, count: 2)
        let first = try session.ask(0x0F, enrollment.identifier, Array(codes[0].utf8))
        guard first?.kind == 0x88 else { return Answer(message: nil, step: step) }
        try session.attach(command)
        message = try session.ask(0x14, Array(codes[1].utf8))
      }
      try session.end()
      return Answer(message: message, step: step)
    }

    static func success(of change: Change) -> UInt8 {
      switch change {
      case .recoveryCodes: 0x8D
      case .importFirst, .importSecond: 0x86
      case .resynchronize: 0x88
      }
    }

    @Test("whichever call fails, the state is old or new, and usable", arguments: Change.allCases)
    func everyCall(change: Change) throws {
      let start = try Self.start(change, on: machine)
      let service = try machine.makeService(SignInFaults.stack)
      let door = Door(service: service, user: start.user)
      var options: Set<Bool> = []
      try Faults.everyCall(
        on: machine, fromBeginning: false, reset: { try reset(start, on: machine) },
        perform: { try perform(change, start, through: $0) },
        isDone: { $0.message?.kind == Self.success(of: change) },
        check: { answer, isDone, title in
          let isNew = try !isUntouched(start)
          if isNew {
            switch change {
            case .recoveryCodes: try checkCodes(start, answer, isDone, door, title)
            case .importFirst, .importSecond: try checkImport(start, answer, door, title)
            case .resynchronize: try checkClock(start, answer, isDone, door, title)
            }
          } else if let phone = start.enrollment?.phone {
            #expect(try door.isOpen(try phone.code(offset: 1)), "\(title)")
          }
          #expect(isNew || !isDone, "\(title): reported as done but not on the disk")
          options.insert(isNew)
        })
      // Both results must have occurred, or nothing was tested.
      #expect(options == [true, false])
    }

    /// A service for trying to sign in without showing messages.
    struct Door {
      let service: String
      let user: MachineUser

      func isOpen(_ answer: String) throws -> Bool {
        var options = PAMClient.Options()
        options.isSilent = true
        let outcome = try PAMClient.signIn(
          service: service, user: user.name, answers: [.text(answer)], options: options)
        return outcome.code == "PAM_SUCCESS" && outcome.prompts.count == 1
      }
    }

    /// Returns whether the record is byte for byte unchanged.
    func isUntouched(_ start: Start) throws -> Bool {
      let path = StoreFiles(of: start.user.name).record
      guard let image = start.image else { return !FileManager.default.fileExists(atPath: path) }
      return try StoreFiles.contents(of: path) == image.record
    }

    /// Expects ten different codes, and that no old code is accepted.
    func checkCodes(
      _ start: Start, _ answer: Answer, _ isDone: Bool, _ door: Door, _ title: String
    ) throws {
      #expect(try codesLeft(start.user) == 10, "\(title)")
      for code in start.codes.prefix(1) + start.codes.suffix(1) {
        #expect(try !door.isOpen(code), "\(title)")
      }
      if isDone {
        for code in [answer.codes[0], answer.codes[9]] {
          #expect(try door.isOpen(code), "\(title)")
        }
      }
      let phone = try #require(start.enrollment).phone
      #expect(try door.isOpen(try phone.code(offset: 1)), "\(title)")
    }

    /// Expects the factor with its watermark and its recovery codes.
    func checkImport(
      _ start: Start, _ answer: Answer, _ door: Door, _ title: String
    ) throws {
      let old = start.enrollment.map { [$0.displayName] } ?? []
      #expect(try names(of: start.user) == old + [Self.newName], "\(title)")
      let codes = try Self.imported.codes(fromStep: answer.step, count: 2)
      #expect(try !door.isOpen(codes[0]), "\(title): a used code was accepted")
      #expect(try door.isOpen(codes[1]), "\(title)")
      // The ten existing codes left no room for others.
      #expect(try codesLeft(start.user) == (start.codes.isEmpty ? 2 : 10), "\(title)")
      #expect(try door.isOpen(Self.importedCodes[1]) == start.codes.isEmpty, "\(title)")
      if let phone = start.enrollment?.phone {
        #expect(try door.isOpen(try phone.code(offset: 1)), "\(title)")
      }
    }

    /// Expects that codes of the new clock are accepted and those of the old one are not, and that
    /// the two codes of the resynchronisation are used if the helper reported success.
    func checkClock(
      _ start: Start, _ answer: Answer, _ isDone: Bool, _ door: Door, _ title: String
    ) throws {
      let phone = try #require(start.enrollment).phone
      let codes = try phone.codes(fromStep: answer.step + Self.drift + 1, count: 2)
      if isDone { #expect(try !door.isOpen(codes[0]), "\(title): a used code was accepted") }
      #expect(try door.isOpen(codes[1]), "\(title)")
      #expect(try !door.isOpen(try phone.code(offset: 1)), "\(title)")
    }

    func codesLeft(_ user: MachineUser) throws -> Int {
      let session = try HelperSession.begun(as: user)
      let status = try session.ask(0x0D)
      try session.end()
      let answer = try #require(status)
      try #require(answer.kind == 0x8C, "\(answer)")
      return Int(answer.fields[2][0])
    }

    func names(of user: MachineUser) throws -> [String] {
      let session = try HelperSession.begun(as: user)
      let names = try session.appNames()
      try session.end()
      return names
    }

    @Test("a recovery code is accepted once, whichever call fails", arguments: [false, true])
    func recoveryCode(isShown: Bool) throws {
      let start = try Self.start(.recoveryCodes, on: machine)
      let files = StoreFiles(of: start.user.name)
      let image = try #require(start.image)
      let entrance = try SignInFaults.Door(machine, start.user)
      let door = Door(service: entrance.service, user: start.user)
      var options = PAMClient.Options()
      options.isSilent = !isShown
      let calls = try entrance.calls(start.codes[0], at: .answer, options: options)
      #expect(calls.count { $0.name == "renameat" || $0.name == "renameat2" } == 1)
      var successes = 0
      for call in calls {
        for fault in Faults.faults(at: call) {
          try files.restore(image)
          let faulty = try entrance.signIn(
            start.codes[0], fault, at: call, of: .answer, options: options)
          let title = "\(call) \(fault): \(faulty) \(call.line)"
          let isIn = faulty.status == .exited(0)
          if isIn { successes += 1 }
          if try isUntouched(start) {
            #expect(!isIn, "\(title)")
            #expect(try door.isOpen(start.codes[0]), "\(title)")
            continue
          }
          #expect(try codesLeft(start.user) == 9, "\(title)")
          #expect(try !door.isOpen(start.codes[0]), "\(title)")
          #expect(try door.isOpen(start.codes[1]), "\(title)")
        }
      }
      // Both results must have occurred, or nothing was tested.
      #expect(successes > 0 && successes < calls.count * 3)
    }
  }
}
