#if Fleet
import GRPCCore
import MFARealm
import MFARealmTransport
import MFABase

/// The way to the decision service of this machine.
struct DecisionService: Sendable {
  /// The path of its socket.
  let path: [UInt8]

  /// How long the service may take to answer a request that is no decision.
  private static var patience: Duration { .seconds(10) }

  /// Connects, and sends the first packet.
  private func connect(_ request: VerifierRequest) throws -> PacketChannel {
    guard let packet = request.packet() else {
      throw RPCError(code: .invalidArgument, message: "a field is too long")
    }
    do throws(SystemError) {
      let connection = try PacketConnection(to: path)
      try connection.send(packet.span)
      return PacketChannel(connection)
    } catch {
      throw Self.failure(error)
    }
  }

  private static func failure(_ error: SystemError) -> RPCError {
    var line = LogLine(errorIn: "verifier", reason: "no-decision-service")
    line.add(error)
    Log.write(.error, line)
    return unavailable
  }

  private static var unavailable: RPCError {
    RPCError(code: .unavailable, message: "the decision service does not answer")
  }

  /// Sends a request and the packet that it is about. Returns the packet that answers it.
  func reply(
    to request: VerifierRequest, followedBy packet: PacketBytes, within limit: Duration
  ) async throws -> PacketBytes {
    let channel = try connect(request)
    defer { channel.close() }
    do throws(SystemError) { try channel.send(packet) } catch {
      // The service may have refused the request before it was sent.
      guard error.isBrokenPipe else { throw Self.failure(error) }
    }
    return try await Self.packet(from: channel, within: limit)
  }

  /// Sends a request, and returns the reply.
  func reply(to request: VerifierRequest) async throws -> VerifierReply {
    let channel = try connect(request)
    defer { channel.close() }
    let packet = try await Self.packet(from: channel, within: Self.patience)
    return try packet.withSpan { try VerifierReply($0) }
  }

  /// Returns what the service has counted, or nil if it counts nothing.
  func numbers() async throws -> DecisionNumbers? {
    guard case .numbers(let numbers) = try await reply(to: .numbers) else { return nil }
    return numbers
  }

  private static func packet(
    from channel: PacketChannel, within limit: Duration
  ) async throws -> PacketBytes {
    let packet = try await Deadline.limit(limit) { () async throws -> PacketBytes? in
      guard case .packet = try await channel.arrival() else { return nil }
      return try channel.take()
    }
    guard let packet, let packet else { throw unavailable }
    return packet
  }
}
#endif
