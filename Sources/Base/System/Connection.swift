import MFACPOSIX

/// The network connection through which the user reached this process.
public enum Connection {
  /// Returns the peer's address as the 128 bits of IPv6. An IPv4 address is mapped into
  /// `::ffff:0:0/96` (RFC 4291, section 2.5.5.2), whichever kind of socket it comes from.
  ///
  /// Returns nil unless all connected IPv4 and IPv6 streams among the first 64 descriptors have the
  /// same peer address. If the addresses differ, it is unknown which one is the user's.
  public static func peer() -> UInt128? {
    var address = [UInt8](repeating: 0, count: 16)
    // SAFETY: the call writes at most 16 bytes.
    let addresses = unsafe address.withUnsafeMutableBufferPointer { address -> Int32 in
      guard let address = address.baseAddress else { return 0 }
      return unsafe cposix_peer(address)
    }
    guard addresses == 1 else { return nil }
    return address.reduce(0) { $0 << 8 | UInt128($1) }
  }
}
