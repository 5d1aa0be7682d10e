import MFAAttempt
import MFABase
import MFAModel
import MFARealm
import MFAResidentTestSupport
import MFAWire
import Testing

/// Every message of a realm is read as it was written, and no other bytes are read.
@Suite("Messages of a realm")
struct RealmMessageTests {
  private static func bytes(_ text: String) -> [UInt8] { FactSamples.bytes(text) }

  private static func text(_ bytes: [UInt8]) -> PrivateText { PrivateText(copying: bytes.span) }

  private static let (host, serial): ([UInt8], [UInt8]) = (bytes("web1.example.org"), [1, 2, 3])
  private static let nonce = [UInt8](repeating: 7, count: DecisionRequest.nonceLength)

  // MARK: The decision service

  private static func decide(
    host: [UInt8] = host, serial: [UInt8] = serial, nonce: [UInt8] = nonce, facts: [UInt8] = [8]
  ) -> VerifierRequest {
    .decide(DecisionRequest(host: host, serial: serial, nonce: nonce, facts: facts))
  }

  private static func seen(
    host: [UInt8] = host, serial: [UInt8] = serial, version: [UInt8] = [], verifier: [UInt8] = host
  ) -> VerifierRequest {
    .seen(
      SeenHost(
        host: host, serial: serial, version: version, certificateEnd: 5_000_000_000,
        verifier: verifier))
  }

  private static func offline(_ subject: OfflineRequest.Subject) -> VerifierRequest {
    .offline(OfflineRequest(host: host, serial: serial, subject))
  }

  private static let requestSamples: [VerifierRequest] = [
    decide(), .join(ticket: text(bytes("ABCD")), serial: serial),
    .renew(host: host, present: serial, next: [9]), .ping, .numbers, seen(version: bytes("0.1")),
    offline(.permit(nonce: nonce, facts: [2, 3])), offline(.renewal(tokens: [])),
    offline(.renewal(tokens: [[1], [2, 3]])), offline(.report([4])),
  ]
  private static let requests = CodecConformance<VerifierRequest>(name: "request", requestSamples)

  @Test("a request to the decision service is read as it was written, and nothing else is read")
  func requestsToTheService() throws {
    try Self.requests.holds(read: 1000, refused: 2000)
  }

  @Test("each field of a request to the decision service has a longest length")
  func longRequests() throws {
    let requests = Self.requests
    try requests.limits("host", to: 255) { Self.decide(host: $0) }
    try requests.limits("serial number", to: 20) { Self.decide(serial: $0) }
    try requests.limits("nonce", to: 16) { Self.decide(nonce: $0) }
    try requests.limits("facts", to: HostFacts.longest) { Self.decide(facts: $0) }
    try requests.limits("ticket", to: 64) { .join(ticket: Self.text($0), serial: [1]) }
    try requests.limits("present", to: 20) { .renew(host: [1], present: $0, next: [1]) }
    try requests.limits("next", to: 20) { .renew(host: [1], present: [1], next: $0) }
    try requests.limits("version", to: 32) { Self.seen(version: $0) }
    try requests.limits("verifier", to: 255) { Self.seen(verifier: $0) }
    try requests.limits("token", to: 1024) { Self.offline(.renewal(tokens: [$0])) }
    try requests.limits("report", to: 60_000) { Self.offline(.report($0)) }
    for request in [
      Self.decide(host: []), Self.decide(serial: []),
      Self.decide(nonce: Array(Self.nonce.dropLast())),
      .join(ticket: Self.text([]), serial: [1]), .renew(host: [], present: [1], next: [1]),
      Self.seen(verifier: []), Self.offline(.permit(nonce: [1], facts: [])),
      Self.offline(.renewal(tokens: [[UInt8]](repeating: [1], count: 17))),
    ] {
      #expect(Self.requests.packetIfWritten(request) == nil, "\(request)")
    }
  }

  private static let replySamples: [VerifierReply] = [
    .joined(host: bytes("web1"), days: 30), .renewed(days: 400), .refused, .alive,
    .numbers(DecisionNumbers(counters: [], timings: [])),
    .numbers(DecisionNumbers(counters: [0, .max], timings: [7])), .offline(.permits([])),
    .offline(.permits([[1], []])),
    .offline(.position(number: 5, chain: [UInt8](repeating: 1, count: 32))),
    .offline(.later(seconds: 3600)),
  ]
  private static let replies = CodecConformance<VerifierReply>(name: "reply", replySamples)

  @Test("a reply of the decision service is read as it was written, and nothing else is read")
  func repliesOfTheService() throws {
    try Self.replies.holds(read: 1000, refused: 1000)
  }

  @Test("each field of a reply of the decision service has a longest length")
  func longReplies() throws {
    try Self.replies.limits("host", to: 255) { .joined(host: $0, days: 1) }
    try Self.replies.limits("chain", to: 32) { .offline(.position(number: 1, chain: $0)) }
    for (count, isWritten) in [(1024, true), (1025, false)] {
      let numbers = DecisionNumbers(counters: [UInt64](repeating: 1, count: count), timings: [])
      #expect((Self.replies.packetIfWritten(.numbers(numbers)) != nil) == isWritten)
    }
    let permits = [[UInt8]](repeating: [1], count: 17)
    #expect(Self.replies.packetIfWritten(.offline(.permits(permits))) == nil)
    #expect(Self.replies.packetIfWritten(.joined(host: [], days: 1)) == nil)
  }

  // MARK: Administration

  private static let commands: [AdministrationCommand] =
    [
      .inspect, .hosts(after: []), .hosts(after: bytes("web1")),
      .newHostTicket(host: bytes("web1"), groups: [bytes("web"), bytes("all")]),
      .revokeHost(bytes("web1")), .realm, .users(after: bytes("alice")), .user(bytes("alice")),
      .renameUser(bytes("alice"), to: bytes("alicia")), .auditLog(after: 17), .auditLogEnd,
      .importUser(userImport(isTrial: true)), .importUser(userImport(isTrial: false)),
      .undoImport(undo(isTrial: true)), .undoImport(undo(isTrial: false)),
    ] + Samples.changes.map { .change(bytes("alice"), $0) }

  private static func userImport(isTrial: Bool) -> AdministrationImport {
    var user = AdministrationImport(
      user: bytes("alice"), record: bytes("record"), attempts: bytes("attempts"),
      secrets: SecretList.empty.adding(bytes("secret").span) ?? .empty,
      number: [UInt8](repeating: 3, count: 16))
    user.earlierFactors = [[UInt8](repeating: 5, count: 16)]
    user.hadAttempts = true
    user.choice = .take
    user.isTrial = isTrial
    return user
  }

  private static func undo(isTrial: Bool) -> AdministrationUndo {
    AdministrationUndo(
      user: bytes("alice"),
      imported: ImportUndo.Marks(
        factors: [FactorImport(identifier(5), .added, mark: [1, 2])], recoveryCodes: [3]),
      isTrial: isTrial, number: [UInt8](repeating: 3, count: 16))
  }

  private static func request(
    _ command: AdministrationCommand, by name: [UInt8] = bytes("carol"),
    at terminal: [UInt8] = bytes("pts/3")
  ) -> AdministrationRequest {
    AdministrationRequest(administrator: name, terminal: terminal, command)
  }

  private static let administration = CodecConformance<AdministrationRequest>(
    name: "administration", commands.map { request($0) })

  @Test("a request of an administrator is read as it was written, and nothing else is read")
  func requestsOfAdministrators() throws {
    try Self.administration.holds(read: 4000, refused: 4000)
    let packet = try Self.administration.packet(Self.request(.inspect))
    let begins = AdministrationRequest.begins(packet.span)
    #expect(begins)
  }

  @Test("an unknown command is named, so that an older verifier can say so")
  func unknownCommand() throws {
    var packet = try Self.administration.packet(Self.request(.inspect))
    packet[packet.count - 1] = 250
    let changed = packet
    #expect(throws: PacketError.unknownKind(250)) { _ = try AdministrationRequest(changed.span) }
  }

  @Test("names and ids that are too long or empty are refused")
  func longNames() throws {
    let administration = Self.administration
    try administration.limits("administrator", to: 255) { Self.request(.inspect, by: $0) }
    try administration.limits("terminal", to: 64) { Self.request(.inspect, at: $0) }
    try administration.limits("user", to: 255) { Self.request(.user($0)) }
    try administration.limits("new name", to: 255) { Self.request(.renameUser([1], to: $0)) }
    try administration.limits("host", to: 255) { Self.request(.revokeHost($0)) }
    for command: AdministrationCommand in [
      .user([]), .change([], .unlock), .renameUser(Self.bytes("alice"), to: []),
      .newHostTicket(
        host: Self.bytes("web1"), groups: [[UInt8]](repeating: [0x61], count: 17)),
    ] {
      #expect(administration.packetIfWritten(Self.request(command)) == nil, "\(command)")
    }
  }

  @Test("only changes may not be repeated")
  func changes() {
    let repeatable = Self.commands.filter { !$0.isChange }
    #expect(
      repeatable == [
        .inspect, .hosts(after: []), .hosts(after: Self.bytes("web1")), .realm,
        .users(after: Self.bytes("alice")), .user(Self.bytes("alice")), .auditLog(after: 17),
        .auditLogEnd, .importUser(Self.userImport(isTrial: true)),
        .undoImport(Self.undo(isTrial: true)),
      ])
  }

  private static let administered: AdministeredHost = {
    var host = AdministeredHost(
      name: bytes("web1"), groups: [bytes("web"), bytes("all")], joinedAt: 1, revokedAt: 2)
    host.version = bytes("0.1.0")
    host.seenAt = 3
    host.certificateEnd = 4
    host.failures = 5
    host.mostFailures = 100
    return host
  }()

  private static let realm = AdministeredRealm(
    verifiers: [AdministeredVerifier(name: bytes("a"), version: bytes("0.1.0"), seenAt: 9)],
    epoch: 3, fence: 7, primary: bytes("db1:5432"), members: [bytes("db2 sync")], lag: 17)

  private static let users: [AdministeredRealmUser] =
    [AdministeredRealmUser(name: bytes("bob"), .unusable(bytes("record: damaged")))]
    + (Samples.summary.map {
      [
        AdministeredRealmUser(
          name: bytes("alice"), .usable($0), fingerprint: bytes("12345678"),
          directoryEntry: bytes("id"))
      ]
    } ?? [])

  private static let answers = CodecConformance<AdministrationReply>(
    name: "answer",
    [
      .failed(.unknownGroup, detail: bytes("web")),
      .inspection(
        VerifierInspection(
          version: bytes("0.1.0"), isAdministering: true, findings: [bytes("fsync is off")],
          certificateEnd: 5)),
      .hosts([administered], isEnd: false), .hostTicket(text(bytes("AAAA-BBBB"))),
      .done(checkpoint: bytes("17:9f2c0a1b")), .realm(realm), .users(users, isEnd: true),
      .auditLogEnd(17),
      .auditLog(
        [AdministeredLogLine(number: 1, text: bytes("n=1"), checkpoint: bytes("1:9f2c0a1b"))],
        isEnd: true),
      .imported(
        AdministeredImport(
          factors: [
            FactorImport(.zero, .added, mark: [1, 2]), FactorImport(.zero, .otherFactors),
          ], recoveryCodes: .grants, recoveryCodeMark: [3], failuresBefore: 4, failures: 5,
          checkpoint: bytes("17:9f2c0a1b"))),
    ] + Samples.effects.map { .changed($0, checkpoint: bytes("17:9f2c0a1b")) })

  @Test("a reply to an administrator is read as it was written, and nothing else is read")
  func repliesToAdministrators() throws {
    #expect(Self.users.count == 2 && Samples.effects.count == 5)
    try Self.answers.holds(read: 4000, refused: 4000)
  }

  @Test("a list has at most 1,000 elements, and fits into a packet if its elements do")
  func lists() throws {
    let line = AdministeredLogLine(number: 1, text: [], checkpoint: [])
    for (count, isWritten) in [(1000, true), (1001, false)] {
      let lines = [AdministeredLogLine](repeating: line, count: count)
      #expect((Self.answers.packetIfWritten(.auditLog(lines, isEnd: true)) != nil) == isWritten)
    }
    let long = AdministeredLogLine(
      number: 1, text: [UInt8](repeating: 0x61, count: AdministrationReply.longestList),
      checkpoint: [])
    let longest = try Self.answers.packet(.auditLog([long], isEnd: true))
    #expect(Self.answers.reread(longest) == longest)
  }

  // MARK: The document

  /// Returns the number and the name of each form of a message, from the packets of samples, where the number is at
  /// `position`.
  private static func forms<Message: WireMessage>(
    _ samples: [Message], at position: Int, _ value: (Message) -> Any
  ) -> [[String]] {
    var forms: [UInt8: String] = [:]
    for sample in samples {
      guard let packet = sample.packet() else { continue }
      forms[packet.span[position]] = String("\(value(sample))".prefix { $0.isLetter })
    }
    return forms.sorted { $0.key < $1.key }.map { ["\($0.key)", "`\($0.value)`"] }
  }

  private static func subject(_ request: VerifierRequest) -> Any? {
    if case .offline(let request) = request { request.subject } else { nil }
  }

  private static func answer(_ reply: VerifierReply) -> Any? {
    if case .offline(let reply) = reply { reply } else { nil }
  }

  @Test("PROTOCOL.md has the number of every request and reply")
  func document() throws {
    let document = ProtocolDocument("Realm/Realm/PROTOCOL.md")
    func rows(_ number: String) throws -> [[String]] {
      try document.rows([number, "name", "fields"]).map { Array($0.prefix(2)) }
    }
    #expect(try rows("request") == Self.forms(Self.requestSamples, at: 2) { $0 })
    #expect(try rows("reply") == Self.forms(Self.replySamples, at: 2) { $0 })
    let subjects = Self.requestSamples.filter { Self.subject($0) != nil }
    let position = 3 + 2 + Self.host.count + 2 + Self.serial.count
    #expect(try rows("subject") == Self.forms(subjects, at: position) { Self.subject($0) ?? "" })
    let answers = Self.replySamples.filter { Self.answer($0) != nil }
    #expect(try rows("answer") == Self.forms(answers, at: 3) { Self.answer($0) ?? "" })
    let commands = Self.commands.map { Self.request($0, by: [], at: []) }
    #expect(try rows("command") == Self.forms(commands, at: 6) { $0.command })
    for (name, kind) in [
      ("Request of the front", VerifierRequest.kind), ("Reply to the front", VerifierReply.kind),
      ("Request of an administrator", AdministrationRequest.kind),
      ("Reply to an administrator", AdministrationReply.kind),
    ] {
      #expect(document.text.contains("### \(name): kind 0x\(String(kind, radix: 16))\n"))
    }
    #expect(document.text.contains("one message of kind 0x\(String(HostFacts.kind, radix: 16))."))
  }
}
