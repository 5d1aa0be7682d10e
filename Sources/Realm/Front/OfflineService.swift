#if Fleet
import GRPCCore
import MFARealm
import MFARealmTransport

/// The service for hosts that prepare for the time in which no verifier answers, or report about it.
///
/// MUST 1: the host that the decision service is told is the one in the verified certificate. (Tests/Fleet:
/// `offline with codes`)
struct OfflineService: FleetOffline.ServiceProtocol {
  let decisions: DecisionService

  func permit(
    request: ServerRequest<FleetPermitRequest>, context: ServerContext
  ) async throws -> ServerResponse<FleetPermitReply> {
    let message = request.message
    guard message.nonce.count == FleetConversation.nonceLength,
      (1...HostFacts.longest).contains(message.hostFacts.count)
    else { throw Self.malformed }
    let permits = try await permits(
      .permit(nonce: Array(message.nonce), facts: Array(message.hostFacts)), context)
    var reply = FleetPermitReply()
    reply.permit = FleetData(permits.first ?? [])
    return ServerResponse(message: reply)
  }

  func renewPermits(
    request: ServerRequest<FleetRenewPermitsRequest>, context: ServerContext
  ) async throws -> ServerResponse<FleetRenewPermitsReply> {
    let tokens = request.message.tokens.map { Array($0) }
    guard tokens.count <= OfflineRequest.mostTokens,
      tokens.allSatisfy({ $0.count <= OfflineRequest.longestToken })
    else { throw Self.malformed }
    let permits = try await permits(.renewal(tokens: tokens), context)
    var reply = FleetRenewPermitsReply()
    reply.permits = permits.map { FleetData($0) }
    return ServerResponse(message: reply)
  }

  func report(
    request: ServerRequest<FleetReportRequest>, context: ServerContext
  ) async throws -> ServerResponse<FleetReportReply> {
    let report = Array(request.message.report)
    guard (1...OfflineRequest.longestReport).contains(report.count) else { throw Self.malformed }
    let number: UInt64
    let chain: [UInt8]
    switch try await reply(to: .report(report), context) {
    case .position(let reached, let value): (number, chain) = (reached, value)
    case .later(let seconds): throw Self.later(seconds)
    case .permits: throw Self.refused
    }
    var message = FleetReportReply()
    message.number = number
    message.chain = FleetData(chain)
    return ServerResponse(message: message)
  }

  private static var malformed: RPCError {
    RPCError(code: .invalidArgument, message: "a field is too long or too short")
  }

  private static func later(_ seconds: UInt32) -> RPCError {
    RPCError(
      code: .resourceExhausted, message: "the host may report again in \(seconds) seconds",
      metadata: [HostMetadata.retryAfter: "\(seconds)"])
  }

  private static var refused: RPCError {
    RPCError(code: .permissionDenied, message: "the decision service refused the request")
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
    let host = try VerifierService.host(context)
    let request = OfflineRequest(host: Array(host.name.utf8), serial: host.serial, subject)
    guard case .offline(let reply) = try await decisions.reply(to: .offline(request)) else {
      throw Self.refused
    }
    return reply
  }
}
#endif
