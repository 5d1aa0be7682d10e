import MFABase

/// The permanent id of a factor: 16 random bytes, generated at enrolment (the factor's `uid`).
package struct FactorID: RandomIdentifier {
  /// The length in bytes.
  package static let length = 16

  /// The bytes.
  package let bytes: [UInt8]

  /// Sixteen zero bytes, the id that stands for no record.
  package static var zero: FactorID {
    FactorID(ofLength: [UInt8](repeating: 0, count: length))
  }

  private init(ofLength bytes: [UInt8]) { self.bytes = bytes }

  /// Creates an id. Returns nil if `bytes` does not have 16 bytes.
  package init?(bytes: [UInt8]) {
    guard bytes.count == Self.length else { return nil }
    self.bytes = bytes
  }
}

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
