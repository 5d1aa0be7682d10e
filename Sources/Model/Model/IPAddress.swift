import MFABase

/// An IPv4 or IPv6 address, without a zone.
///
/// An IPv4-mapped IPv6 address (`::ffff:192.0.2.1`; RFC 4291, section 2.5.5.2) is equal to the IPv4
/// address, because a server that listens for both protocols sees IPv4 clients in this form.
///
/// Texts have at most 45 bytes and shifts are less than 128, so no arithmetic here can overflow. It
/// uses wrapping operators, which cannot trap.
package struct IPAddress: Equatable, Sendable {
  /// The maximum length of an address in text form, in bytes.
  private static var maximumLength: Int { 45 }

  /// The 128 bits of an IPv6 address. An IPv4 address is stored as its 32 bits after the prefix
  /// `::ffff:0:0/96`.
  package let bits: UInt128

  /// Creates an address from 128 bits in network order.
  package init(bits: UInt128) {
    self.bits = bits
  }

  /// Parses an address: four decimal numbers without leading zeros, or a form of RFC 4291, section
  /// 2.2. Returns nil for any other text, for example a name, a zone (`%eth0`), a port, brackets or
  /// blanks.
  package init?(_ text: Span<UInt8>) {
    guard text.count <= Self.maximumLength else { return nil }
    guard text.firstIndex(of: UInt8(ascii: ":")) != nil else {
      guard let bits = Self.dotted(text) else { return nil }
      self.bits = 0xFFFF << 32 | UInt128(bits)
      return
    }
    guard let bits = Self.grouped(text) else { return nil }
    self.bits = bits
  }

  /// Whether the address is an IPv4 address.
  package var isIPv4: Bool { bits >> 32 == 0xFFFF }

  /// The address in canonical form (IPv6: RFC 5952, section 4).
  package var text: [UInt8] {
    var text: [UInt8] = []
    if isIPv4 {
      for shift in [24, 16, 8, 0] {
        if shift < 24 { text.append(UInt8(ascii: ".")) }
        text += bytes(of: decimal(Int64(UInt8(truncatingIfNeeded: bits >> UInt128(shift)))))
      }
      return text
    }
    let gap = longestZeros
    var index = 0
    while index < 8 {
      if index == gap.lowerBound, !gap.isEmpty {
        text += bytes(of: "::")
        index = gap.upperBound
        continue
      }
      if index > 0, index != gap.upperBound || gap.isEmpty { text.append(UInt8(ascii: ":")) }
      text += bytes(of: String(group(index), radix: 16))
      index &+= 1
    }
    return text
  }

  /// The longest run of two or more zero groups; if several are equally long, the first.
  private var longestZeros: Range<Int> {
    var longest = 0..<0
    var start = 0
    for index in 0..<8 {
      if group(index) != 0 {
        start = index &+ 1
      } else if index &+ 1 &- start > max(longest.count, 1) {
        longest = start..<(index &+ 1)
      }
    }
    return longest
  }

  private func group(_ index: Int) -> UInt16 {
    UInt16(truncatingIfNeeded: bits >> UInt128(truncatingIfNeeded: 112 &- 16 &* index))
  }

  /// Parses four decimal numbers separated by dots, and returns their 32 bits.
  private static func dotted(_ text: Span<UInt8>) -> UInt32? {
    var bits: UInt32 = 0
    var numbers = 0
    var start = 0
    while start <= text.count {
      var end = start
      while end < text.count, text[end] != UInt8(ascii: ".") { end &+= 1 }
      guard numbers < 4,
        let number = ConfigurationValueType.wholeNumber(text.extracting(start..<end), in: 0...255)
      else { return nil }
      bits = bits << 8 | UInt32(truncatingIfNeeded: number)
      numbers &+= 1
      start = end &+ 1
    }
    return numbers == 4 ? bits : nil
  }

  /// Parses eight groups of hexadecimal digits separated by colons, and returns their 128 bits. Two
  /// colons can replace one or more zero groups, and a dotted IPv4 address can replace the last two
  /// groups.
  private static func grouped(_ text: Span<UInt8>) -> UInt128? {
    var bits: UInt128 = 0
    var groups = 0
    /// The number of groups before the two colons.
    var gap: Int?
    var index = 0
    if text.count >= 2, text[0] == UInt8(ascii: ":"), text[1] == UInt8(ascii: ":") {
      gap = 0
      index = 2
    }
    while index < text.count || gap != groups {
      let start = index
      var group: UInt32 = 0
      while index < text.count, index &- start < 4, let digit = Hexadecimal.value(text[index]) {
        group = group << 4 | UInt32(digit)
        index &+= 1
      }
      if index < text.count, text[index] == UInt8(ascii: ".") {
        guard groups <= 6, let dotted = dotted(text.extracting(start..<text.count)) else {
          return nil
        }
        bits = bits << 32 | UInt128(dotted)
        groups &+= 2
        break
      }
      guard index > start, groups < 8 else { return nil }
      bits = bits << 16 | UInt128(group)
      groups &+= 1
      guard index < text.count else { break }
      guard text[index] == UInt8(ascii: ":") else { return nil }
      index &+= 1
      if index < text.count, text[index] == UInt8(ascii: ":") {
        guard gap == nil else { return nil }
        gap = groups
        index &+= 1
      }
    }
    guard let gap else { return groups == 8 ? bits : nil }
    guard groups < 8 else { return nil }
    let behind = UInt128(truncatingIfNeeded: 16 &* (groups &- gap))
    let front = (bits >> behind) << UInt128(truncatingIfNeeded: 16 &* (8 &- gap))
    return front | bits & ~(UInt128.max << behind)
  }
}

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
  package var text: [UInt8] {
    address.text + joined(["/", decimal(Int64(address.isIPv4 ? length - 96 : length))])
  }

  private static func mask(_ length: Int) -> UInt128 {
    UInt128.max << (128 - length)
  }
}
