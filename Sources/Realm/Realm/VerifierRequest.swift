import MFABase
import MFAWire

/// What the network front tells the decision service about a request of a host.
package struct DecisionRequest: Equatable, Sendable {
  /// The name of the host, from its certificate.
  package private(set) var host: [UInt8]
  /// The serial number of the host's certificate.
  package private(set) var serial: [UInt8]
  /// The number that the relay chose for the request. An attempt with the same nonce from the
  /// same host is the same attempt.
  package private(set) var nonce: [UInt8]
  /// The encoded `HostFacts`.
  package private(set) var facts: [UInt8]

  /// The length of a nonce in bytes.
  package static let nonceLength = 16

  /// Creates a value.
  package init(host: [UInt8], serial: [UInt8], nonce: [UInt8], facts: [UInt8]) {
    self.host = host
    self.serial = serial
    self.nonce = nonce
    self.facts = facts
  }

  /// A request whose fields are read next.
  static var placeholder: DecisionRequest {
    DecisionRequest(host: [], serial: [], nonce: [], facts: [])
  }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.name(&host)
    try coder.name(&serial, longest: VerifierRequest.longestSerial)
    try coder.bytes(&nonce, exactly: Self.nonceLength)
    try coder.bytes(&facts, longest: HostFacts.longest)
  }
}

/// The first packet on a connection from the network front to the decision service. PROTOCOL.md
/// defines the encoding.
///
/// MUST 1: an encoded request parses to an equal value, and no other bytes parse.
/// (`RealmMessageTests.requestsToTheService`)
/// MUST 2: a ticket is held only in memory that is wiped.
package enum VerifierRequest: WireMessage, Sendable {
  /// Decides about the request of the module, the helper or an administrator in the next packet. The reply is the
  /// packet that they get.
  case decide(DecisionRequest)
  /// Admits a host that has this ticket. The certificate that it will get has this serial number.
  case join(ticket: PrivateText, serial: [UInt8])
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

  /// The longest serial number of a certificate in bytes (RFC 5280, 4.1.2.2).
  package static let longestSerial = 20
  /// The longest ticket in bytes.
  package static let longestTicket = 64

  package static var kind: UInt8 { 0x43 }

  private static let forms: [VerifierRequest] = [
    .decide(.placeholder), .join(ticket: PrivateText(SecretBytes(count: 0)), serial: []),
    .renew(host: [], present: [], next: []), .ping, .numbers, .seen(.placeholder),
    .offline(.placeholder),
  ]

  /// Creates a request whose fields are read next.
  package init() { self = .ping }

  /// Reads or writes each field.
  package mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.form(&self, of: Self.forms)
    switch self {
    case .decide(var request):
      try coder.constant(1)
      try request.fields(&coder)
      self = .decide(request)
    case .join(var ticket, var serial):
      try coder.constant(2)
      try coder.text(&ticket, longest: Self.longestTicket)
      guard ticket.bytes.count > 0 else { throw .malformed }
      try coder.name(&serial, longest: Self.longestSerial)
      self = .join(ticket: ticket, serial: serial)
    case .renew(var host, var present, var next):
      try coder.constant(3)
      try coder.name(&host)
      try coder.name(&present, longest: Self.longestSerial)
      try coder.name(&next, longest: Self.longestSerial)
      self = .renew(host: host, present: present, next: next)
    case .ping: try coder.constant(4)
    case .numbers: try coder.constant(5)
    case .seen(var seen):
      try coder.constant(6)
      try seen.fields(&coder)
      self = .seen(seen)
    case .offline(var request):
      try coder.constant(7)
      try request.fields(&coder)
      self = .offline(request)
    }
  }
}

/// The answer of the decision service to a request other than `decide`. PROTOCOL.md defines
/// the encoding.
///
/// MUST 1: an encoded reply parses to an equal value, and no other bytes parse.
/// (`RealmMessageTests.repliesOfTheService`)
package enum VerifierReply: WireMessage, Equatable, Sendable {
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

  package static var kind: UInt8 { 0x83 }

  private static let forms: [VerifierReply] = [
    .joined(host: [], days: 0), .renewed(days: 0), .refused, .alive,
    .numbers(DecisionNumbers(counters: [], timings: [])), .offline(.later(seconds: 0)),
  ]

  /// Creates a reply whose fields are read next.
  package init() { self = .refused }

  /// Reads or writes each field.
  package mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.form(&self, of: Self.forms)
    switch self {
    case .joined(var host, var days):
      try coder.constant(1)
      try coder.name(&host)
      try coder.number(&days)
      self = .joined(host: host, days: days)
    case .renewed(var days):
      try coder.constant(2)
      try coder.number(&days)
      self = .renewed(days: days)
    case .refused: try coder.constant(3)
    case .alive: try coder.constant(4)
    case .numbers(var numbers):
      try coder.constant(5)
      try Self.list(&numbers.counters, &coder)
      try Self.list(&numbers.timings, &coder)
      self = .numbers(numbers)
    case .offline(var reply):
      try coder.constant(6)
      try reply.fields(&coder)
      self = .offline(reply)
    }
  }

  private static func list(
    _ numbers: inout [UInt64], _ coder: inout Coder
  ) throws(PacketError) {
    try coder.longList(&numbers, most: DecisionNumbers.longest, placeholder: 0) {
      (number: inout UInt64, coder: inout Coder) throws(PacketError) in
      try coder.number(&number)
    }
  }
}

/// A host that a network front has seen, and the front itself.
package struct SeenHost: Equatable, Sendable {
  /// The name of the host, from its certificate.
  package private(set) var host: [UInt8]
  /// The serial number of its certificate.
  package private(set) var serial: [UInt8]
  /// The version of its relay; empty if the relay does not tell.
  package private(set) var version: [UInt8]
  /// The end of its certificate, in seconds since the epoch.
  package private(set) var certificateEnd: Int64
  /// The name by which the certificate of the verifier names it first.
  package private(set) var verifier: [UInt8]

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

  /// A value whose fields are read next.
  static var placeholder: SeenHost {
    SeenHost(host: [], serial: [], version: [], certificateEnd: 0, verifier: [])
  }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.name(&host)
    try coder.name(&serial, longest: VerifierRequest.longestSerial)
    try coder.bytes(&version, longest: Self.longestVersion)
    try coder.number(&certificateEnd)
    try coder.name(&verifier)
  }
}
