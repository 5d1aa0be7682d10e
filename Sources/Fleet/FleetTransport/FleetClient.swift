#if Fleet
import GRPCCore
import GRPCNIOTransportHTTP2Posix

/// The connections to a verifier.
package enum FleetClient {
  /// The transport of the connections.
  package typealias Transport = HTTP2ClientTransport.Posix

  /// The longest message in bytes: a start with facts and a packet.
  package static var longestMessage: Int { 160_000 }

  /// Creates a client that keeps one connection to a verifier, with the certificate of this host. Calls
  /// `onConnection` after each handshake.
  package static func make(
    to address: FleetAddress, _ credentials: FleetCredentials,
    onConnection: @escaping @Sendable () -> Void
  ) throws -> GRPCClient<Transport> {
    let security = try Transport.TransportSecurity.mTLS(certificateReloader: credentials) { tls in
      tls.serverCertificateVerification = .fullVerification
      tls.trustRoots = .certificates([.file(path: credentials.files.authority, format: .pem)])
    }
    var configuration = configuration
    configuration.channelDebuggingCallbacks.onCreateTCPConnection = { channel in
      CurrentTLSHandler.add(to: channel) { _ in
        onConnection()
        return true
      }
    }
    return GRPCClient(
      transport: try Transport(
        target: address.target, transportSecurity: security, config: configuration))
  }

  /// The settings of connections to verifiers.
  package static var configuration: Transport.Config {
    .defaults { config in
      // The connection stays open, so that a sign-in need not wait for a handshake.
      config.connection.maxIdleTime = nil
      config.connection.keepalive = .init(
        time: .seconds(20), timeout: .seconds(5), allowWithoutCalls: true)
      // A sign-in is a few small packets, each of which the other end waits for.
      config.connection.flushCoalescing = nil
      config.backoff = .init(
        initial: .milliseconds(500), max: .seconds(15), multiplier: 1.6, jitter: 0.3)
      config.http2.targetWindowSize = 1 << 16
      config.channelDebuggingCallbacks.onCreateTCPConnection = CurrentTLSHandler.add
    }
  }
}
#endif
