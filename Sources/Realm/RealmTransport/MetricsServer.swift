#if Fleet
import MFARealm
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// Answers Prometheus with the metrics of a program, over HTTP.
///
/// MUST 1: a client that sends nothing, or too much, does not keep a connection, and no more than `most`
/// clients are served at the same time. (Tests/Fleet: `metrics requests`)
package struct MetricsServer: Sendable {
  private let address: MetricsAddress
  private let metrics: @Sendable () async -> [Metric]

  /// The largest number of connections.
  fileprivate static var most: Int { 8 }
  /// How long a client may take to send a request, and the program to answer it.
  fileprivate static var patience: TimeAmount { .seconds(10) }

  /// Creates a server, which calls `metrics` for each request.
  package init(
    at address: MetricsAddress, _ metrics: @escaping @Sendable () async -> [Metric]
  ) {
    self.address = address
    self.metrics = metrics
  }

  /// Serves until the task is cancelled. Throws if the address cannot be used.
  package func run() async throws {
    let open = OpenConnections()
    let metrics = metrics
    let bootstrap = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .serverChannelOption(.backlog, value: 16)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        guard open.begin() else { return channel.close() }
        channel.closeFuture.whenComplete { _ in open.end() }
        return channel.pipeline.configureHTTPServerPipeline().flatMapThrowing {
          try channel.pipeline.syncOperations.addHandler(MetricsRequestHandler(metrics))
        }
      }
    let channel: any Channel
    do {
      switch address {
      case .loopback(let address):
        channel = try await bootstrap.bind(host: address.host, port: address.port).get()
      case .socket(let path):
        channel = try await bootstrap.bind(
          unixDomainSocketPath: path, cleanupExistingSocketFile: true
        ).get()
      }
    } catch {
      throw RealmError(
        "cannot serve metrics: \(error)",
        hint: "check the key metrics, and that no other program uses the address: ss -lntp")
    }
    await withTaskCancellationHandler {
      do { try await channel.closeFuture.get() } catch { return }
    } onCancel: {
      channel.close(promise: nil)
    }
  }
}

/// The number of connections.
private final class OpenConnections: Sendable {
  private let count = Mutex(0)

  func begin() -> Bool {
    count.withLock { count in
      guard count < MetricsServer.most else { return false }
      count += 1
      return true
    }
  }

  func end() { count.withLock { $0 -= 1 } }
}

/// Answers one request and closes the connection.
private final class MetricsRequestHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let metrics: @Sendable () async -> [Metric]
  private var isAnswered = false

  init(_ metrics: @escaping @Sendable () async -> [Metric]) { self.metrics = metrics }

  func channelActive(context: ChannelHandlerContext) {
    let channel = context.channel
    let timer = context.eventLoop.scheduleTask(in: MetricsServer.patience) {
      channel.close(promise: nil)
    }
    channel.closeFuture.whenComplete { _ in timer.cancel() }
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(let head) = unwrapInboundIn(data), !isAnswered else { return }
    isAnswered = true
    let channel = context.channel
    guard head.method == .GET || head.method == .HEAD else {
      return Self.answer(.methodNotAllowed, "", to: channel)
    }
    guard head.uri == "/metrics" else { return Self.answer(.notFound, "", to: channel) }
    Self.answer(metrics, isHead: head.method == .HEAD, to: channel)
  }

  func errorCaught(context: ChannelHandlerContext, error: Error) {
    context.close(promise: nil)
  }

  private static func answer(
    _ metrics: @escaping @Sendable () async -> [Metric], isHead: Bool, to channel: any Channel
  ) {
    Task { @Sendable in
      let text = await metrics().map(\.text).joined()
      answer(.ok, isHead ? "" : text, to: channel)
    }
  }

  private static func answer(
    _ status: HTTPResponseStatus, _ text: String, to channel: any Channel
  ) {
    let headers: HTTPHeaders = [
      "content-type": Metric.mediaType, "content-length": "\(text.utf8.count)",
      "connection": "close",
    ]
    let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    channel.write(HTTPServerResponsePart.head(head), promise: nil)
    channel.write(
      HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: text))), promise: nil)
    channel.writeAndFlush(HTTPServerResponsePart.end(nil)).whenComplete { _ in
      channel.close(promise: nil)
    }
  }
}
#endif
