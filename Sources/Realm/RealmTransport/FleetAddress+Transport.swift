#if Fleet
import GRPCNIOTransportHTTP2Posix
import NIOCore

extension FleetAddress {
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
