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

/// The identity of an installed system, in /etc/machine-id. A copy of a disk has the same one until it
/// is removed, as the preparation of an image for cloning does.
package enum MachineIdentity {
  /// The length in bytes: hexadecimal digits.
  package static var length: Int { 32 }

  /// The identity, or nil if the system has none.
  package static var current: [UInt8]? {
    let path: StaticString = "/etc/machine-id"
    return File.contents(at: path.bytes, atMost: length).flatMap { parsed($0) }
  }

  /// Returns the identity at the beginning of the file, or nil if there is none, as in a system that
  /// was not started yet.
  package static func parsed(_ content: [UInt8]) -> [UInt8]? {
    let digits = Array(content.prefix(length))
    guard digits.count == length, Hexadecimal.bytes(of: digits, count: length / 2) != nil,
      digits.contains(where: { $0 != UInt8(ascii: "0") })
    else { return nil }
    return digits
  }
}
