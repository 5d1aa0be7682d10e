#if Fleet
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import MFARealm
import MFARealmTransport
import MFABase
import NIOCore
import NIOSSL
import X509

/// The network front of a verifier.
///
/// MUST 1: a host without a certificate of the realm's authority is not served, except to join with a ticket.
/// (Tests/Fleet: `other authority`, `expired certificate`, `no certificate`)
///
/// Two ports are used: gRPC's transport either requires a client certificate or asks for none.
package struct VerifierProgram: Sendable {
  private let configuration: VerifierConfiguration

  /// Creates the program.
  package init(_ configuration: VerifierConfiguration) { self.configuration = configuration }

  /// Serves hosts until the program is stopped.
  package func run() async throws {
    let credentials = try RealmCredentials(configuration.credentials)
    let issuer = try configuration.readIssuer()
    let decisions = DecisionService(path: Array(configuration.service.utf8))
    let limits = configuration.limits
    let metrics = FrontMetrics(
      places: limits.conversations,
      certificateEnd: IssuedCredentials.end(ofFile: configuration.credentials.own))
    let (hosts, joining) = (FrontConnections(limits.hosts), FrontConnections(limits.join))
    let requests = OpenRequests()
    let verifier = Server(
      transport: try transport(at: configuration.listen, credentials, .hosts, hosts, metrics),
      services: [
        VerifierService(
          decisions: decisions, health: DecisionHealth(decisions),
          places: FairTurns(limits.conversations), limits: limits, metrics: metrics,
          issuer: issuer, seenHosts: SeenHosts(verifier: try verifierName()))
      ], interceptors: [requests])
    let admission = try issuer.flatMap { issuer in
      try configuration.joinListen.map { address in
        Server(
          transport: try transport(at: address, credentials, .join, joining, metrics),
          services: [AdmissionService(decisions: decisions, issuer: issuer)],
          interceptors: [requests])
      }
    }
    var servers = [(verifier, configuration.listen)]
    if let admission, let address = configuration.joinListen {
      servers.append((admission, address))
    }
    let exporter = configuration.metrics.map { address in
      MetricsServer(at: address) {
        for (port, connections) in [(FrontMetrics.Port.hosts, hosts), (.join, joining)] {
          metrics.openConnections.set(Double(connections.open), for: port.rawValue)
        }
        return await metrics.all(decisions)
      }
    }
    try await Self.serve(servers, requests, [hosts, joining], exporter)
  }

  /// Returns the name by which the certificate of this verifier names it first, or its address.
  private func verifierName() throws -> String {
    let path = configuration.credentials.own
    let own = try IssuedCredentials(file: path)
    return own.chain.first?.firstName ?? configuration.listen.text
  }

  private typealias Server = GRPCServer<HTTP2ServerTransport.Posix>

  /// How long the open requests may take when the program is stopped.
  private static var patience: Duration { .seconds(5) }
  /// How long the connections may take to end after that, so that the last packets arrive.
  private static var lastPatience: Duration { .seconds(1) }

  /// Serves until the program is stopped and the open requests were answered. Ends the process if some of them, or some
  /// connections, last longer than the patience.
  private static func serve(
    _ servers: [(Server, RealmAddress)], _ requests: OpenRequests,
    _ connections: [FrontConnections], _ exporter: MetricsServer?
  ) async throws {
    try await withThrowingTaskGroup(of: Int.self) { group in
      if let exporter {
        group.addTask {
          try await exporter.run()
          return 0
        }
      }
      for (server, address) in servers {
        group.addTask {
          do {
            try await server.serve()
          } catch let error as RuntimeError {
            var reason = error.message
            if let cause = error.cause { reason += " \(cause)" }
            throw RealmError(
              "cannot serve \(address.text): \(reason)",
              hint:
                "check that the address is one of this machine, and used by no other program: ss -lntp"
            )
          }
          return 1
        }
      }
      group.addTask {
        await StopSignal.wait()
        for each in connections { each.stop() }
        if try await requests.stop(within: patience) {
          for (server, _) in servers { server.beginGracefulShutdown() }
          try await Task.sleep(for: lastPatience)
        }
        // NIO ends the process with an error if a connection or a request arrives while its tasks are cancelled.
        WorkerProcess.leave(0)
      }
      defer { group.cancelAll() }
      var ended = 0
      while ended < servers.count, let count = try await group.next() { ended += count }
    }
  }

  private func transport(
    at address: RealmAddress, _ credentials: RealmCredentials, _ port: FrontMetrics.Port,
    _ connections: FrontConnections, _ metrics: FrontMetrics
  ) throws -> HTTP2ServerTransport.Posix {
    let security: HTTP2ServerTransport.Posix.TransportSecurity
    switch port {
    case .hosts:
      security = try .mTLS(certificateReloader: credentials) { tls in
        tls.clientCertificateVerification = .noHostnameVerification
        tls.trustRoots = .certificates([
          .file(path: configuration.credentials.authority, format: .pem)
        ])
        tls.requireALPN = true
      }
    case .join:
      security = try .tls(certificateReloader: credentials) { $0.requireALPN = true }
    }
    return HTTP2ServerTransport.Posix(
      address: address.listening, transportSecurity: security,
      config: .defaults { config in
        config.rpc.maxRequestPayloadSize = RealmClient.longestMessage
        config.http2.maxConcurrentStreams = port == .hosts ? 2048 : 8
        config.connection.flushCoalescing = nil
        // The certificate of a host is verified again.
        config.connection.maxAge = port == .hosts ? .seconds(3600) : configuration.limits.joining
        config.connection.maxGraceTime = port == .hosts ? configuration.limits.answering : .zero
        // As in `RealmClient.configuration`.
        config.connection.keepalive.time = .seconds(600)
        config.connection.keepalive.timeout = .seconds(60)
        config.connection.keepalive.clientBehavior = .init(
          minPingIntervalWithoutCalls: .seconds(10), allowWithoutCalls: true)
        // With NIO's queue of 128 connections, the kernel drops most of those that arrive at the same moment, and the
        // hosts wait for seconds until they send again. The kernel limits the number (net.core.somaxconn).
        config.channelDebuggingCallbacks.onBindTCPListener = { channel in
          channel.setOption(.backlog, value: 4096)
        }
        config.channelDebuggingCallbacks.onAcceptTCPConnection = { channel in
          Self.admit(channel, port, connections, metrics)
        }
      })
  }

  /// Counts a connection, or closes it if it may not begin.
  private static func admit(
    _ channel: any NIOCore.Channel, _ port: FrontMetrics.Port, _ connections: FrontConnections,
    _ metrics: FrontMetrics
  ) -> EventLoopFuture<Void> {
    guard let connection = connections.begin() else {
      metrics.refusedConnections.add(for: port.rawValue)
      return channel.close()
    }
    channel.closeFuture.whenComplete { _ in connection.end() }
    return CurrentTLSHandler.add(to: channel) { certificate in
      guard connection.complete(certificate.flatMap { host($0) }) else {
        metrics.refusedConnections.add(for: port.rawValue)
        return false
      }
      metrics.connections.add(for: port.rawValue)
      return true
    }.flatMapThrowing {
      try channel.pipeline.syncOperations.addHandler(
        HandshakeTurnHandler(connection), position: .first)
    }.flatMap { KernelKeepalive.begin(on: channel) }
  }

  /// Returns the name of the host in a certificate that was verified. A certificate without one is refused at the
  /// first request.
  private static func host(_ certificate: NIOSSLCertificate) -> String? {
    do {
      return HostIdentity(try Certificate(derEncoded: try certificate.toDERBytes()))?.name
    } catch {
      return nil
    }
  }
}
#endif
