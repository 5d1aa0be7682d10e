import MFAWire

/// A request of a host about the time in which no verifier answers. PROTOCOL.md defines the encoding.
///
/// MUST 1: an encoded request parses to an equal value, and no other bytes parse. (`OfflineRequestTests`)
package struct OfflineRequest: Equatable, Sendable {
  /// The name of the host, from its certificate.
  package let host: [UInt8]
  /// The serial number of the host's certificate.
  package let serial: [UInt8]
  /// What the host asks.
  package let subject: Subject

  /// What a host asks.
  package enum Subject: Equatable, Sendable {
    /// What the host may keep about the user of the request with this nonce. The facts are those of the
    /// request.
    case permit(nonce: [UInt8], facts: [UInt8])
    /// The present state of the permits with these tokens.
    case renewal(tokens: [[UInt8]])
    /// A part of the host's queue.
    case report([UInt8])
  }

  /// The largest number of tokens.
  package static let mostTokens = 16
  /// The longest token in bytes.
  package static let longestToken = 1024
  /// The longest report in bytes.
  package static let longestReport = 60_000

  private enum Kind {
    static let permit: UInt8 = 0x21
    static let renewal: UInt8 = 0x22
    static let report: UInt8 = 0x23
  }

  /// Creates a request.
  package init(host: [UInt8], serial: [UInt8], _ subject: Subject) {
    self.host = host
    self.serial = serial
    self.subject = subject
  }

  /// Appends the request, except its end.
  func write(to writer: inout PacketWriter) {
    switch subject {
    case .permit: writer.begin(Kind.permit)
    case .renewal: writer.begin(Kind.renewal)
    case .report: writer.begin(Kind.report)
    }
    writer.field(VerifierRequest.version)
    writer.field(host)
    writer.field(serial)
    switch subject {
    case .permit(let nonce, let facts):
      writer.field(nonce)
      writer.field(facts)
    case .renewal(let tokens):
      writer.field(UInt8(clamping: tokens.count))
      for token in tokens { writer.field(token) }
    case .report(let report): writer.field(report)
    }
  }

  /// Reads a request. Returns nil if the kind is another one.
  @_lifetime(reader: copy reader)
  init?(_ kind: UInt8, _ reader: inout PacketReader) throws(PacketError) {
    guard (Kind.permit...Kind.report).contains(kind) else { return nil }
    guard try reader.number(UInt8.self) == VerifierRequest.version else { throw .malformed }
    let host = try VerifierRequest.host(&reader)
    let serial = try VerifierRequest.serial(&reader)
    let subject: Subject
    switch kind {
    case Kind.permit:
      let nonce = try reader.bytes(longest: DecisionRequest.nonceLength)
      guard nonce.count == DecisionRequest.nonceLength else { throw .malformed }
      subject = .permit(nonce: nonce, facts: try reader.bytes(longest: HostFacts.longest))
    case Kind.renewal:
      let count = try reader.number(UInt8.self)
      guard Int(count) <= Self.mostTokens else { throw .malformed }
      var tokens: [[UInt8]] = []
      for _ in 0..<count { tokens.append(try reader.bytes(longest: Self.longestToken)) }
      subject = .renewal(tokens: tokens)
    case _: subject = .report(try reader.bytes(longest: Self.longestReport))
    }
    self.init(host: host, serial: serial, subject)
  }
}

/// The answer to an `OfflineRequest`. PROTOCOL.md defines the encoding.
///
/// MUST 1: an encoded reply parses to an equal value, and no other bytes parse. (`OfflineRequestTests`)
package enum OfflineReply: Equatable, Sendable {
  /// Permits, in the order of what was asked for. An empty one is withdrawn. If they do not fit, those at the end
  /// are missing.
  case permits([[UInt8]])
  /// The realm has the records up to this number, with this chain value.
  case position(number: UInt64, chain: [UInt8])
  /// No record was entered. The host keeps its queue and reports again after this many seconds.
  case later(seconds: UInt32)

  /// The length of a chain value in bytes.
  package static let chainLength = 32

  private enum Kind {
    static let permits: UInt8 = 0xA1
    static let position: UInt8 = 0xA2
    static let later: UInt8 = 0xA3
  }

  /// Appends the reply, except its end.
  func write(to writer: inout PacketWriter) {
    switch self {
    case .permits(let permits):
      writer.begin(Kind.permits)
      writer.field(UInt8(clamping: permits.count))
      for permit in permits { writer.field(permit) }
    case .position(let number, let chain):
      writer.begin(Kind.position)
      writer.field(number)
      writer.field(chain)
    case .later(let seconds):
      writer.begin(Kind.later)
      writer.field(seconds)
    }
  }

  /// Reads a reply. Returns nil if the kind is another one.
  @_lifetime(reader: copy reader)
  init?(_ kind: UInt8, _ reader: inout PacketReader) throws(PacketError) {
    switch kind {
    case Kind.permits:
      let count = try reader.number(UInt8.self)
      guard Int(count) <= OfflineRequest.mostTokens else { throw .malformed }
      var permits: [[UInt8]] = []
      for _ in 0..<count { permits.append(try reader.bytes()) }
      self = .permits(permits)
    case Kind.position:
      let number = try reader.number(UInt64.self)
      let chain = try reader.bytes(longest: Self.chainLength)
      guard chain.count == Self.chainLength else { throw .malformed }
      self = .position(number: number, chain: chain)
    case Kind.later: self = .later(seconds: try reader.number(UInt32.self))
    case _: return nil
    }
  }
}
