import MFAWire

/// A request of a host about the time in which no verifier answers. PROTOCOL.md defines the encoding.
///
/// MUST 1: an encoded request parses to an equal value, and no other bytes parse.
/// (`RealmMessageTests.requestsToTheService`)
package struct OfflineRequest: Equatable, Sendable {
  /// The name of the host, from its certificate.
  package private(set) var host: [UInt8]
  /// The serial number of the host's certificate.
  package private(set) var serial: [UInt8]
  /// What the host asks.
  package private(set) var subject: Subject

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

  /// Creates a request.
  package init(host: [UInt8], serial: [UInt8], _ subject: Subject) {
    self.host = host
    self.serial = serial
    self.subject = subject
  }

  /// A request whose fields are read next.
  static var placeholder: OfflineRequest {
    OfflineRequest(host: [], serial: [], .renewal(tokens: []))
  }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.name(&host)
    try coder.name(&serial, longest: VerifierRequest.longestSerial)
    try coder.form(
      &subject, of: [.permit(nonce: [], facts: []), .renewal(tokens: []), .report([])])
    switch subject {
    case .permit(var nonce, var facts):
      try coder.constant(1)
      try coder.bytes(&nonce, exactly: DecisionRequest.nonceLength)
      try coder.bytes(&facts, longest: HostFacts.longest)
      subject = .permit(nonce: nonce, facts: facts)
    case .renewal(var tokens):
      try coder.constant(2)
      try coder.strings(&tokens, most: UInt8(Self.mostTokens), longest: Self.longestToken)
      subject = .renewal(tokens: tokens)
    case .report(var report):
      try coder.constant(3)
      try coder.bytes(&report, longest: Self.longestReport)
      subject = .report(report)
    }
  }
}

/// The answer to an `OfflineRequest`. PROTOCOL.md defines the encoding.
///
/// MUST 1: an encoded reply parses to an equal value, and no other bytes parse.
/// (`RealmMessageTests.repliesOfTheService`)
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

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.form(
      &self, of: [.permits([]), .position(number: 0, chain: []), .later(seconds: 0)])
    switch self {
    case .permits(var permits):
      try coder.constant(1)
      try coder.strings(&permits, most: UInt8(OfflineRequest.mostTokens))
      self = .permits(permits)
    case .position(var number, var chain):
      try coder.constant(2)
      try coder.number(&number)
      try coder.bytes(&chain, exactly: Self.chainLength)
      self = .position(number: number, chain: chain)
    case .later(var seconds):
      try coder.constant(3)
      try coder.number(&seconds)
      self = .later(seconds: seconds)
    }
  }
}
