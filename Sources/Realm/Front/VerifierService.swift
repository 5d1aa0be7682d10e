#if Fleet
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import MFARealmTransport
import MFARealm
import X509

/// The service for hosts with a certificate.
struct VerifierService: FleetVerifier.ServiceProtocol {
  let decisions: DecisionService
  let health: DecisionHealth
  let places: ConversationPlaces
  let limits: FrontLimits
  let metrics: FrontMetrics
  /// Issues certificates, or nil if this verifier does not.
  let issuer: HostIssuer?
  /// Reports hosts to the decision service.
  let seenHosts: SeenHosts

  func converse(
    request: StreamingServerRequest<FleetToVerifier>, context: ServerContext
  ) async throws -> StreamingServerResponse<FleetToHost> {
    let host = try Self.host(context)
    let conversation = ForwardedConversation(of: host, decisions, limits, metrics)
    return StreamingServerResponse { writer in
      try await withPlace(for: host) {
        try await conversation.run(request.messages, writer)
      }
    }
  }

  func renew(
    request: ServerRequest<FleetRenewRequest>, context: ServerContext
  ) async throws -> ServerResponse<FleetCertificateReply> {
    let host = try Self.host(context)
    guard let issuer else {
      throw RPCError(code: .unimplemented, message: "this verifier issues no certificates")
    }
    let draft = try issuer.draft(request.message.request)
    guard
      case .renewed(let days) = try await decisions.reply(
        to: .renew(host: Array(host.name.utf8), present: host.serial, next: draft.serial))
    else { throw RPCError(code: .permissionDenied, message: "the host is not admitted") }
    return ServerResponse(message: try issuer.issue(draft, to: host.name, days: days))
  }

  func check(
    request: ServerRequest<FleetCheckRequest>, context: ServerContext
  ) async throws -> ServerResponse<FleetCheckReply> {
    guard await health.works() else {
      throw RPCError(code: .unavailable, message: "the decision service does not work")
    }
    note(request.metadata, context)
    return ServerResponse(message: FleetCheckReply())
  }

  /// Reports the host, at most once in an hour. A failure of that does not concern the host.
  private func note(_ metadata: Metadata, _ context: ServerContext) {
    let transport = context.transportSpecific as? HTTP2ServerTransport.Posix.Context
    guard let certificate = transport?.peerCertificate, let host = HostIdentity(certificate) else {
      return
    }
    let version = metadata[stringValues: HostMetadata.version].first { _ in true } ?? ""
    seenHosts.note(
      host, version: version, certificateEnd: certificate.notValidAfter, decisions)
  }

  /// Calls `body` when a place is free.
  private func withPlace(
    for host: HostIdentity, _ body: () async throws -> Metadata
  ) async throws -> Metadata {
    let places = places
    guard try await Deadline.limit(limits.waiting, { await places.take(for: host.name) }) == true
    else {
      metrics.ended(.noPlace)
      throw RPCError(code: .resourceExhausted, message: "too many conversations")
    }
    metrics.begin()
    defer {
      metrics.end()
      places.giveBack(by: host.name)
    }
    return try await body()
  }

  /// Returns the host in the client certificate.
  static func host(_ context: ServerContext) throws -> HostIdentity {
    let transport = context.transportSpecific as? HTTP2ServerTransport.Posix.Context
    guard let certificate = transport?.peerCertificate, let host = HostIdentity(certificate) else {
      throw RPCError(code: .permissionDenied, message: "the certificate is not one of a host")
    }
    return host
  }
}
#endif
