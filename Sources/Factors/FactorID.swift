public import Secrets

/// What names a factor for good: 16 random bytes, made when it is enrolled (the factor's `uid`).
public struct FactorID: Equatable, Sendable {
  /// The length in bytes.
  public static let length = 16

  /// The bytes.
  public let bytes: [UInt8]

  /// Sixteen zero bytes: the id of no record.
  public static var zero: FactorID {
    FactorID(ofLength: [UInt8](repeating: 0, count: length))
  }

  /// A new one.
  public static func generate() throws(CryptographyError) -> FactorID {
    FactorID(ofLength: try randomBytes(count: length))
  }

  private init(ofLength bytes: [UInt8]) { self.bytes = bytes }

  /// Nil when there are not 16 of them.
  public init?(bytes: [UInt8]) {
    guard bytes.count == Self.length else { return nil }
    self.bytes = bytes
  }

  /// Reads what `hexadecimal` writes, in lower case only. Nil for anything else.
  public init?(hexadecimal text: [UInt8]) {
    guard let bytes = Hexadecimal.bytes(of: text, count: Self.length) else { return nil }
    self.bytes = bytes
  }

  /// The bytes as 32 hexadecimal digits, in ASCII.
  public var hexadecimal: [UInt8] { Hexadecimal.text(of: bytes) }
}
