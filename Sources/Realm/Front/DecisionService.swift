#if Fleet
import GRPCCore
import MFARealm
import MFARealmTransport
import MFABase

/// The way to the decision service of this machine.
struct DecisionService: Sendable {
  /// The path of its socket.
  let path: [UInt8]

  /// How long the service may take to answer a request that begins no conversation.
  private static var patience: Duration { .seconds(10) }

  /// Connects, and sends the first packet.
  func connect(_ request: consuming VerifierRequest) throws -> PacketChannel {
    guard let packet = request.packet() else {
      throw RPCError(code: .invalidArgument, message: "a field is too long")
    }
    do throws(SystemError) {
      let connection = try PacketConnection(to: path)
      try connection.send(packet.span)
      return PacketChannel(connection)
    } catch {
      var line = FleetLog.failure("verifier", "no-decision-service")
      line.add(error)
      FleetLog.write(line)
      throw RPCError(code: .unavailable, message: "the decision service does not answer")
    }
  }

  /// Sends a request that begins no conversation, and returns the reply.
  func reply(to request: consuming VerifierRequest) async throws -> VerifierReply {
    let channel = try connect(request)
    defer { channel.close() }
    let reply = try await Deadline.limit(Self.patience) { try await Self.reply(from: channel) }
    guard let reply, let reply else {
      throw RPCError(code: .unavailable, message: "the decision service does not answer")
    }
    return reply
  }

  /// Returns what the service has counted, or nil if it counts nothing.
  func numbers() async throws -> DecisionNumbers? {
    guard case .numbers(let numbers) = try await reply(to: .numbers) else { return nil }
    return numbers
  }

  private static func reply(from channel: PacketChannel) async throws -> VerifierReply? {
    guard case .packet = try await channel.arrival(), let packet = try channel.take() else {
      return nil
    }
    return try packet.withSpan { try VerifierReply($0) }
  }
}
#endif
