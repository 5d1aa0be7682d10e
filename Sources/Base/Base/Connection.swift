import MFACPOSIX

/// The network connection through which the user reached this process.
package enum Connection {
  /// Returns the peer's address as the 128 bits of IPv6. An IPv4 address is mapped into
  /// `::ffff:0:0/96` (RFC 4291, section 2.5.5.2), whichever kind of socket it comes from.
  ///
  /// Returns nil unless all connected IPv4 and IPv6 streams among the first 64 descriptors have the
  /// same peer address. If the addresses differ, it is unknown which one is the user's.
  package static func peer() -> UInt128? {
    var found: UInt128?
    for descriptor in Int32(0)..<64 {
      guard let peer = peer(of: descriptor) else { continue }
      guard found == nil || found == peer else { return nil }
      found = peer
    }
    return found
  }

  /// Returns the address to which a descriptor is connected, or nil if the descriptor is not a
  /// connected IPv4 or IPv6 stream.
  private static func peer(of descriptor: Int32) -> UInt128? {
    var type: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    // SAFETY: the call writes one number, whose size it is given.
    guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &length) == 0,
      type == Int32(SOCK_STREAM.rawValue)
    else { return nil }
    var address = sockaddr_in6()
    length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    // SAFETY: the call writes at most as many bytes as the structure has. Every socket address
    // begins with its family, and the address of IPv4 follows the port (`sockaddr_in`), like the
    // flow information of IPv6.
    let bytes = unsafe withUnsafeMutableBytes(of: &address) { bytes -> ArraySlice<UInt8> in
      guard let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
        unsafe getpeername(descriptor, base, &length) == 0
      else { return [] }
      return unsafe Array(bytes)[...]
    }
    let number = { (bytes: ArraySlice<UInt8>) in bytes.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
    }
    return switch Int32(address.sin6_family) {
    case AF_INET where bytes.count >= 8: number(bytes[4..<8]) | 0xFFFF_0000_0000
    case AF_INET6 where bytes.count >= 24: number(bytes[8..<24])
    default: nil
    }
  }
}
