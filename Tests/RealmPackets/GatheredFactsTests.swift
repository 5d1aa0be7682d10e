import MFAWire
import MFAPAMStack
import MFABase
import Testing

@testable import MFARealm

/// The facts that a relay gathers on this machine.
@Suite("Gathered facts")
struct GatheredFactsTests {
  /// A source of service files that are in memory.
  private struct Files: StackSource {
    let contents: [String: String]

    func file(_ name: [UInt8]) throws(StackRefusal) -> StackFile? {
      let name = String(decoding: name, as: UTF8.self)
      guard name != "unreadable" else {
        throw .system(file: FactSamples.bytes(name), .forbidden(.open))
      }
      return contents[name].map {
        StackFile(path: FactSamples.bytes("/etc/pam.d/" + name), contents: FactSamples.bytes($0))
      }
    }
  }

  private static let files = Files(contents: [
    "sudo": "auth required pam_mfa.so\n@include common\n",
    "common": "account required pam_mfa.so\n",
    "sshd": "account required pam_mfa.so\nsession include session\n",
    "session": "session optional pam_mfa.so\n",
    "broken": "@include unreadable\n",
  ])

  private static let root = Peer(process: 1, user: 0)
  private static let sender = Peer(process: 0, user: .max)

  private static func start(_ user: String, _ service: String) -> [UInt8] {
    let request = SignInRequest(
      user: FactSamples.bytes(user), service: FactSamples.bytes(service))
    var call = SignInCall()
    call.request = request
    guard let packet = call.packet() else { return [] }
    return packet.span.copied()
  }

  private static func management() -> ManagementCall {
    var call = ManagementCall()
    call.proof = .proven
    return call
  }

  private static func packet(_ call: consuming ManagementCall) -> [UInt8] {
    guard let packet = call.packet() else { return [] }
    return packet.span.copied()
  }

  private static func gathered(_ user: String, _ service: String) throws -> HostFacts {
    try HostFacts.gathered(
      for: start(user, service).span, peer: root, sender: sender, stacks: files)
  }

  @Test("the account and its groups are those of this machine")
  func account() throws {
    let facts = try Self.gathered("root", "sudo")
    #expect(facts.peerUser == 0)
    #expect(facts.caller?.account == FactSamples.account("root", 0))
    #expect(facts.caller?.isMember(of: FactSamples.bytes("root")) == .some(nil))
    #expect(facts.user?.account == facts.caller?.account)
    #expect(facts.user?.isMember(of: FactSamples.bytes("root")) == true)
    #expect(facts.isLookupCertain)
    #expect(facts.sharing.first == FactSamples.account("root", 0))
    #expect(facts.sharing.count >= 2)
    #expect(facts.sinceBoot != nil)
    #expect(try HostFacts(facts.encoded().span) == facts)
  }

  @Test("an unknown user is certainly unknown")
  func unknownUser() throws {
    let facts = try Self.gathered("no-such-user", "sudo")
    #expect(facts.user == nil)
    #expect(facts.isLookupCertain)
    #expect(facts.sharing.isEmpty)
  }

  @Test(
    "the service files are those that a sign-in looks up",
    arguments: [
      ("sudo", "common sudo", true), ("sshd", "other session sshd", true),
      ("none", "none other", true), ("broken", "broken", false),
    ])
  func stacks(service: String, names: String, areCertain: Bool) throws {
    let facts = try Self.gathered("root", service)
    let lookedUp = facts.stacks.lookups.map { String(decoding: $0.name, as: UTF8.self) }
    #expect(lookedUp.joined(separator: " ") == names)
    #expect(facts.stacks.areCertain == areCertain)
    for type in [StackType.account, service == "sshd" ? .session : .account] {
      let service = FactSamples.bytes(service)
      let here = Result { try ServiceStack(type, of: service, from: Self.files).entries }
      let there = Result { try ServiceStack(type, of: service, from: facts.stacks).entries }
      #expect((try? here.get()) == (try? there.get()))
    }
  }

  @Test("the helper is the process that connected, as this user")
  func notTheHelper() throws {
    let packet = Self.packet(Self.management())
    func facts(_ peer: Peer, _ sender: Peer) throws -> HostFacts {
      try HostFacts.gathered(
        for: packet.span, peer: peer, sender: sender, stacks: Self.files, ownUser: 99)
    }
    let helper = Peer(process: 5, user: 99)
    let gathered = try facts(helper, Peer(process: 5, user: 0))
    #expect(gathered.peerUser == 0)
    #expect(gathered.caller?.account == FactSamples.account("root", 0))
    #expect(gathered.user == nil)
    let refused: [(Peer, Peer)] = [
      (Peer(process: 5, user: 0), Peer(process: 5, user: 0)),
      (helper, Peer(process: 6, user: 0)),
      (Peer(process: 0, user: 99), Peer(process: 0, user: 0)),
    ]
    for (peer, sender) in refused {
      #expect(throws: PacketError.unknownKind(ManagementCall.kind)) { try facts(peer, sender) }
    }
  }

  @Test("a packet that is no request is refused")
  func noRequest() throws {
    let packets = [[1, 2, 3], Array(Self.packet(Self.management()).dropLast())]
    for packet in packets {
      #expect(throws: PacketError.malformed) {
        try HostFacts.gathered(for: packet.span, peer: Self.root, sender: Self.sender)
      }
    }
  }
}
