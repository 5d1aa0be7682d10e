import Secrets

/// The addresses that begin with the same bits: IPv4's (RFC 4632, section 3.1) or IPv6's (RFC 4291,
/// section 2.3). None of IPv4 holds one of IPv6, and the other way round.
struct Network: Equatable, Sendable {
  /// The lowest address in it.
  private let address: IPAddress
  /// How many bits they have in common, of 128.
  private let length: Int

  /// The network of which `text` is an address with the length of the prefix behind a slash; without
  /// one, the address alone. It may be written otherwise than `text` says it.
  init?(containing text: Span<UInt8>) {
    let slash = text.firstIndex(of: UInt8(ascii: "/")) ?? text.count
    guard let address = IPAddress(text.extracting(0..<slash)) else { return nil }
    var length = 128
    if slash < text.count {
      // The prefix of an IPv4 address in IPv6 notation counts the bits of IPv6.
      let isShort = address.isIPv4 && text.firstIndex(of: UInt8(ascii: ":")) == nil
      let offset: Int64 = isShort ? 96 : 0
      guard
        let number = ConfigurationValue.wholeNumber(
          text.extracting(slash..<text.count).extracting(droppingFirst: 1), in: 0...(128 - offset)),
        !address.isIPv4 || number + offset >= 96
      else { return nil }
      length = Int(truncatingIfNeeded: number + offset)
    }
    self.address = IPAddress(bits: address.bits & Self.mask(length))
    self.length = length
  }

  /// Whether `address` belongs to it.
  func contains(_ address: IPAddress) -> Bool {
    address.isIPv4 == self.address.isIPv4 && address.bits & Self.mask(length) == self.address.bits
  }

  /// It in its canonical form: its lowest address (RFC 5952, section 4) and the length.
  var text: [UInt8] {
    address.text + joined(["/", decimal(Int64(address.isIPv4 ? length - 96 : length))])
  }

  private static func mask(_ length: Int) -> UInt128 {
    UInt128.max << (128 - length)
  }
}
