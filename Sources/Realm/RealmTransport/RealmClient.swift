#if Fleet
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import NIOCore

/// The connections to a verifier.
package enum RealmClient {
  /// The transport of the connections.
  package typealias Transport = HTTP2ClientTransport.Posix

  /// The longest message in bytes: a start with facts and a packet.
  package static var longestMessage: Int { 160_000 }

  /// What happened to a connection.
  package enum Event: Sendable {
    /// The handshake is complete.
    case connected
    /// A connection whose handshake was complete has ended.
    case ended
  }

  /// Creates a client that keeps one connection to a verifier, with the certificate of this host. Calls `report`
  /// with what happens to the connection.
  package static func make(
    to address: RealmAddress, _ credentials: RealmCredentials,
    report: @escaping @Sendable (Event) -> Void
  ) throws -> GRPCClient<Transport> {
    let security = try Transport.TransportSecurity.mTLS(certificateReloader: credentials) { tls in
      tls.serverCertificateVerification = .fullVerification
      tls.trustRoots = .certificates([.file(path: credentials.files.authority, format: .pem)])
    }
    var configuration = configuration
    configuration.channelDebuggingCallbacks.onCreateTCPConnection = { channel in
      // At the other end, the handshake may wait for its turn. A host that gives up meanwhile waits again from the
      // beginning.
      CurrentTLSHandler.add(to: channel, patience: .seconds(60)) { _ in
        report(.connected)
        channel.closeFuture.whenComplete { _ in report(.ended) }
        return true
      }.flatMap { KernelKeepalive.begin(on: channel) }
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
      // The kernel finds out that a machine or the network is gone. These are for a process that does not run.
      config.connection.keepalive = .init(
        time: .seconds(180), timeout: .seconds(60), allowWithoutCalls: true)
      // A sign-in is a few small packets, each of which the other end waits for.
      config.connection.flushCoalescing = nil
      // Hosts that lost the same verifier must not all come back at the same moment. gRPC adds no random time to the
      // first wait.
      config.backoff = .init(
        initial: .milliseconds(Int.random(in: 250...1000)), max: .seconds(15), multiplier: 2,
        jitter: 0.5)
      config.http2.targetWindowSize = 1 << 16
      config.channelDebuggingCallbacks.onCreateTCPConnection = CurrentTLSHandler.add
    }
  }
}

extension RealmAddress {
  /// Whether the host is an IP address and not a name.
  package var isNumeric: Bool { NumericAddress.bytes(host) != nil }

  /// The address for a client. The certificate at the other end must be for the name or the address.
  package var target: any ResolvableTarget {
    guard isNumeric else { return ResolvableTargets.DNS(host: host, port: port) }
    return isIPv6
      ? ResolvableTargets.IPv6(addresses: [
        GRPCNIOTransportCore.SocketAddress.IPv6(host: host, port: port)
      ])
      : ResolvableTargets.IPv4(addresses: [
        GRPCNIOTransportCore.SocketAddress.IPv4(host: host, port: port)
      ])
  }

  /// The address for a server.
  package var listening: GRPCNIOTransportCore.SocketAddress {
    isIPv6 ? .ipv6(host: host, port: port) : .ipv4(host: host, port: port)
  }
}
#endif
