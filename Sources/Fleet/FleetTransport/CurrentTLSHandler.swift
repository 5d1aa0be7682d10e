#if Fleet
import NIOCore
import NIOSSL
import NIOTLS

/// A handler that closes a connection whose TLS version is below 1.3, before any of its data is read.
///
/// The transport of gRPC accepts TLS 1.2 and has no setting for it.
///
/// MUST 1: no data of a connection with an older version reaches gRPC. (Tests/Fleet: `TLS 1 2`)
package final class CurrentTLSHandler: ChannelInboundHandler {
  package typealias InboundIn = ByteBuffer
  package typealias InboundOut = ByteBuffer

  private var isCurrent = false

  /// Adds the handler to a connection, next to the handler of TLS.
  @Sendable
  package static func add(to channel: any Channel) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      try pipeline.addHandler(CurrentTLSHandler(), position: .after(try handler(in: pipeline)))
    }
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

  /// Passes on that the handshake is complete, if its version is current.
  package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted? = event as? TLSUserEvent {
      isCurrent = Self.version(context) == .tlsv13
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
}
#endif
