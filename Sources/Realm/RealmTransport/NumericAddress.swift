import MFAModel

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
