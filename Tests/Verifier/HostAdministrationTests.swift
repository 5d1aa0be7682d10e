import MFAStore
import MFABase
import MFAModel
import MFARealm
import MFAWire
import MFADecider
import MFARealmStore
import MFASharedStoreTestSupport
import MFASignInTestSupport
import MFATestSupport
import Testing

@testable import MFAVerifier

/// Requests of `mfa-admin` on a host, with a verifier in a process of its own.
@Suite("Administrators on hosts", .privateMachine)
struct HostAdministrationTests {
  static let permission = "administering = on\n"
  static let alice = Array("alice".utf8)

  /// The facts that a relay reports for an administrator.
  static func facts(of user: UInt32) -> HostFacts {
    HostFacts(
      peerUser: user, caller: nil, user: nil, isLookupCertain: true, sharing: [], stacks: .unknown,
      secureShell: .unknown, sinceBoot: nil)
  }

  /// Sends a request, and calls `check` with the reply.
  static func ask(
    _ path: String, _ command: AdministrationCommand, user: UInt32 = 0,
    serial: [UInt8] = DecisionTests.serial, _ check: (consuming AdministrationReply) throws -> Void
  ) throws {
    let connection = try PacketConnection(to: Array(path.utf8))
    let first = DecisionTests.converse(facts(of: user), serial: serial).packet()
    if let first { try connection.send(first.span) }
    let request = AdministrationRequest(
      administrator: Array("carol".utf8), terminal: Array("pts/3".utf8), command
    ).packet()
    if let request { try connection.send(request.span) }
    guard case .packet(let packet) = try connection.receive(seconds: 10) else {
      Issue.record("no reply to \(command)")
      return
    }
    try check(try AdministrationReply.read(packet.span))
  }

  static func failure(
    _ path: String, _ command: AdministrationCommand, user: UInt32 = 0,
    serial: [UInt8] = DecisionTests.serial
  ) throws -> AdministrationFailure? {
    var failure: AdministrationFailure?
    try ask(path, command, user: user, serial: serial) { reply in failure = reply.failure }
    return failure
  }

  @Test("a host without administering = on is refused, and learns only whether the verifier works")
  func notPermitted() async {
    await #expect(processExitsWith: .success) {
      for configuration in ["", "administering = off\n"] {
        try DecisionTests.serving(try DecisionTests.Realm(), configuration: configuration) { path in
          for command in [
            .hosts(after: []), .users(after: []), .user(Self.alice), .unlock(Self.alice), .realm,
            .revoke(Self.alice, factor: []), .auditLog(after: 0), .revokeHost(DecisionTests.host),
          ] as [AdministrationCommand] {
            let failure = try Self.failure(path, command)
            #expect(failure == .notPermitted, "\(command)")
          }
          try Self.ask(path, .inspect) { reply in
            switch consume reply {
            case .inspection(let inspection):
              #expect(!inspection.isAdministering)
              #expect(inspection.findings.isEmpty)
            default: Issue.record("no inspection")
            }
          }
        }
      }
    }
  }

  @Test("a revoked host, another certificate, and a process that is not root's are refused")
  func refused() async {
    await #expect(processExitsWith: .success) {
      try DecisionTests.serving(try DecisionTests.Realm(), configuration: Self.permission) { path in
        let other = try Self.failure(path, .hosts(after: []), serial: [2])
        #expect(other == .hostRefused)
        let user = try Self.failure(path, .hosts(after: []), user: 1000)
        #expect(user == .notRoot)
        let none = try Self.failure(path, .hosts(after: []))
        #expect(none == nil)
        let revoked = try Self.failure(path, .revokeHost(DecisionTests.host))
        #expect(revoked == nil)
        let after = try Self.failure(path, .hosts(after: []))
        #expect(after == .hostRefused)
      }
    }
  }

  @Test("each change is in the audit log, with the host and the administrator")
  func changesAreEntered() async {
    await #expect(processExitsWith: .success) {
      try DecisionTests.serving(try DecisionTests.Realm(), configuration: Self.permission) { path in
        let bypass = AdministrationGrant(
          kind: 2, seconds: 600, uses: 1, reason: Array("lost phone".utf8))
        for command in [
          .newHostTicket(host: Array("db".utf8), groups: [Array("web".utf8)]),
          .grant(Self.alice, bypass), .withdraw(Self.alice, id: []),
          .revoke(Self.alice, factor: []),
        ] as [AdministrationCommand] {
          let failure = try Self.failure(path, command)
          #expect(failure == nil, "\(command)")
        }
        try Self.ask(path, .auditLog(after: 0)) { reply in
          let lines: [AdministeredLogLine]
          switch consume reply {
          case .auditLog(let read, isEnd: true): lines = read
          default:
            Issue.record("no whole audit log")
            return
          }
          #expect(lines.allSatisfy { !$0.checkpoint.isEmpty })
          let texts = lines.suffix(4).map { String(decoding: $0.text, as: UTF8.self) }
          for (text, event) in zip(
            texts, ["host-ticket-made", "bypass-made", "grant-withdrawn", "revoked"])
          {
            #expect(text.contains(" event=\(event) "))
            #expect(
              text.contains(" by=carol by-uid=0 via=mfa-admin from=web1.example.org:pts/3 "))
          }
        }
      }
    }
  }

  @Test("users are listed without their secrets; a bypass code is accepted, and will be mailed")
  func users() async {
    await #expect(processExitsWith: .success) {
      let realm = try DecisionTests.Realm()
      try DecisionTests.serving(realm, configuration: Self.permission) { path in
        try Self.ask(path, .users(after: [])) { reply in
          let users: [AdministeredRealmUser]
          switch consume reply {
          case .users(let read, let rules, isEnd: true):
            users = read
            #expect(rules.locksAfter == 90)
          default:
            Issue.record("no list of all users")
            return
          }
          #expect(users.count == 1)
          let user = try #require(users.first)
          let record = try FactorRecord(encoded: user.record.span)
          #expect(user.name == Self.alice && record.user.bytes == Self.alice)
          #expect(record.factors.count == 1)
          #expect(record.factors.allSatisfy { $0.sealed.allSatisfy { $0 == 0 } })
          #expect(record.recoveryCodes.allSatisfy { $0.bytes.allSatisfy { $0 == 0 } })
        }
        let missing = try Self.failure(path, .user(Array("bob".utf8)))
        #expect(missing == .notFound)
        let grant = AdministrationGrant(kind: 2, seconds: 600, uses: 1, reason: [])
        var code = ""
        try Self.ask(path, .grant(Self.alice, grant)) { reply in
          switch consume reply {
          case .granted(_, _, _, let id, let secret):
            #expect(id.count == 4)
            code = String(decoding: secret.span.copied(), as: UTF8.self)
          default: Issue.record("no grant")
          }
        }
        // The grant was a notice, too.
        #expect(try realm.mailed() == ["alice"])
        _ = try realm.mail().empty { _ in true }
        let verdict = try DecisionTests.verdict(
          path, DecisionTests.facts("alice"), nonce: 9, DecisionTests.start("alice"), code: code)
        #expect(verdict == 1)
        #expect(try realm.mailed() == ["alice"])
      }
    }
  }

  @Test("a host and a verifier are recorded when they are seen, and a refused host is not")
  func lastSeen() async {
    await #expect(processExitsWith: .success) {
      try DecisionTests.serving(try DecisionTests.Realm(), configuration: Self.permission) { path in
        func seen(_ serial: [UInt8], _ version: String) -> VerifierRequest {
          .seen(
            SeenHost(
              host: DecisionTests.host, serial: serial, version: Array(version.utf8),
              certificateEnd: 5_000_000_000, verifier: Array("a.example.org".utf8)))
        }
        let refused = try DecisionTests.kinds(path, seen([2], "9"), nil)
        #expect(refused == [0x83])
        try Self.ask(path, .hosts(after: [])) { reply in
          switch consume reply {
          case .hosts(let hosts, _): #expect(hosts.map(\.seenAt) == [0])
          default: Issue.record("no hosts")
          }
        }
        let recorded = try DecisionTests.kinds(path, seen(DecisionTests.serial, "1.2.3"), nil)
        #expect(recorded == [0x84])
        try Self.ask(path, .hosts(after: [])) { reply in
          switch consume reply {
          case .hosts(let hosts, isEnd: true):
            #expect(hosts.map(\.version) == [Array("1.2.3".utf8)])
            #expect(hosts.map(\.certificateEnd) == [5_000_000_000])
            #expect(hosts.map(\.mostFailures) == [100])
          default: Issue.record("no list of all hosts")
          }
        }
        try Self.ask(path, .realm) { reply in
          switch consume reply {
          case .realm(let realm):
            #expect(realm.verifiers.map(\.name) == [Array("a.example.org".utf8)])
            #expect(realm.epoch == 1)
          default: Issue.record("no realm")
          }
        }
      }
    }
  }
}
