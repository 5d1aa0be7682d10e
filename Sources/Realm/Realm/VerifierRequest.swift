import MFABase
import MFAWire

/// What the network front tells the decision service about a request of a host.
package struct DecisionRequest: Equatable, Sendable {
  /// The name of the host, from its certificate.
  package let host: [UInt8]
  /// The serial number of the host's certificate.
  package let serial: [UInt8]
  /// The number that the relay chose for the request. An attempt with the same nonce from the
  /// same host is the same attempt.
  package let nonce: [UInt8]
  /// The encoded `HostFacts`.
  package let facts: [UInt8]

  /// The length of a nonce in bytes.
  package static let nonceLength = 16

  /// Creates a value.
  package init(host: [UInt8], serial: [UInt8], nonce: [UInt8], facts: [UInt8]) {
    self.host = host
    self.serial = serial
    self.nonce = nonce
    self.facts = facts
  }
}

/// The first packet on a connection from the network front to the decision service. PROTOCOL.md
/// defines the encoding.
///
/// MUST 1: an encoded request parses to an equal value, and no other bytes parse.
/// (`VerifierRequestTests`)
/// MUST 2: a ticket is held only in `SecretBytes`.
package enum VerifierRequest: ~Copyable {
  /// Decides about the request of the module, the helper or an administrator in the next packet. The reply is the
  /// packet that they get.
  case decide(DecisionRequest)
  /// Admits a host that has this ticket. The certificate that it will get has this serial number.
  case join(ticket: SecretBytes, serial: [UInt8])
  /// Replaces the certificate of a host.
  case renew(host: [UInt8], present: [UInt8], next: [UInt8])
  /// Asks whether the service works.
  case ping
  /// Asks what the service has counted.
  case numbers
  /// Records that a host was seen.
  case seen(SeenHost)
  /// Asks what a host may do while no verifier answers, or reports what it did.
  case offline(OfflineRequest)

  /// The version of the protocol.
  package static let version: UInt8 = 1

  /// The longest name of a host in bytes.
  package static let longestHost = 255
  /// The longest serial number of a certificate in bytes (RFC 5280, 4.1.2.2).
  package static let longestSerial = 20
  /// The longest ticket in bytes.
  package static let longestTicket = 64

  private enum Kind {
    static let decide: UInt8 = 1
    static let join: UInt8 = 2
    static let renew: UInt8 = 3
    static let ping: UInt8 = 4
    static let numbers: UInt8 = 8
    static let seen: UInt8 = 0x10

    static let all = [decide, join, renew, ping, numbers, seen]
  }

  /// Returns a packet with the request, or nil if a field is too long.
  package consuming func packet() -> SecretBytes? {
    var writer = PacketWriter()
    switch consume self {
    case .decide(let decision):
      writer.begin(Kind.decide)
      writer.field(Self.version)
      writer.field(decision.host)
      writer.field(decision.serial)
      writer.field(decision.nonce)
      writer.field(decision.facts)
    case .join(let ticket, let serial):
      writer.begin(Kind.join)
      writer.field(Self.version)
      writer.field(ticket.span)
      writer.field(serial)
    case .renew(let host, let present, let next):
      writer.begin(Kind.renew)
      writer.field(Self.version)
      writer.field(host)
      writer.field(present)
      writer.field(next)
    case .ping:
      writer.begin(Kind.ping)
      writer.field(Self.version)
    case .numbers:
      writer.begin(Kind.numbers)
      writer.field(Self.version)
    case .seen(let seen):
      writer.begin(Kind.seen)
      writer.field(Self.version)
      writer.field(seen.host)
      writer.field(seen.serial)
      writer.field(seen.version)
      writer.field(seen.certificateEnd)
      writer.field(seen.verifier)
    case .offline(let request): request.write(to: &writer)
    }
    writer.end()
    return writer.finish()
  }

  /// Reads a packet that contains one request.
  package static func read(_ packet: Span<UInt8>) throws(PacketError) -> VerifierRequest {
    var reader = PacketReader(packet)
    let request = try request(&reader)
    guard try reader.next() == nil else { throw .malformed }
    return request
  }

  @_lifetime(reader: copy reader)
  private static func request(_ reader: inout PacketReader) throws(PacketError) -> VerifierRequest {
    guard let kind = try reader.next() else { throw .malformed }
    if let request = try OfflineRequest(kind, &reader) { return .offline(request) }
    guard Kind.all.contains(kind) else { throw .unknownKind(kind) }
    guard try reader.number(UInt8.self) == version else { throw .malformed }
    switch kind {
    case Kind.decide:
      let host = try host(&reader)
      let serial = try serial(&reader)
      let nonce = try reader.bytes(longest: DecisionRequest.nonceLength)
      guard nonce.count == DecisionRequest.nonceLength else { throw .malformed }
      let facts = try reader.bytes(longest: HostFacts.longest)
      return .decide(
        DecisionRequest(host: host, serial: serial, nonce: nonce, facts: facts))
    case Kind.join:
      let ticket = try reader.secret(longest: longestTicket)
      guard ticket.count > 0 else { throw .malformed }
      return .join(ticket: ticket, serial: try serial(&reader))
    case Kind.renew:
      let host = try host(&reader)
      let present = try serial(&reader)
      return .renew(host: host, present: present, next: try serial(&reader))
    case Kind.numbers: return .numbers
    case Kind.seen:
      let host = try host(&reader)
      let serial = try serial(&reader)
      let version = try reader.bytes(longest: SeenHost.longestVersion)
      let end = try reader.number(Int64.self)
      return .seen(
        SeenHost(
          host: host, serial: serial, version: version, certificateEnd: end,
          verifier: try self.host(&reader)))
    case _: return .ping
    }
  }

  /// Reads the name of a host.
  @_lifetime(reader: copy reader)
  static func host(_ reader: inout PacketReader) throws(PacketError) -> [UInt8] {
    let host = try reader.bytes(longest: longestHost)
    guard !host.isEmpty else { throw .malformed }
    return host
  }

  @_lifetime(reader: copy reader)
  static func serial(_ reader: inout PacketReader) throws(PacketError) -> [UInt8] {
    let serial = try reader.bytes(longest: longestSerial)
    guard !serial.isEmpty else { throw .malformed }
    return serial
  }
}

/// The answer of the decision service to a request other than `decide`. PROTOCOL.md defines
/// the encoding.
///
/// MUST 1: an encoded reply parses to an equal value, and no other bytes parse.
/// (`VerifierReplyTests`)
package enum VerifierReply: Equatable, Sendable {
  /// The host is admitted under this name. Its certificate is valid for this many days.
  case joined(host: [UInt8], days: UInt16)
  /// The certificate of the host is replaced by one that is valid for this many days.
  case renewed(days: UInt16)
  /// The host is not admitted. The reason is in the log of the decision service.
  case refused
  /// The service works.
  case alive
  /// The counts of the service since it was started.
  case numbers(DecisionNumbers)
  /// Answers an `OfflineRequest`.
  case offline(OfflineReply)

  private enum Kind {
    static let joined: UInt8 = 0x81
    static let renewed: UInt8 = 0x82
    static let refused: UInt8 = 0x83
    static let alive: UInt8 = 0x84
    static let numbers: UInt8 = 0x88
  }

  /// Returns a packet with the reply, or nil if a field is too long.
  package func packet() -> SecretBytes? {
    var writer = PacketWriter()
    switch self {
    case .joined(let host, let days):
      writer.begin(Kind.joined)
      writer.field(host)
      writer.field(days)
    case .renewed(let days):
      writer.begin(Kind.renewed)
      writer.field(days)
    case .refused: writer.begin(Kind.refused)
    case .alive: writer.begin(Kind.alive)
    case .numbers(let numbers):
      writer.begin(Kind.numbers)
      for list in [numbers.counters, numbers.timings] {
        guard list.count <= DecisionNumbers.longest else { return nil }
        writer.field(UInt16(truncatingIfNeeded: list.count))
        for number in list { writer.field(number) }
      }
    case .offline(let reply): reply.write(to: &writer)
    }
    writer.end()
    return writer.finish()
  }

  @_lifetime(reader: copy reader)
  private static func list(_ reader: inout PacketReader) throws(PacketError) -> [UInt64] {
    let count = try reader.number(UInt16.self)
    guard count <= DecisionNumbers.longest else { throw .malformed }
    var list: [UInt64] = []
    for _ in 0..<count { list.append(try reader.number(UInt64.self)) }
    return list
  }

  /// Reads a packet that contains one reply.
  package init(_ packet: Span<UInt8>) throws(PacketError) {
    var reader = PacketReader(packet)
    guard let kind = try reader.next() else { throw .malformed }
    switch kind {
    case Kind.joined:
      let host = try reader.bytes(longest: VerifierRequest.longestHost)
      guard !host.isEmpty else { throw .malformed }
      self = .joined(host: host, days: try reader.number(UInt16.self))
    case Kind.renewed: self = .renewed(days: try reader.number(UInt16.self))
    case Kind.refused: self = .refused
    case Kind.alive: self = .alive
    case Kind.numbers:
      let counters = try Self.list(&reader)
      self = .numbers(DecisionNumbers(counters: counters, timings: try Self.list(&reader)))
    case let kind:
      guard let reply = try OfflineReply(kind, &reader) else { throw .unknownKind(kind) }
      self = .offline(reply)
    }
    guard try reader.next() == nil else { throw .malformed }
  }
}

/// A host that a network front has seen, and the front itself.
package struct SeenHost: Equatable, Sendable {
  /// The name of the host, from its certificate.
  package let host: [UInt8]
  /// The serial number of its certificate.
  package let serial: [UInt8]
  /// The version of its relay; empty if the relay does not tell.
  package let version: [UInt8]
  /// The end of its certificate, in seconds since the epoch.
  package let certificateEnd: Int64
  /// The name by which the certificate of the verifier names it first.
  package let verifier: [UInt8]

  /// The longest version in bytes.
  package static let longestVersion = 32

  /// Creates a value.
  package init(
    host: [UInt8], serial: [UInt8], version: [UInt8], certificateEnd: Int64, verifier: [UInt8]
  ) {
    self.host = host
    self.serial = serial
    self.version = version
    self.certificateEnd = certificateEnd
    self.verifier = verifier
  }
}
