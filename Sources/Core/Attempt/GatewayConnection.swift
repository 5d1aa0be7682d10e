import MFABase

/// The client of the gateway service. It hands over messages through the socket /run/mfa/gateway:
/// one packet with the message, and one with the reply.
///
/// MUST 1: the message is handed only to a service that root has started. (`GatewayConnectionTests`)
/// MUST 2: no call takes longer than `patience`. (`GatewayConnectionTests`)
package struct GatewayConnection: Sendable {
  /// How long a reply may take, in seconds: two runs of a gateway, and some time in the queue.
  package static var patience: Int64 { 25 }

  private let path: [UInt8]
  private let patience: Int64
  private let owner: UInt32

  /// Creates a client of the installed service.
  package init() { self.init(path: InstalledPath.gatewaySocket.bytes) }

  /// Creates a client of the service at `path`, which `owner` has started.
  init(path: [UInt8], patience: Int64 = Self.patience, owner: UInt32 = 0) {
    self.path = path
    self.patience = patience
    self.owner = owner
  }

  /// Hands over a message and waits for the reply.
  package func send(_ message: borrowing GatewayMessage) -> GatewayReply {
    let connection: PacketConnection
    do throws(SystemError) {
      connection = try PacketConnection(to: path)
      guard try connection.peer().user == owner else { return .noService }
      try connection.send(message.span)
    } catch {
      return .noService
    }
    do throws(SystemError) {
      guard case .packet = try connection.nextPacket(seconds: patience) else { return .noReply }
      var packet: [UInt8] = [0, 0]
      var bytes = packet.mutableSpan
      var sender = Peer(process: 0, user: .max)
      let count = try connection.receive(into: &bytes, from: &sender)
      guard count == 2 else { return .noReply }
      return GatewayReply(packet: packet.span)
    } catch {
      return .noReply
    }
  }
}
