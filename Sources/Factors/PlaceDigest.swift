/// What is kept of a place: keyed, so that only this host recognises it, and for one user's record.
public struct PlaceDigest: Equatable, Sendable {
  /// Its length in bytes. Nobody without the key can try places against it, so that 64 bits are enough.
  public static var length: Int { 8 }

  /// By what the place is told from others.
  public let kind: Place.Kind
  /// The digest.
  public let value: UInt64

  /// Puts both together.
  public init(_ kind: Place.Kind, _ value: UInt64) {
    self.kind = kind
    self.value = value
  }

  /// The digest that `bytes` begin with; nil where there are not so many.
  public init?(_ kind: Place.Kind, bytes: [UInt8]) {
    var reader = ByteReader(bytes.span)
    guard let value = reader.read(UInt64.self) else { return nil }
    self.init(kind, value)
  }
}
