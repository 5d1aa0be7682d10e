import MFAModel

/// A host name or IP address with a port.
package struct RealmAddress: Equatable, Sendable {
  /// The name, or the address without brackets.
  package let host: String
  /// The port.
  package let port: Int

  /// Parses `HOST:PORT` or `[IPv6]:PORT`. Returns nil for any other text.
  package init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
      (1...65_535).contains(port)
    else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    guard !host.isEmpty, host.utf8.count <= 253,
      host.utf8.allSatisfy({ Self.isPart(UInt8($0)) })
    else { return nil }
    self.host = String(host)
    self.port = port
  }

  /// The address, as in the configuration.
  package var text: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// Whether the host is an IPv6 address.
  var isIPv6: Bool { host.contains(":") }

  private static func isPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: ":"):
      true
    default: false
    }
  }
}

/// Functions for IP addresses.
package enum NumericAddress {
  /// Returns the 4 bytes of an IPv4 address or the 16 bytes of an IPv6 address, or nil for any other
  /// text.
  package static func bytes(_ text: String) -> [UInt8]? {
    let text = Array(text.utf8)
    guard let address = IPAddress(text.span) else { return nil }
    return stride(from: address.isIPv4 ? 24 : 120, through: 0, by: -8).map {
      UInt8(truncatingIfNeeded: address.bits >> UInt128($0))
    }
  }
}
