#if Fleet
import MFARealmTransport
import NIOCore

/// A handler that keeps the first message of a connection until the turn of its handshake has come.
///
/// A connection that has sent nothing asks for no turn. While a connection waits, nothing more is read from it.
///
/// MUST 1: a connection whose handshake does not go on has its turn for no longer than `longest`, so that it keeps
/// no host from connecting. (Tests/Fleet: `stalled handshakes`)
final class HandshakeTurnHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let connection: FrontConnection
  /// How long a turn lasts at most. The handshake of a host takes a round trip and some milliseconds, and may go on
  /// after its turn.
  private static var longest: TimeAmount { .seconds(1) }
  private var state = State.silent
  private var context: ChannelHandlerContext?

  private enum State {
    /// Nothing was received.
    case silent
    /// The connection waits for its turn.
    case waiting([ByteBuffer], mustRead: Bool)
    /// The turn has come, or the connection has ended.
    case over
  }

  init(_ connection: FrontConnection) { self.connection = connection }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    state = .over
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    switch state {
    case .silent:
      state = .waiting([bytes], mustRead: false)
      context.fireUserInboundEventTriggered(CurrentTLSHandler.Turn.waits)
      let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
      connection.waitForTurn(from: Self.source(context.channel)) {
        handler.eventLoop.execute { handler.value.begin() }
      }
    case .waiting(let earlier, let mustRead):
      state = .waiting(earlier + [bytes], mustRead: mustRead)
    case .over: context.fireChannelRead(data)
    }
  }

  func read(context: ChannelHandlerContext) {
    guard case .waiting(let bytes, _) = state else {
      context.read()
      return
    }
    state = .waiting(bytes, mustRead: true)
  }

  func channelInactive(context: ChannelHandlerContext) {
    state = .over
    context.fireChannelInactive()
  }

  private func begin() {
    guard case .waiting(let bytes, let mustRead) = state, let context else { return }
    state = .over
    context.eventLoop.scheduleTask(in: Self.longest) { [connection] in connection.endTurn() }
    context.fireUserInboundEventTriggered(CurrentTLSHandler.Turn.begins)
    for part in bytes { context.fireChannelRead(wrapInboundOut(part)) }
    context.fireChannelReadComplete()
    if mustRead { context.read() }
    context.pipeline.syncOperations.removeHandler(self, promise: nil)
  }

  /// Returns what connections from one machine have in common: an IPv4 address, or the first 64 bits of an IPv6
  /// address.
  private static func source(_ channel: any Channel) -> [UInt8] {
    guard let address = channel.remoteAddress?.ipAddress,
      let bytes = NumericAddress.bytes(address)
    else { return [] }
    return Array(bytes.prefix(8))
  }
}
#endif
