import MFAAttempt
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
    serial: [UInt8] = DecisionTests.serial, _ check: (AdministrationReply) throws -> Void
  ) throws {
    let connection = try PacketConnection(to: Array(path.utf8))
    let first = DecisionTests.decide(facts(of: user), serial: serial).packet()
    if let first { try connection.send(first.span) }
    let request = AdministrationRequest(
      administrator: Array("carol".utf8), terminal: Array("pts/3".utf8), command
    ).packet()
    if let request { try connection.send(request.span) }
    guard case .packet(let packet) = try connection.receive(seconds: 10) else {
      Issue.record("no reply to \(command)")
      return
    }
    try check(try AdministrationReply(packet: packet))
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
            .hosts(after: []), .users(after: []), .user(Self.alice), .realm,
            .change(Self.alice, .unlock), .change(Self.alice, .revokeEverything),
            .renameUser(Self.alice, to: Array("alicia".utf8)), .auditLog(after: 0),
            .revokeHost(DecisionTests.host),
          ] as [AdministrationCommand] {
            let failure = try Self.failure(path, command)
            #expect(failure == .notPermitted, "\(command)")
          }
          try Self.ask(path, .inspect) { reply in
            switch reply {
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
        let bypass = UserChange.GrantTerms(
          kind: .bypass, seconds: 600, uses: 1,
          reason: Grant.Reason(Array("lost phone".utf8)))
        let alicia = Array("alicia".utf8)
        for command in [
          .newHostTicket(host: Array("db".utf8), groups: [Array("web".utf8)]),
          .change(Self.alice, .grant(bypass)), .change(Self.alice, .withdraw(nil)),
          .renameUser(Self.alice, to: alicia), .change(alicia, .revokeEverything),
        ] as [AdministrationCommand] {
          let failure = try Self.failure(path, command)
          #expect(failure == nil, "\(command)")
        }
        try Self.ask(path, .auditLog(after: 0)) { reply in
          let lines: [AdministeredLogLine]
          switch reply {
          case .auditLog(let read, isEnd: true): lines = read
          default:
            Issue.record("no whole audit log")
            return
          }
          #expect(lines.allSatisfy { !$0.checkpoint.isEmpty })
          let texts = lines.suffix(5).map { String(decoding: $0.text, as: UTF8.self) }
          for (text, event) in zip(
            texts,
            ["host-ticket-made", "bypass-made", "grant-withdrawn", "user-renamed", "revoked"])
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
          switch reply {
          case .users(let read, isEnd: true): users = read
          default:
            Issue.record("no list of all users")
            return
          }
          #expect(users.map(\.name) == [Self.alice])
          guard case .usable(let summary) = users.first?.content else {
            Issue.record("no usable record")
            return
          }
          #expect(summary.user.bytes == Self.alice && summary.uid == nil)
          #expect(summary.factors.count == 1 && summary.standing == .open)
          #expect(summary.factors.allSatisfy { $0.keyLength == KnownFactor.secret.count })
        }
        let missing = try Self.failure(path, .user(Array("bob".utf8)))
        #expect(missing == .notFound)
        for (seconds, uses) in [(59, 1), (2_592_001, 1), (600, 0), (600, 21)]
          as [(UInt32, UInt8)]
        {
          let terms = UserChange.GrantTerms(
            kind: .bypass, seconds: seconds, uses: uses, reason: nil)
          let failure = try Self.failure(path, .change(Self.alice, .grant(terms)))
          #expect(failure == .badGrant)
        }
        let grant = UserChange.GrantTerms(kind: .bypass, seconds: 600, uses: 1, reason: nil)
        var code = ""
        try Self.ask(path, .change(Self.alice, .grant(grant))) { reply in
          switch reply {
          case .changed(.granted(let made), let checkpoint):
            #expect(!checkpoint.isEmpty)
            let written = made.code.value.written()
            code = String(decoding: written.span.copied(), as: UTF8.self)
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
        #expect(try DecisionTests.reply(path, seen([2], "9")) == .refused)
        try Self.ask(path, .hosts(after: [])) { reply in
          switch reply {
          case .hosts(let hosts, _): #expect(hosts.map(\.seenAt) == [0])
          default: Issue.record("no hosts")
          }
        }
        #expect(try DecisionTests.reply(path, seen(DecisionTests.serial, "1.2.3")) == .alive)
        try Self.ask(path, .hosts(after: [])) { reply in
          switch reply {
          case .hosts(let hosts, isEnd: true):
            #expect(hosts.map(\.version) == [Array("1.2.3".utf8)])
            #expect(hosts.map(\.certificateEnd) == [5_000_000_000])
            #expect(hosts.map(\.mostFailures) == [100])
          default: Issue.record("no list of all hosts")
          }
        }
        try Self.ask(path, .realm) { reply in
          switch reply {
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
