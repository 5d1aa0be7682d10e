#if Fleet
import FoundationEssentials
import GRPCCore
import MFARealm
import MFARealmTransport
import MFABase
import MFAWire
import SwiftProtobuf
import Synchronization

/// One conversation with one verifier.
///
/// MUST 1: after the first packet of a verifier, the conversation is never repeated. (Tests/Fleet:
/// `killed after the first packet`)
/// MUST 2: a packet that the decision service has not read stays unread, so that the other end knows it; a packet
/// that the service may have read is consumed. (Tests/Fleet: `unread request`, `end of the service`)
/// MUST 3: a conversation ends without a reset of its stream if the verifier works, because HTTP/2 closes a
/// connection with many resets, and all its conversations with it. (Tests/Fleet: `many conversations`)
final class ConversationAttempt: Sendable {
  private let channel: PacketChannel
  private let start: FleetStart
  /// Called when the first packet of the verifier has arrived.
  private let onAnswer: @Sendable () -> Void
  private let state = Mutex(State())
  /// The last packet of the module.
  private let modulePacket = ModulePacket()
  /// Tells the direction from the module that its packet was consumed, or that it may begin. The end of
  /// the stream ends the direction.
  private let turn: AsyncStream<Void>
  private let turns: AsyncStream<Void>.Continuation
  /// Ends when the module has ended.
  private let open: AsyncStream<Void>
  private let closing: AsyncStream<Void>.Continuation

  private struct State {
    var hasReceived = false
    /// Whether the time for the first packet is over. No packet is sent to the module any more.
    var isAbandoned = false
    /// The number of packets that were sent to the verifier.
    var sent = 1
    /// Whether the last packet of the verifier allowed the sign-in.
    var isAllowed = false
  }

  /// How an attempt ended.
  enum End: Sendable {
    /// The conversation has ended, in whatever way.
    case ended
    /// The verifier sent no packet. The conversation can be repeated.
    case unanswered(RPCError.Code?)
  }

  init(
    _ channel: PacketChannel, _ start: FleetStart, onAnswer: @escaping @Sendable () -> Void
  ) {
    self.channel = channel
    self.start = start
    self.onAnswer = onAnswer
    (turn, turns) = AsyncStream.makeStream(of: Void.self)
    (open, closing) = AsyncStream.makeStream(of: Void.self)
  }

  /// How long a verifier may take to end a conversation after the other side has ended.
  private enum Patience {
    static let abandoned = Duration.milliseconds(200)
    static let moduleEnded = Duration.seconds(5)
  }

  /// Runs the conversation. Returns `unanswered` if no packet arrives within `limit`.
  func run(at verifier: ConnectedVerifier, limit: Duration) async -> End {
    await withTaskGroup(of: End?.self) { group in
      group.addTask { await self.converse(with: verifier) }
      group.addTask { await self.end(after: limit) }
      group.addTask { await self.endAfterModule() }
      defer { group.cancelAll() }
      while let end = await group.next() {
        if let end { return end }
      }
      return .ended
    }
  }

  /// Ends the attempt if no packet arrives within `limit`.
  private func end(after limit: Duration) async -> End? {
    guard await Self.sleep(limit), abandon() else { return nil }
    turns.finish()
    guard await Self.sleep(Patience.abandoned) else { return nil }
    return .unanswered(.deadlineExceeded)
  }

  /// Ends the attempt if the verifier does not, after the module has ended.
  private func endAfterModule() async -> End? {
    for await _ in open {}
    return await Self.sleep(Patience.moduleEnded) ? .ended : nil
  }

  /// Sleeps. Returns false if the task was cancelled.
  private static func sleep(_ duration: Duration) async -> Bool {
    do {
      try await Task.sleep(for: duration)
      return true
    } catch {
      return false
    }
  }

  /// Whether the last packet of the verifier ended with the verdict that allows.
  var isAllowed: Bool { state.withLock { $0.isAllowed } }

  /// The number of the verdict that allows (mfa.h).
  private static var allowance: UInt8 { 1 }

  /// Returns whether a packet is a reply that allows the sign-in.
  private static func allows(_ packet: [UInt8]) -> Bool {
    do throws(PacketError) {
      let reply = try SignInReply(packet: SecretBytes(copying: packet.span))
      if case .verdict(allowance) = reply.end { return true }
      return false
    } catch {
      return false
    }
  }

  private var hasReceived: Bool { state.withLock { $0.hasReceived } }

  /// Gives up the attempt, unless a packet was received. Returns whether it was given up.
  private func abandon() -> Bool {
    state.withLock { state in
      state.isAbandoned = !state.hasReceived
      return state.isAbandoned
    }
  }

  /// Records that a packet was received. Returns false if the attempt was given up before.
  private func beginReceiving() -> Bool {
    let (isFirst, isReceiving) = state.withLock { state in
      let before = state.hasReceived
      state.hasReceived = !state.isAbandoned
      return (!before && state.hasReceived, state.hasReceived)
    }
    if isFirst { onAnswer() }
    return isReceiving
  }

  private func failed(_ code: RPCError.Code?) -> End {
    guard hasReceived else { return .unanswered(code) }
    // The decision service may have read the last packet of the module.
    consume()
    return .ended
  }

  private func converse(with verifier: ConnectedVerifier) async -> End {
    do {
      return try await verifier.service.converse { writer in
        var message = FleetToVerifier()
        message.start = self.start
        try await writer.write(message)
        try await self.forwardFromModule(writer)
      } onResponse: { response in
        try await self.forwardToModule(response)
      }
    } catch let error as RPCError {
      return failed(error.code)
    } catch {
      return failed(nil)
    }
  }

  // MARK: To the module

  private func forwardToModule(_ response: StreamingClientResponse<FleetToHost>) async throws -> End
  {
    let contents = try response.accepted.get()
    for try await part in contents.bodyParts {
      switch part {
      case .message(let message):
        guard beginReceiving() else { continue }
        consume()
        let packet = Array(message.packet)
        let isAllowed = Self.allows(packet)
        state.withLock { $0.isAllowed = isAllowed }
        do throws(SystemError) {
          try channel.send(PacketBytes(copying: packet))
          turns.yield()
        } catch {
          // The module has ended, or does not read. The verifier ends the conversation.
          turns.finish()
          closing.finish()
        }
      case .trailingMetadata(let metadata):
        guard hasReceived else { return .unanswered(nil) }
        end(metadata)
        return .ended
      }
    }
    return hasReceived ? .ended : .unanswered(nil)
  }

  /// Receives the packet of the module that was forwarded, if there is one.
  private func consume() {
    modulePacket.consume {
      do throws(SystemError) {
        _ = try channel.take()
      } catch {
        // The module has ended.
      }
    }
  }

  /// Consumes the last packet of the module unless the decision service has not read it.
  private func end(_ metadata: Metadata) {
    let read = metadata[stringValues: ConversationMetadata.readPackets].first { _ in true }.flatMap
    { Int($0) }
    let isUnread = state.withLock { state in (read ?? .max) < state.sent }
    if !isUnread { consume() }
  }

  // MARK: From the module

  private func forwardFromModule(_ writer: RPCWriter<FleetToVerifier>) async throws {
    // The module sends its next packet only after one of the service, but not after each.
    for await _ in turn where !self.modulePacket.isOutstanding {
      guard case .packet = try await channel.arrival(), let packet = try channel.peek() else {
        // The module has ended. The verifier ends the conversation.
        closing.finish()
        return
      }
      self.modulePacket.forwarded()
      state.withLock { $0.sent += 1 }
      var message = FleetToVerifier()
      message.packet = FleetData(packet.copied())
      try await writer.write(message)
    }
  }
}
#endif
