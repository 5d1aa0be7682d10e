import MFARealm
import MFAWire
import MFABase
import Testing

/// MUST 1 of VerifierRequest.swift.
@Suite("Requests to the decision service")
struct VerifierRequestTests {
  private static let host = FactSamples.bytes("web1.example.org")
  private static let serial: [UInt8] = [1, 2, 3]

  private static func conversation(
    host: [UInt8] = host, serial: [UInt8] = serial, nonce: Int = 16, facts: Int = 5
  ) -> DecisionRequest {
    DecisionRequest(
      host: host, serial: serial, nonce: [UInt8](repeating: 7, count: nonce),
      facts: [UInt8](repeating: 8, count: facts))
  }

  private static func packet(_ request: consuming VerifierRequest) -> [UInt8]? {
    guard let packet = request.packet() else { return nil }
    return packet.span.copied()
  }

  /// Returns the packet of a request that is not too long. The macros of the tests can only pass a
  /// closure, because a request cannot be copied.
  private static func packet(_ request: () -> VerifierRequest) throws -> [UInt8] {
    let packet: [UInt8]? = packet(request())
    return try #require(packet)
  }

  /// Returns the packet of the request in a packet, or nil if the packet does not parse.
  private static func packetRead(from packet: [UInt8]) -> [UInt8]? {
    do throws(PacketError) {
      return Self.packet(try VerifierRequest.read(packet.span))
    } catch {
      return nil
    }
  }

  private static func samples() -> [[UInt8]?] {
    [
      packet(.decide(conversation())),
      packet(.decide(conversation(facts: HostFacts.longest))),
      packet(.join(ticket: SecretBytes(copying: FactSamples.bytes("ABCD").span), serial: serial)),
      packet(.renew(host: host, present: serial, next: [9])),
      packet(.ping), packet(.numbers),
    ]
  }

  @Test("every request parses to an equal request")
  func everyRequestParses() throws {
    for sample in Self.samples() {
      let packet = try #require(sample)
      #expect(Self.packetRead(from: packet) == packet)
    }
    let packet = try Self.packet { .decide(Self.conversation()) }
    guard case .decide(let read) = try VerifierRequest.read(packet.span) else {
      Issue.record("another request")
      return
    }
    #expect(read == Self.conversation())
  }

  @Test("a damaged request does not parse, or is another request")
  func damaged() throws {
    for sample in Self.samples() {
      let packet = try #require(sample)
      guard packet.count < 1000 else { continue }
      for damaged in Damage.all(of: packet) {
        let read = Self.packetRead(from: damaged)
        #expect(read == nil || read == damaged)
      }
    }
  }

  @Test("fields beyond their limits are refused")
  func limits() throws {
    let long = [UInt8](repeating: 0x61, count: 256)
    for (row, conversation) in [
      Self.conversation(host: []), Self.conversation(host: long),
      Self.conversation(serial: []), Self.conversation(serial: Array(long.prefix(21))),
      Self.conversation(nonce: 15), Self.conversation(nonce: 17),
      Self.conversation(facts: HostFacts.longest + 1),
    ].enumerated() {
      let packet = try Self.packet { .decide(conversation) }
      #expect(Self.packetRead(from: packet) == nil, "row \(row)")
    }
  }

  @Test("a ticket has 1 to 64 bytes", arguments: [(0, false), (1, true), (64, true), (65, false)])
  func ticket(length: Int, isRead: Bool) throws {
    let packet = try Self.packet {
      .join(ticket: SecretBytes(count: length), serial: Self.serial)
    }
    #expect((Self.packetRead(from: packet) != nil) == isRead)
  }
}
