#if Fleet
import FoundationEssentials
import GRPCCore
import MFARealmTransport

extension HostIssuer {
  /// Checks a signing request of a host.
  func draft(_ request: FleetData) throws -> Draft {
    do {
      return try draft(der: request)
    } catch {
      throw RPCError(code: .invalidArgument, message: error.text)
    }
  }

  /// Issues a certificate, as a message.
  func issue(_ draft: Draft, to host: String, days: UInt16) throws -> FleetCertificateReply {
    var reply = FleetCertificateReply()
    reply.certificates = try certificates(for: draft, host: host, days: days)
    return reply
  }
}
#endif
