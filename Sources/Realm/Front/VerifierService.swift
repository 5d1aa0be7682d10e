#if Fleet
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import MFABase
import MFARealm
import MFARealmTransport
import MFAWire
import X509

/// The service for hosts with a certificate.
///
/// MUST 1: the host that the decision service is told is the one in the verified certificate.
/// (Tests/Fleet: `conversation`, `offline with codes`)
struct VerifierService: RealmService {
  let decisions: DecisionService
  let health: DecisionHealth
  /// The places for requests at the decision service, which hosts share.
  let places: FairTurns
  let limits: FrontLimits
  let metrics: FrontMetrics
  /// Issues certificates, or nil if this verifier does not.
  let issuer: HostIssuer?
  /// Reports hosts to the decision service.
  let seenHosts: SeenHosts

  static let methods: [RealmMethod] = [.decide, .renew, .check, .permit, .renewPermits, .report]

  func reply(
    of method: RealmMethod, to strings: [[UInt8]], _ metadata: Metadata, _ context: ServerContext
  ) async throws -> [[UInt8]] {
    switch method {
    case .decide: return [try await decide(strings, try Self.host(context))]
    case .renew: return try await renew(strings, try Self.host(context))
    case .check:
      guard await health.works() else {
        throw RPCError(code: .unavailable, message: "the decision service does not work")
      }
      note(metadata, context)
      return []
    case .permit:
      guard strings.count == 2, strings[0].count == DecisionRequest.nonceLength,
        (1...HostFacts.longest).contains(strings[1].count)
      else { throw Self.malformed }
      let permits = try await permits(.permit(nonce: strings[0], facts: strings[1]), context)
      return [permits.first ?? []]
    case .renewPermits:
      guard strings.count <= OfflineRequest.mostTokens,
        strings.allSatisfy({ $0.count <= OfflineRequest.longestToken })
      else { throw Self.malformed }
      return try await permits(.renewal(tokens: strings), context)
    case .report: return try await report(strings, context)
    case .join: throw Self.refused
    }
  }

  // MARK: Decisions

  /// Returns the packet that answers a request.
  private func decide(_ strings: [[UInt8]], _ host: HostIdentity) async throws -> [UInt8] {
    guard strings.count == 3, strings[0].count == DecisionRequest.nonceLength,
      (1...HostFacts.longest).contains(strings[1].count),
      (1...PacketChannel.longest).contains(strings[2].count)
    else { throw Self.malformed }
    let places = places
    let place = try await Deadline.limit(limits.waiting) { await places.take(for: host.name) }
    guard let place, let place else {
      metrics.ended(.noPlace)
      throw RPCError(code: .resourceExhausted, message: "too many requests")
    }
    metrics.open.add()
    defer {
      metrics.open.add(-1)
      place.end()
    }
    let begin = ContinuousClock.now
    let request = DecisionRequest(
      host: Array(host.name.utf8), serial: host.serial, nonce: strings[0], facts: strings[1])
    do {
      let packet = try await decisions.reply(
        to: .decide(request), followedBy: PacketBytes(copying: strings[2]),
        within: limits.answering)
      metrics.time.observe(since: begin)
      metrics.ended(.answered)
      return packet.copied()
    } catch {
      metrics.ended(.failed)
      throw error
    }
  }

  private func renew(_ strings: [[UInt8]], _ host: HostIdentity) async throws -> [[UInt8]] {
    guard let issuer else {
      throw RPCError(code: .unimplemented, message: "this verifier issues no certificates")
    }
    guard strings.count == 1 else { throw Self.malformed }
    let draft = try issuer.draft(strings[0])
    guard
      case .renewed(let days) = try await decisions.reply(
        to: .renew(host: Array(host.name.utf8), present: host.serial, next: draft.serial))
    else { throw RPCError(code: .permissionDenied, message: "the host is not admitted") }
    return try issuer.certificates(for: draft, host: host.name, days: days)
  }

  /// Reports the host, at most once in an hour. A failure of that does not concern the host.
  private func note(_ metadata: Metadata, _ context: ServerContext) {
    guard let (host, certificate) = Self.client(context) else { return }
    let version = metadata[stringValues: HostMetadata.version].first { _ in true } ?? ""
    seenHosts.note(
      host, version: version, certificateEnd: certificate.notValidAfter, decisions)
  }

  // MARK: While no verifier answers

  private func report(_ strings: [[UInt8]], _ context: ServerContext) async throws -> [[UInt8]] {
    guard strings.count == 1, (1...OfflineRequest.longestReport).contains(strings[0].count) else {
      throw Self.malformed
    }
    switch try await reply(to: .report(strings[0]), context) {
    case .position(let number, let chain):
      var writer = ByteWriter()
      writer.write(number)
      return [writer.bytes, chain]
    case .later(let seconds): throw Self.later(seconds)
    case .permits: throw Self.refused
    }
  }

  private func permits(
    _ subject: OfflineRequest.Subject, _ context: ServerContext
  ) async throws -> [[UInt8]] {
    guard case .permits(let permits) = try await reply(to: subject, context) else {
      throw Self.refused
    }
    return permits
  }

  private func reply(
    to subject: OfflineRequest.Subject, _ context: ServerContext
  ) async throws -> OfflineReply {
    let host = try Self.host(context)
    let request = OfflineRequest(host: Array(host.name.utf8), serial: host.serial, subject)
    guard case .offline(let reply) = try await decisions.reply(to: .offline(request)) else {
      throw Self.refused
    }
    return reply
  }

  // MARK: Refusals

  static var malformed: RPCError {
    RPCError(code: .invalidArgument, message: "a field is missing, too long or too short")
  }

  private static func later(_ seconds: UInt32) -> RPCError {
    RPCError(
      code: .resourceExhausted, message: "the host may report again in \(seconds) seconds",
      metadata: [HostMetadata.retryAfter: "\(seconds)"])
  }

  private static var refused: RPCError {
    RPCError(code: .permissionDenied, message: "the decision service refused the request")
  }

  // MARK: The client

  private static func host(_ context: ServerContext) throws -> HostIdentity {
    guard let client = client(context) else {
      throw RPCError(code: .permissionDenied, message: "the certificate is not one of a host")
    }
    return client.host
  }

  /// Returns the host in the client certificate, or nil if the certificate is not one of a host.
  private static func client(
    _ context: ServerContext
  ) -> (host: HostIdentity, certificate: Certificate)? {
    let transport = context.transportSpecific as? HTTP2ServerTransport.Posix.Context
    guard let certificate = transport?.peerCertificate, let host = HostIdentity(certificate) else {
      return nil
    }
    return (host, certificate)
  }
}

/// The service for hosts that have a ticket and no certificate.
struct AdmissionService: RealmService {
  let decisions: DecisionService
  let issuer: HostIssuer

  static let methods: [RealmMethod] = [.join]

  func reply(
    of method: RealmMethod, to strings: [[UInt8]], _ metadata: Metadata, _ context: ServerContext
  ) async throws -> [[UInt8]] {
    guard strings.count == 2, (1...VerifierRequest.longestTicket).contains(strings[0].count) else {
      throw VerifierService.malformed
    }
    let draft = try issuer.draft(strings[1])
    let ticket = strings[0]
    let reply = try await decisions.reply(
      to: .join(ticket: PrivateText(copying: ticket.span), serial: draft.serial))
    guard case .joined(let name, let days) = reply else {
      throw RPCError(code: .permissionDenied, message: "the ticket is not valid")
    }
    return try issuer.certificates(
      for: draft, host: String(decoding: name, as: UTF8.self), days: days)
  }
}

extension HostIssuer {
  /// Checks a signing request of a host.
  fileprivate func draft(_ request: [UInt8]) throws -> Draft {
    do {
      return try draft(der: request)
    } catch {
      throw RPCError(code: .invalidArgument, message: error.text)
    }
  }
}
#endif
