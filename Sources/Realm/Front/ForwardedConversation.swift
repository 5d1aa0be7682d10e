#if Fleet
import GRPCCore
import MFARealmTransport
import MFARealm
import MFABase
import SwiftProtobuf
import Synchronization

/// One conversation of a host, which the front forwards to the decision service.
///
/// MUST 1: the host that the decision service is told is the one in the verified certificate.
/// (Tests/Fleet: `conversation`)
/// MUST 2: the end of either side ends the other one. (Tests/Fleet: `end of the service`, `end of the host`)
/// MUST 3: the status UNAVAILABLE is sent only if no packet was sent. (Tests/Fleet: `abnormal end`)
final class ForwardedConversation: Sendable {
  private let host: HostIdentity
  private let service: DecisionService
  private let limits: FrontLimits
  private let metrics: FrontMetrics
  private let state = Mutex(State())

  private struct State {
    var channel: PacketChannel?
    /// The number of the host's packets that the decision service has got.
    var delivered = 0
    /// Whether a packet was sent to the host.
    var hasSent = false
    var lastActivity = ContinuousClock.now
    /// When the packet was delivered that the decision service has not answered.
    var unanswered: ContinuousClock.Instant?
  }

  init(
    of host: HostIdentity, _ service: DecisionService, _ limits: FrontLimits,
    _ metrics: FrontMetrics
  ) {
    self.host = host
    self.service = service
    self.limits = limits
    self.metrics = metrics
  }

  /// Forwards packets in both directions until one side ends. Returns the trailing metadata.
  func run<Messages: AsyncSequence & Sendable>(
    _ messages: Messages, _ writer: RPCWriter<FleetToHost>
  ) async throws -> Metadata where Messages.Element == FleetToVerifier {
    defer { channel?.close() }
    let end: End
    do {
      end = try await forward(messages, writer)
    } catch {
      metrics.ended(.failed)
      throw error
    }
    metrics.ended(Self.reason(end))
    return try metadata(end)
  }

  private static func reason(_ end: End) -> FrontMetrics.End {
    switch end {
    case .host: .host
    case .service: .service
    case .time: .time
    case .notOpened: .failed
    }
  }

  private func forward<Messages: AsyncSequence & Sendable>(
    _ messages: Messages, _ writer: RPCWriter<FleetToHost>
  ) async throws -> End where Messages.Element == FleetToVerifier {
    let (opened, opening) = AsyncStream.makeStream(of: PacketChannel.self)
    return try await withThrowingTaskGroup(of: End.self) { group in
      group.addTask {
        defer { opening.finish() }
        return try await self.forwardFromHost(messages, opening)
      }
      group.addTask {
        for await channel in opened { return try await self.forwardToHost(channel, writer) }
        return .notOpened
      }
      group.addTask { await self.timeOut() }
      defer {
        group.cancelAll()
        self.channel?.close()
      }
      while let end = try await group.next() {
        if case .notOpened = end { continue }
        return end
      }
      return .host
    }
  }

  private enum End {
    /// The host closed its side.
    case host
    /// The decision service closed its side. The last packet of the host may not have been read.
    case service(isUnread: Bool)
    /// The conversation took too long.
    case time
    /// There was no connection to the decision service.
    case notOpened
  }

  private var channel: PacketChannel? { state.withLock { $0.channel } }

  private func metadata(_ end: End) throws -> Metadata {
    let (delivered, hasSent) = state.withLock { ($0.delivered, $0.hasSent) }
    switch end {
    case .host, .notOpened: return [:]
    case .time: throw RPCError(code: .deadlineExceeded, message: "the conversation took too long")
    case .service(let isUnread):
      guard hasSent else {
        throw RPCError(code: .unavailable, message: "the decision service ended without a packet")
      }
      let read = isUnread ? max(delivered - 1, 0) : delivered
      return [ConversationMetadata.readPackets: "\(read)"]
    }
  }

  // MARK: From the host

  private func forwardFromHost<Messages: AsyncSequence & Sendable>(
    _ messages: Messages, _ opening: AsyncStream<PacketChannel>.Continuation
  ) async throws -> End where Messages.Element == FleetToVerifier {
    for try await message in messages {
      switch (message.message, channel) {
      case (.start(let start), nil):
        opening.yield(try open(start))
        opening.finish()
      case (.packet(let packet), let channel?):
        try forward(Array(packet), to: channel)
      case (.start, .some), (.packet, nil), (nil, _):
        throw RPCError(code: .invalidArgument, message: "a message that is not expected")
      }
    }
    return .host
  }

  private func open(_ start: FleetStart) throws -> PacketChannel {
    guard start.nonce.count == FleetConversation.nonceLength,
      (1...HostFacts.longest).contains(start.hostFacts.count),
      (1...PacketChannel.longest).contains(start.packet.count)
    else { throw RPCError(code: .invalidArgument, message: "a field is too long or too short") }
    let channel = try service.connect(
      .converse(
        FleetConversation(
          host: Array(host.name.utf8), serial: host.serial, nonce: Array(start.nonce),
          facts: Array(start.hostFacts))))
    state.withLock { $0.channel = channel }
    try forward(Array(start.packet), to: channel)
    return channel
  }

  /// Sends a packet to the decision service. If the service has closed the connection, the packet is not
  /// delivered, and the other direction reports the end.
  private func forward(_ packet: [UInt8], to channel: PacketChannel) throws {
    guard (1...PacketChannel.longest).contains(packet.count) else {
      throw RPCError(code: .invalidArgument, message: "a packet is too long or empty")
    }
    do throws(SystemError) {
      // Under the lock, because the other direction may see the answer at once, and depends on what is counted here.
      try state.withLock { state throws(SystemError) in
        try channel.send(PacketBytes(copying: packet))
        state.delivered += 1
        state.lastActivity = .now
        if state.unanswered == nil { state.unanswered = state.lastActivity }
      }
    } catch {
      guard error.isBrokenPipe else {
        throw RPCError(code: .internalError, message: "the decision service does not read")
      }
    }
  }

  // MARK: To the host

  private func forwardToHost(
    _ channel: PacketChannel, _ writer: RPCWriter<FleetToHost>
  ) async throws -> End {
    while true {
      switch try await channel.arrival() {
      case .packet:
        guard let packet = try channel.take() else {
          throw RPCError(code: .internalError, message: "the decision service sent a long packet")
        }
        let waited = state.withLock { state -> Duration? in
          state.hasSent = true
          state.lastActivity = .now
          defer { state.unanswered = nil }
          return state.unanswered.map { state.lastActivity - $0 }
        }
        if let waited { metrics.step(waited) }
        var message = FleetToHost()
        message.packet = FleetData(packet.copied())
        try await writer.write(message)
      case .ended: return .service(isUnread: false)
      case .unread: return .service(isUnread: true)
      case .silent: return .notOpened
      }
    }
  }

  // MARK: Time

  /// The longest sleep. The timer of a sleep that was cancelled keeps its memory until its time is over.
  private static var step: Duration { .seconds(20) }

  /// Returns when nothing happened for too long, or when the conversation took too long.
  private func timeOut() async -> End {
    let end = ContinuousClock.now + limits.longest
    while true {
      let (last, isOpen) = state.withLock { ($0.lastActivity, $0.channel != nil) }
      let deadline = min(end, last + (isOpen ? limits.idle : limits.opening))
      guard deadline > .now else { return .time }
      do {
        try await Task.sleep(until: min(deadline, .now + Self.step), clock: .continuous)
      } catch {
        return .notOpened
      }
    }
  }
}
#endif
