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
