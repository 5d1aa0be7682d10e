#if Fleet
import NIOCore
import NIOSSL
import NIOTLS

/// A handler that closes a connection whose TLS version is below 1.3, before any of its data is read, and one
/// whose handshake takes too long.
///
/// The transport of gRPC accepts TLS 1.2 and waits without a limit, and has no settings for either.
///
/// MUST 1: no data of a connection with an older version reaches gRPC. (Tests/Fleet: `TLS 1 2`)
/// MUST 2: a connection without a complete handshake is closed after `patience`, and one that waited for its turn
/// `patience` after its turn began. (Tests/Fleet: `handshake limit`)
package final class CurrentTLSHandler: ChannelInboundHandler {
  package typealias InboundIn = ByteBuffer
  package typealias InboundOut = ByteBuffer

  /// Decides about a connection after its handshake. Gets the certificate of the other end. If the result
  /// is false, the connection is closed.
  package typealias Admission = @Sendable (NIOSSLCertificate?) -> Bool

  /// What an earlier handler tells about the turn of the handshake.
  package enum Turn: Sendable {
    /// The connection has begun, and waits for its turn.
    case waits
    case begins
  }

  private let admission: Admission
  private let patience: TimeAmount
  private var isCurrent = false
  private var timer: Scheduled<Void>?

  private init(_ admission: @escaping Admission, patience: TimeAmount) {
    self.admission = admission
    self.patience = patience
  }

  /// Adds the handler to a connection, next to the handler of TLS. `patience` is the longest time
  /// that a handshake may take.
  package static func add(
    to channel: any Channel, patience: TimeAmount = .seconds(20),
    _ admission: @escaping Admission
  ) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      try pipeline.addHandler(
        CurrentTLSHandler(admission, patience: patience),
        position: .after(try handler(in: pipeline)))
    }
  }

  /// Adds the handler to a connection, next to the handler of TLS. Every other end is admitted.
  @Sendable
  package static func add(to channel: any Channel) -> EventLoopFuture<Void> {
    add(to: channel) { _ in true }
  }

  private static func handler(
    in pipeline: ChannelPipeline.SynchronousOperations
  ) throws -> NIOSSLHandler {
    do {
      return try pipeline.handler(type: NIOSSLServerHandler.self)
    } catch {
      return try pipeline.handler(type: NIOSSLClientHandler.self)
    }
  }

  /// Begins to wait for the handshake.
  package func handlerAdded(context: ChannelHandlerContext) { limitTime(context) }

  private func limitTime(_ context: ChannelHandlerContext) {
    timer?.cancel()
    let channel = context.channel
    timer = context.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
  }

  /// Stops waiting.
  package func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

  /// Passes on that the handshake is complete, if its version is current and the other end is admitted.
  package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event as? Turn {
    case .waits?: timer?.cancel()
    case .begins?: limitTime(context)
    case nil: break
    }
    if case .handshakeCompleted? = event as? TLSUserEvent {
      timer?.cancel()
      timer = nil
      isCurrent = Self.version(context) == .tlsv13 && admission(Self.certificate(context))
      guard isCurrent else {
        context.close(promise: nil)
        return
      }
    }
    context.fireUserInboundEventTriggered(event)
  }

  /// Passes on data.
  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard isCurrent else { return }
    context.fireChannelRead(data)
  }

  private static func version(_ context: ChannelHandlerContext) -> TLSVersion? {
    do {
      return try context.pipeline.syncOperations.nioSSL_tlsVersion()
    } catch {
      return nil
    }
  }

  private static func certificate(_ context: ChannelHandlerContext) -> NIOSSLCertificate? {
    do {
      return try context.pipeline.syncOperations.nioSSL_peerCertificate()
    } catch {
      return nil
    }
  }
}
#endif
