import Foundation
import MFAWire
import MFAStore
import MFABase
import MFACTestSupport
import MFAModel
import MFARealm
import MFAPAMStack
import MFARealmStore
import MFASharedStoreTestSupport
import MFASignInTestSupport
import MFATestSupport
import Testing

@testable import MFAAttempt
@testable import MFAVerifier
@testable import MFADecider

/// A verifier in a process of its own, with an engine in its memory, and the packets of a network front.
@Suite("The verifier", .privateMachine)
struct DecisionTests {
  static let host = Array("web1.example.org".utf8)
  static let serial: [UInt8] = [1]
  /// The user of the network front.
  static let front: UInt32 = 12347

  @Test("a result is kept for longer than a module waits for it")
  func answersOutliveTheModule() {
    #expect(SharedRequest.answerLifetime > ProtocolDeadline.later)
  }

  /// The realm: a user who has enrolled, and a host that has joined.
  struct Realm {
    let engine = MemoryEngine()
    let key: String
    /// The store of the verifier.
    let folder = "/var/lib/mfa-verifier-store-\(UInt32.random(in: 0...UInt32.max))"

    init(policy: String = "") throws {
      for path in [folder, folder + "/realm-mail", folder + "/policy"] {
        try Command.succeed(["/bin/mkdir", "-m", "0700", path])
      }
      try Data(("[project]\ndisable_after = 90\n" + policy).utf8).write(
        to: URL(fileURLWithPath: folder + "/policy/mfa.conf"))
      key = "/var/lib/mfa-verifier-key-\(UInt32.random(in: 0...UInt32.max))"
      try Data([UInt8](repeating: 7, count: 32)).write(to: URL(fileURLWithPath: key))
      try Command.succeed(["/usr/bin/env", "chmod", "0400", key])
      let realm = TestRealm(engine)
      try FactorStoreConformance { realm.store() }.enroll()
      let hosts = HostRegistry(realm.store(at: try Clock.now()))
      let actor = AuditLogEvent.Actor(
        name: [], uid: nil, program: Array("tests".utf8), source: Source([]))
      let ticket = try hosts.newTicket(
        for: DecisionTests.host, groups: [Array("web".utf8)], by: actor)
      _ = try hosts.join(ticket: ticket, certificate: DecisionTests.serial, by: actor)
    }

    /// Lets another host join, with the certificate of the same number.
    func join(_ host: [UInt8], group: String) throws {
      let hosts = HostRegistry(TestRealm(engine).store(at: try Clock.now()))
      let actor = AuditLogEvent.Actor(
        name: [], uid: nil, program: Array("tests".utf8), source: Source([]))
      let ticket = try hosts.newTicket(for: host, groups: [Array(group.utf8)], by: actor)
      _ = try hosts.join(ticket: ticket, certificate: DecisionTests.serial, by: actor)
    }

    /// The policy of the realm, in files of its own: other tests change those of the machine at the same time.
    func policy() -> ConfigurationCache {
      let folder = Array((folder + "/policy").utf8)
      return ConfigurationCache(
        ConfigurationLocation(
          vendor: folder + Array("/vendor.conf".utf8), folder: folder,
          host: folder + Array("/mfa.conf".utf8), dropIns: folder + Array("/mfa.conf.d".utf8)),
        now: Clock.nanoseconds)
    }

    func remove() throws {
      for path in [key, folder] { try FileManager.default.removeItem(atPath: path) }
    }

    /// The accounts whose notices the verifier is to mail. Its mailer is never run. The machine has none, so that
    /// users of other tests are sent no mail.
    func mail() throws -> MailFolder {
      let path = try #require(TrustedPath(Array(folder.utf8)))
      let key = try #require(TrustedPath(Array(key.utf8)))
      return MailFolder(
        StoreFile.realmMailName, in: StoreLocation(directory: path, key: key), mailer: "/bin/true")
    }

    /// The names of the files there.
    func mailed() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder + "/realm-mail").sorted()
    }
  }

  static func configuration(
    _ more: String = "", users: String = "alice"
  ) throws -> DecisionConfiguration {
    try DecisionConfiguration(
      Array(
        "database = x\n[hosts web]\nusers = \(users)\nservices = sshd\noffline = recovery\n\(more)"
          .utf8))
  }

  /// The facts of a host about an sshd that signs in this user.
  static func facts(
    _ user: String, sharing: [Account] = [],
    by caller: Account = Account(name: Array("root".utf8), uid: 0)
  ) -> HostFacts {
    let account = Account(name: Array(user.utf8), uid: 1000)
    return HostFacts(
      peerUser: caller.uid,
      caller: AccountFacts(account: caller, groups: [], areGroupsCertain: true),
      user: AccountFacts(account: account, groups: [], areGroupsCertain: true),
      isLookupCertain: true, sharing: [account] + sharing,
      stacks: ReportedStacks([ReportedStacks.Lookup(Array("sshd".utf8), nil)], areCertain: true),
      secureShell: SecureShellConfiguration(graceTime: 120, leavesOtherMethod: true), sinceBoot: 10)
  }

  static func decide(
    _ facts: HostFacts, host: [UInt8] = host, serial: [UInt8] = serial, nonce: UInt8 = 1
  ) -> VerifierRequest {
    .decide(
      DecisionRequest(
        host: host, serial: serial, nonce: [UInt8](repeating: nonce, count: 16),
        facts: facts.encoded()))
  }

  static func start(
    _ user: String, service: String = "sshd", line: ModuleLine = .auth,
    arguments: [[UInt8]] = [], note: [UInt8]? = nil
  ) -> SignInCall {
    var call = SignInCall()
    call.line = line
    call.request = SignInRequest(
      user: Array(user.utf8), service: Array(service.utf8), arguments: arguments)
    call.showsMessages = true
    call.caller = 0
    call.note = note
    return call
  }

  /// Runs a verifier, and calls `client` with the path of its socket.
  static func serving(
    _ realm: Realm, front: UInt32 = 0, configuration more: String = "",
    users: String = "alice", _ client: (String) throws -> Void
  ) throws {
    let path = "/tmp/mfa-verifier-\(UUID().uuidString)"
    let listener = try PacketListener(creating: Array(path.utf8), permissions: 0o666)
    let share = try #require(WorkerShare(ownUser: 0, most: 4))
    let counters = try #require(DecisionCounters())
    let worker: Int32
    switch try WorkerProcess.start() {
    case .copy(let process): worker = process
    case .thisProcess:
      share.slot = 0
      share.started(in: 0)
      guard let key = TrustedPath(Array(realm.key.utf8)) else { WorkerProcess.leave(1) }
      do {
        DecisionWorker(
          listener: listener, share: share,
          realm: DecisionRealm(
            MeasuredEngine(realm.engine, counters), try configuration(more, users: users), key: key,
            owner: 0, mail: try realm.mail(), policy: realm.policy()),
          counters: counters, front: front
        ).run()
      } catch {}
      WorkerProcess.leave(0)
    }
    defer { WorkerProcess.end(worker) }
    try client(path)
    try FileManager.default.removeItem(atPath: path)
    try realm.remove()
  }

  /// Sends the request and returns the reply, or nil if the connection ends.
  static func reply(_ path: String, _ request: VerifierRequest) throws -> VerifierReply? {
    let connection = try PacketConnection(to: Array(path.utf8))
    let packet = request.packet()
    if let packet { try connection.send(packet.span) }
    guard case .packet(let answer) = try connection.receive(seconds: 10) else { return nil }
    return try VerifierReply(packet: answer)
  }

  /// Returns the reply to a request of the module, or nil without one.
  static func reply(
    _ path: String, _ request: VerifierRequest, _ call: inout SignInCall
  ) throws -> SignInReply? {
    let connection = try PacketConnection(to: Array(path.utf8))
    let packet = request.packet()
    if let packet { try connection.send(packet.span) }
    let first = call.packet()
    if let first { try connection.send(first.span) }
    guard case .packet(let answer) = try connection.receive(seconds: 10) else { return nil }
    return try SignInReply(packet: answer)
  }

  private static func denies(_ reply: SignInReply?) -> Bool {
    if case .verdict(0)? = reply?.end { return true }
    return false
  }

  /// What the module gets that asks again.
  static let asks: UInt8 = 0xFF

  /// Returns the number of the verdict, or `asks`. If the user is asked, `code` is the answer; its request has the
  /// nonce.
  static func verdict(
    _ path: String, _ facts: HostFacts, host: [UInt8] = host, nonce: UInt8 = 1,
    _ call: consuming SignInCall, code: String? = nil
  ) throws -> UInt8? {
    var call = call
    var number: UInt8 = code == nil ? nonce : 0xF0
    var isAnswered = code == nil
    while true {
      let reply = try reply(path, decide(facts, host: host, nonce: number), &call)
      switch reply?.end {
      case nil, .busy: return nil
      case .verdict(let verdict): return verdict
      case .facts: call.facts = ApplicationFacts()
      case .question(_, _, let continuation):
        guard !isAnswered, let code else { return asks }
        isAnswered = true
        number = nonce
        call.answer = .text(SecretBytes(copying: Array(code.utf8).span))
        call.continuation = continuation
      }
    }
  }

  /// Signs alice in with a code. Returns the number of the verdict, or `asks`.
  static func signIn(_ path: String, _ code: String, nonce: UInt8 = 1) throws -> UInt8? {
    try verdict(path, facts("alice"), nonce: nonce, start("alice"), code: code)
  }

  @Test("a code is accepted at one host, once")
  func accepted() async {
    await #expect(processExitsWith: .success) {
      try Self.serving(try Realm()) { path in
        let code = try KnownFactor.code(at: try Clock.now())
        for (nonce, code, expected) in [
          (2, "000000", Self.asks), (3, code, 1), (3, code, 1), (4, code, Self.asks),
        ] as [(UInt8, String, UInt8)] {
          let verdict = try Self.signIn(path, code, nonce: nonce)
          #expect(verdict == expected, "nonce \(nonce)")
        }
      }
    }
  }

  @Test("results, conversations and calls of the database are counted")
  func counted() async {
    await #expect(processExitsWith: .success) {
      try Self.serving(try Realm()) { path in
        let code = try KnownFactor.code(at: try Clock.now())
        for (nonce, code) in [(2, "000000"), (3, code), (4, code)] as [(UInt8, String)] {
          _ = try Self.signIn(path, code, nonce: nonce)
        }
        _ = try Self.verdict(path, Self.facts("bob"), Self.start("bob"))
        let numbers = try #require(try Self.numbers(path))
        #expect(numbers[.wrong] == 1 && numbers[.accepted] == 1 && numbers[.replayed] == 1)
        #expect(
          numbers[.allowed] == 1 && numbers[.asked] == 5 && numbers[.notPermitted] == 1)
        // Each sign-in begins with a question, and two of the codes are followed by another try.
        #expect(numbers.distribution(.commit).counts.reduce(0, +) >= 3)
        #expect(numbers.distribution(.load).counts.reduce(0, +) >= 3)
      }
    }
  }

  @Test("a verifier whose clock is ahead uses the time of the database, and is counted")
  func clockAhead() async {
    await #expect(processExitsWith: .success) {
      let realm = try Realm()
      // More than one time step and the tolerance, and as far as possible from the minute after which the verifier
      // denies.
      let ahead = 30 + DatabaseClock.tolerance + 1
      let time = try Clock.now() - ahead
      realm.engine.time = time
      try Self.serving(realm) { path in
        // The codes of later steps than the database's time allows, by the present one of the verifier.
        for (nonce, code, expected) in [
          (2, try KnownFactor.code(at: time + ahead, steps: 5), Self.asks),
          (3, try KnownFactor.code(at: time, steps: 5), 1),
        ] as [(UInt8, String, UInt8)] {
          let verdict = try Self.signIn(path, code, nonce: nonce)
          #expect(verdict == expected, "nonce \(nonce)")
        }
        let numbers = try #require(try Self.numbers(path))
        #expect(numbers[.wrong] == 1 && numbers[.accepted] == 1)
        #expect(numbers[.clockAhead] >= 2 && numbers[.clockTooFarAhead] == 0)
      }
    }
  }

  @Test("a verifier whose clock is more than a minute ahead denies, and is counted")
  func clockTooFarAhead() async {
    await #expect(processExitsWith: .success) {
      let realm = try Realm()
      let time = try Clock.now() - 100
      realm.engine.time = time
      try Self.serving(realm) { path in
        for code in [try KnownFactor.code(at: time), try KnownFactor.code(at: time + 100)] {
          let verdict = try Self.signIn(path, code)
          #expect(verdict == 0)
        }
        let numbers = try #require(try Self.numbers(path))
        #expect(numbers[.failed] == 2 && numbers[.clockTooFarAhead] >= 2)
      }
    }
  }

  /// Returns the reply to a request about outages, or nil.
  static func offline(
    _ path: String, serial: [UInt8] = serial, _ subject: OfflineRequest.Subject
  ) throws -> VerifierReply? {
    try reply(path, .offline(OfflineRequest(host: host, serial: serial, subject)))
  }

  @Test("a host gets a permit only about a user whose code was accepted there")
  func permit() async {
    await #expect(processExitsWith: .success) {
      try Self.serving(try Realm()) { path in
        let code = try KnownFactor.code(at: try Clock.now())
        for (nonce, code) in [(2, "000000"), (3, code)] as [(UInt8, String)] {
          _ = try Self.signIn(path, code, nonce: nonce)
        }
        func permits(_ nonce: UInt8, _ user: String = "alice") throws -> VerifierReply? {
          try Self.offline(
            path,
            .permit(
              nonce: [UInt8](repeating: nonce, count: 16), facts: Self.facts(user).encoded()))
        }
        let none = VerifierReply.offline(.permits([[]]))
        #expect(try permits(2) == none)
        #expect(try permits(9) == none)
        guard case .offline(.permits(let encoded)) = try permits(3),
          let bytes = encoded.first, let permit = OfflinePermit(bytes.span)
        else {
          Issue.record("no permit")
          return
        }
        #expect(permit.user == Array("alice".utf8))
        #expect(permit.expiresAt == permit.signedInAt + 7 * 86_400)
        #expect(permit.rules.map(\.methods) == [.recovery])
        #expect(permit.rules.map(\.services) == [[Array("sshd".utf8)]])
        guard
          case .offline(.permits(let renewed)) = try Self.offline(
            path, .renewal(tokens: [permit.token, permit.token + [0]])),
          renewed.count == 2, let bytes = renewed.first, let second = OfflinePermit(bytes.span)
        else {
          Issue.record("no renewed permit")
          return
        }
        #expect(second.signedInAt == permit.signedInAt && second.expiresAt == permit.expiresAt)
        #expect(renewed[1].isEmpty)
        #expect(
          try Self.offline(path, serial: [2], .renewal(tokens: [permit.token])) == .refused)
        // A report of an offline sign-in, twice, and a damaged queue.
        let record = OfflineRecord(
          number: 1, time: 5, kind: .attempt, user: Array("alice".utf8),
          service: Array("sshd".utf8), source: [])
        let report = OfflineReport(
          isDamaged: false, base: 0, chain: [UInt8](repeating: 0, count: 32),
          records: [record.encoded()])
        let first = try Self.offline(path, .report(report.encoded()))
        guard case .offline(.position(1, _)) = first else {
          Issue.record("not reported")
          return
        }
        #expect(try Self.offline(path, .report(report.encoded())) == first)
        let damaged = OfflineReport(
          isDamaged: true, base: 0, chain: [UInt8](repeating: 0, count: 32), records: [])
        #expect(try Self.offline(path, .report(damaged.encoded())) == first)
      }
    }
  }

  private static func numbers(_ path: String) throws -> DecisionNumbers? {
    guard case .numbers(let numbers)? = try reply(path, .numbers) else { return nil }
    return numbers
  }

  @Test("another user than the network front's is not served")
  func otherUser() async {
    await #expect(processExitsWith: .success) {
      try Self.serving(try Realm(), front: Self.front) { path in
        #expect(try Self.reply(path, .ping) == .alive)
        let result = try #require(SharedNumbers(count: 1))
        switch try WorkerProcess.start() {
        case .copy(let process):
          while result[0] == 0 { Clock.pause(milliseconds: 1) }
          WorkerProcess.end(process)
          #expect(result[0] == 1)
        case .thisProcess:
          guard ctest_set_identities(12399, 12399, 12399) == 0 else { WorkerProcess.leave(2) }
          do {
            result[0] = try Self.reply(path, .ping) == nil ? 1 : 2
          } catch {
            result[0] = 1
          }
          WorkerProcess.leave(0)
        }
      }
    }
  }

  @Test("a revoked host, another certificate and an unknown host are denied")
  func revoked() async {
    await #expect(processExitsWith: .success) {
      try Self.serving(try Realm()) { path in
        let facts = Self.facts("alice")
        var call = Self.start("alice")
        let other = try Self.reply(path, Self.decide(facts, serial: [2]), &call)
        #expect(Self.denies(other))
        let unknown = try Self.verdict(path, facts, host: Array("db".utf8), Self.start("alice"))
        #expect(unknown == 0)
      }
      let revoked = try Realm()
      let actor = AuditLogEvent.Actor(name: [], uid: nil, program: [], source: Source([]))
      _ = try HostRegistry(TestRealm(revoked.engine).store(at: try Clock.now()))
        .revoke(Self.host, by: actor)
      try Self.serving(revoked) { path in
        let verdict = try Self.verdict(path, Self.facts("alice"), Self.start("alice"))
        #expect(verdict == 0)
      }
    }
  }

  @Test("users and services that no group permits are denied like each other")
  func notPermitted() async {
    await #expect(processExitsWith: .success) {
      try Self.serving(try Realm()) { path in
        for (user, service) in [("bob", "sshd"), ("alice", "sudo"), ("nobody-here", "login")] {
          let verdict = try Self.verdict(
            path, Self.facts(user), Self.start(user, service: service))
          #expect(verdict == 0)
        }
      }
    }
  }

  @Test("the realm's policy names the daemons that sign in users, as the host reports them")
  func daemons() async {
    await #expect(processExitsWith: .success) {
      let policy = "[daemon radiusd]\nuser = freerad\nservices = sshd\nusers = alice\n"
      for (policy, user, name, uid, isServed) in [
        (policy, "alice", "freerad", 120, true), ("", "alice", "freerad", 120, false),
        (policy, "alice", "other", 120, false), (policy, "bob", "freerad", 120, false),
        (policy.replacing("sshd", with: "radiusd"), "alice", "freerad", 120, false),
      ] as [(String, String, String, UInt32, Bool)] {
        try Self.serving(try Realm(policy: policy), users: "alice bob") { path in
          let caller = Account(name: Array(name.utf8), uid: uid)
          let verdict = try Self.verdict(
            path, Self.facts(user, by: caller), Self.start(user),
            code: try KnownFactor.code(at: try Clock.now()))
          #expect((verdict == 1) == isServed, "\(policy) \(user) \(name): \(verdict ?? 255)")
        }
      }
    }
  }

  @Test("a user whose other name is not permitted is denied")
  func otherNameNotPermitted() async {
    await #expect(processExitsWith: .success) {
      try Self.serving(try Realm()) { path in
        let facts = Self.facts("alice", sharing: [Account(name: Array("bob".utf8), uid: 1000)])
        let verdict = try Self.verdict(path, facts, Self.start("alice"))
        #expect(verdict == 0)
      }
    }
  }

  @Test("a host cannot begin an enrolment in the account line, nor choose another policy file")
  func enrollmentInAccountLine() async {
    await #expect(processExitsWith: .success) {
      try Self.serving(try Realm()) { path in
        let note = [TransactionNote.enrollment.rawValue] + Array("alice".utf8)
        let account = try Self.verdict(
          path, Self.facts("alice"), Self.start("alice", line: .account, note: note))
        #expect(account == 0)
        let verdict = try Self.verdict(
          path, Self.facts("alice"), nonce: 9,
          Self.start("alice", arguments: [Array("config=/etc/mfa/mfa.conf".utf8)]),
          code: try KnownFactor.code(at: try Clock.now()))
        #expect(verdict == 0)
      }
    }
  }

  @Test("enrolment is refused at a host whose groups do not permit it")
  func noEnrollment() async {
    await #expect(processExitsWith: .success) {
      try Self.serving(try Realm()) { path in
        let connection = try PacketConnection(to: Array(path.utf8))
        var call = ManagementCall()
        call.proof = .proven
        let request = Self.decide(Self.facts("alice")).packet()
        if let request { try connection.send(request.span) }
        let packet = call.packet()
        if let packet { try connection.send(packet.span) }
        guard case .packet(let answer) = try connection.receive(seconds: 10) else {
          throw SystemError(.read, number: 0)
        }
        let reply = try ManagementReply(packet: answer)
        let refusal = try HelperResponse.failed(.notPermitted).encoded()
        let isRefused = reply.frames.withSpan { frames in
          refusal.withSpan { refusal in
            frames.count == refusal.count && frames.indices.allSatisfy { frames[$0] == refusal[$0] }
          }
        }
        #expect(reply.next == .end && isRefused)
      }
    }
  }
}
