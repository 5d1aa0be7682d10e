#if Fleet
import GRPCCore
import MFARealmTransport
import MFARealm
import MFABase

/// The service for hosts that have a ticket and no certificate.
struct AdmissionService: FleetAdmission.ServiceProtocol {
  let decisions: DecisionService
  let issuer: HostIssuer

  func join(
    request: ServerRequest<FleetJoinRequest>, context: ServerContext
  ) async throws -> ServerResponse<FleetCertificateReply> {
    let draft = try issuer.draft(request.message.request)
    let ticket = Array(request.message.ticket)
    guard (1...VerifierRequest.longestTicket).contains(ticket.count) else {
      throw RPCError(code: .invalidArgument, message: "the ticket is too long or empty")
    }
    let reply = try await decisions.reply(
      to: .join(ticket: SecretBytes(copying: ticket.span), serial: draft.serial))
    guard case .joined(let name, let days) = reply else {
      throw RPCError(code: .permissionDenied, message: "the ticket is not valid")
    }
    let host = String(decoding: name, as: UTF8.self)
    return ServerResponse(message: try issuer.issue(draft, to: host, days: days))
  }
}
#endif
