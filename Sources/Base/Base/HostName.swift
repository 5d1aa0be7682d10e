import MFACPOSIX

/// The host's name.
package enum HostName {
  /// Returns the name as `hostname` prints it.
  package static func current() throws(SystemError) -> [UInt8] {
    var name = [CChar](repeating: 0, count: 256)
    // SAFETY: the call writes at most 255 bytes, so the last byte stays NUL.
    let status = unsafe name.withUnsafeMutableBufferPointer { name -> Int32 in
      guard let base = name.baseAddress else { return -1 }
      return unsafe gethostname(base, 255)
    }
    guard status == 0 else { throw SystemError.last(.host) }
    return name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
  }
}
