import MFABase

/// A network of IPv4 addresses (RFC 4632, section 3.1) or IPv6 addresses (RFC 4291, section 2.3)
/// with a common prefix. An IPv4 network contains no IPv6 address, and vice versa.
package struct Network: Equatable, Sendable {
  /// The lowest address of the network.
  private let address: IPAddress
  /// The length of the common prefix, in bits out of 128.
  private let length: Int

  /// Creates the network that contains the address in `text` and has the prefix length after the
  /// slash. Without a slash, the network is that single address. `text` need not be the canonical
  /// form.
  package init?(containing text: Span<UInt8>) {
    let slash = text.firstIndex(of: UInt8(ascii: "/")) ?? text.count
    guard let address = IPAddress(text.extracting(0..<slash)) else { return nil }
    var length = 128
    if slash < text.count {
      // The prefix length of an IPv4-mapped IPv6 address counts IPv6 bits.
      let isShort = address.isIPv4 && text.firstIndex(of: UInt8(ascii: ":")) == nil
      let offset: Int64 = isShort ? 96 : 0
      guard
        let number = ConfigurationValueType.wholeNumber(
          text.extracting(slash..<text.count).extracting(droppingFirst: 1), in: 0...(128 - offset)),
        !address.isIPv4 || number + offset >= 96
      else { return nil }
      length = Int(truncatingIfNeeded: number + offset)
    }
    self.address = IPAddress(bits: address.bits & Self.mask(length))
    self.length = length
  }

  /// Returns whether the network contains `address`.
  package func contains(_ address: IPAddress) -> Bool {
    address.isIPv4 == self.address.isIPv4 && address.bits & Self.mask(length) == self.address.bits
  }

  /// The lowest address of the network.
  package var first: IPAddress { address }

  /// The highest address of the network.
  package var last: IPAddress { IPAddress(bits: address.bits | ~Self.mask(length)) }

  /// The network in canonical form: its lowest address (RFC 5952, section 4) and the prefix length.
  var text: [UInt8] {
    address.text + joined(["/", decimal(Int64(address.isIPv4 ? length - 96 : length))])
  }

  private static func mask(_ length: Int) -> UInt128 {
    UInt128.max << (128 - length)
  }
}
