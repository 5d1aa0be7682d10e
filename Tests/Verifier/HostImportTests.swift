import MFABase
import MFAModel
import MFARealm
import MFASignInTestSupport
import MFATestSupport
import Testing

@testable import MFAVerifier

/// Imports of a host's local store, with a verifier in a process of its own.
@Suite("Imports at a verifier", .privateMachine)
struct HostImportTests {
  static let permission = "administering = on\nimporting = on\n"
  /// A key that no user of the realm has.
  static let secret = Array("another secret of 20".utf8)

  static func id(_ byte: UInt8) throws -> FactorID {
    try #require(FactorID(bytes: [UInt8](repeating: byte, count: FactorID.length)))
  }

  /// Returns a user of a host with one factor.
  static func request(
    _ user: String, factor: UInt8 = 1, name: String = "phone", secret: [UInt8] = secret,
    step: Int64 = 10, failures: UInt32 = 0
  ) throws -> AdministrationImport {
    var record = FactorRecord(
      user: try #require(UserName(Array(user.utf8))), uid: 1000, id: try id(0xAA))
    try record.add(
      Factor(
        id: try id(factor), displayName: try #require(DisplayName(Array(name.utf8))), enrolledAt: 5,
        kind: .totp(.standard, sealedSecret: [])))
    let attempts = AttemptState(
      record: record.id, failures: failures,
      watermarks: [AttemptState.Watermark(factor: try id(factor), step: step)]
    ).encoded(sequence: 0)
    return AdministrationImport(
      user: Array(user.utf8), record: record.encoded(),
      attempts: Array(attempts[...(attempts.lastIndex { $0 != 0 } ?? 0)]),
      secrets: SecretList.empty.adding(secret.span) ?? .empty,
      number: [UInt8](repeating: 3, count: 16))
  }

  /// Sends an import, and returns the answer.
  static func answer(
    _ path: String, _ command: AdministrationCommand
  ) throws -> AdministeredImport {
    var answer: AdministeredImport?
    try HostAdministrationTests.ask(path, command) { reply in
      switch reply {
      case .imported(let imported): answer = imported
      case .failed(let failure, _):
        Issue.record("\(failure)")
      default: Issue.record("no import")
      }
    }
    return try #require(answer)
  }

  static func send(
    _ path: String, _ request: AdministrationImport, _ choice: ConflictChoice = .undecided
  ) throws -> AdministeredImport {
    var request = request
    request.choice = choice
    request.isTrial = false
    return try answer(path, .importUser(request))
  }

  static func verdict(_ path: String, _ code: String, nonce: UInt8) throws -> UInt8? {
    try DecisionTests.verdict(
      path, DecisionTests.facts("alice"), nonce: nonce, DecisionTests.start("alice"), code: code)
  }

  @Test("only a host with importing = on imports, and only for the users of its group")
  func notPermitted() async {
    await #expect(processExitsWith: .success) {
      for (configuration, user, expected) in [
        ("administering = on\n", "alice", .importNotPermitted),
        ("administering = on\nimporting = off\n", "alice", .importNotPermitted),
        ("importing = on\n", "alice", .notPermitted), (Self.permission, "bob", .importNotPermitted),
        (Self.permission, "alice", nil),
      ] as [(String, String, AdministrationFailure?)] {
        try DecisionTests.serving(try DecisionTests.Realm(), configuration: configuration) { path in
          for command in [
            .importUser(try Self.request(user)),
            .undoImport(
              AdministrationUndo(
                user: Array(user.utf8),
                imported: ImportUndo.Marks(factors: [], recoveryCodes: []), isTrial: false,
                number: [UInt8](repeating: 3, count: 16))),
          ] as [AdministrationCommand] {
            let failure = try HostAdministrationTests.failure(path, command)
            #expect(failure == expected, "\(configuration)")
          }
        }
      }
    }
  }

  @Test("what does not fit together is refused")
  func malformed() async {
    await #expect(processExitsWith: .success) {
      try DecisionTests.serving(try DecisionTests.Realm(), configuration: Self.permission) { path in
        let valid = try Self.request("alice")
        var requests = [AdministrationImport](repeating: valid, count: 6)
        requests[0].record.removeLast()
        requests[1].attempts[0] ^= 1
        requests[2].secrets = .empty
        requests[3].secrets =
          SecretList.empty.adding([UInt8](repeating: 1, count: 65).span) ?? .empty
        requests[4].secrets = valid.secrets.adding([1].span) ?? .empty
        requests[5].record = try Self.request("bob").record
        for (index, request) in requests.enumerated() {
          let failure = try HostAdministrationTests.failure(path, .importUser(request))
          #expect(failure == .malformed, "\(index)")
        }
      }
    }
  }

  @Test("a trial changes nothing; an import is entered, and its codes are accepted once")
  func imports() async {
    await #expect(processExitsWith: .success) {
      try DecisionTests.serving(try DecisionTests.Realm(), configuration: Self.permission) { path in
        let now = try Clock.now()
        let used = TOTPParameters.standard.step(at: now)
        let request = try Self.request("alice", step: used, failures: 2)
        let conflict = try Self.answer(path, .importUser(request))
        #expect(conflict.factors.map(\.result) == [.otherFactors])
        #expect(conflict.checkpoint.isEmpty)
        let taken = try Self.send(path, request, .take)
        #expect(taken.factors.map(\.result) == [.added])
        #expect(taken.failuresBefore == 0 && taken.failures == 2)
        #expect(!taken.checkpoint.isEmpty && !taken.factors[0].mark.isEmpty)
        // The code of the present step was used before the import; that of the next step was not.
        let before = try KnownFactor.code(at: now, secret: Self.secret)
        let after = try KnownFactor.code(at: now, steps: 1, secret: Self.secret)
        let replayed = try Self.verdict(path, before, nonce: 2)
        #expect(replayed == DecisionTests.asks)
        let accepted = try Self.verdict(path, after, nonce: 3)
        #expect(accepted == 1)
        try HostAdministrationTests.ask(path, .auditLog(after: 0)) { reply in
          switch reply {
          case .auditLog(let lines, _):
            let texts = lines.map { String(decoding: $0.text, as: UTF8.self) }
            #expect(
              texts.contains {
                $0.contains(
                  " event=imported-from-host user=alice uid=- id=01010101010101010101010101010101 "
                    + "name=03030303030303030303030303030303 by=carol by-uid=0 via=mfa-admin "
                    + "from=web1.example.org:pts/3 ")
              })
          default: Issue.record("no audit log")
          }
        }
      }
    }
  }

  @Test("a key is imported once, whatever its id and its name")
  func oneKeyOnce() async {
    await #expect(processExitsWith: .success) {
      try DecisionTests.serving(try DecisionTests.Realm(), configuration: Self.permission) { path in
        let answer = try Self.send(path, try Self.request("alice", secret: KnownFactor.secret))
        #expect(answer.factors.map(\.result) == [.present])
      }
    }
  }

  @Test("an undo removes what is as it was imported, and leaves the rest")
  func undo() async {
    await #expect(processExitsWith: .success) {
      try DecisionTests.serving(try DecisionTests.Realm(), configuration: Self.permission) { path in
        let imported = try Self.send(path, try Self.request("alice"), .take)
        let marks = ImportUndo.Marks(factors: imported.factors, recoveryCodes: [])
        let wrong = ImportUndo.Marks(
          factors: [FactorImport(try Self.id(1), .added, mark: [1, 2, 3])], recoveryCodes: [])
        for (marks, isTrial, result) in [
          (wrong, false, .changed), (marks, true, .removed), (marks, false, .removed),
          (marks, false, .missing),
        ] as [(ImportUndo.Marks, Bool, FactorImport.Result)] {
          let undo = AdministrationUndo(
            user: HostAdministrationTests.alice, imported: marks, isTrial: isTrial,
            number: [UInt8](repeating: 3, count: 16))
          let answer = try Self.answer(path, .undoImport(undo))
          #expect(answer.factors.map(\.result) == [result])
          #expect(answer.checkpoint.isEmpty == (isTrial || result != .removed))
        }
        let now = try Clock.now()
        let removed = try Self.verdict(
          path, try KnownFactor.code(at: now, secret: Self.secret), nonce: 2)
        #expect(removed == DecisionTests.asks)
        try HostAdministrationTests.ask(path, .user(HostAdministrationTests.alice)) { reply in
          switch reply {
          case .users(let users, _):
            guard case .usable(let summary) = users.first?.content else {
              Issue.record("no usable record")
              return
            }
            let ids = summary.factors.map(\.summary.id)
            let removed = try Self.id(1)
            #expect(ids.count == 1 && ids != [removed])
          default: Issue.record("no user")
          }
        }
      }
    }
  }
}
