import CPOSIX

/// The connection by which somebody has come to this process.
public enum Connection {
  /// The address at the other end: the 128 bits of IPv6, where an IPv4 address has its own 32 behind
  /// those of `::ffff:0:0/96` (RFC 4291, section 2.5.5.2), whichever kind of socket it came by.
  ///
  /// Nil unless all connected streams of IPv4 and IPv6 among the first 64 descriptors come from one
  /// address: where there are several, nothing tells which is the person's.
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
