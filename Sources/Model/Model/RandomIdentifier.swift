import MFABase

/// An identifier of random bytes, written as hexadecimal digits.
package protocol RandomIdentifier: Equatable, Sendable {
  /// The length in bytes.
  static var length: Int { get }

  /// The bytes.
  var bytes: [UInt8] { get }

  /// Creates an identifier. Returns nil if `bytes` has a different length.
  init?(bytes: [UInt8])
}

extension RandomIdentifier {
  /// Parses an identifier written by `hexadecimal`, in lower case only. Returns nil for any other
  /// text.
  package init?(hexadecimal text: [UInt8]) {
    guard let bytes = Hexadecimal.bytes(of: text, count: Self.length) else { return nil }
    self.init(bytes: bytes)
  }

  /// The bytes as hexadecimal digits, in ASCII.
  package var hexadecimal: [UInt8] { Hexadecimal.text(of: bytes) }
}
