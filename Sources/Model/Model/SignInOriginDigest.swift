import MFABase
/// A stored digest of a place. It is keyed, so that only this host can recognise the place, and
/// bound to one user's record.
package struct SignInOriginDigest: Equatable, Sendable {
  /// The length of a digest in bytes. 64 bits suffice, because without the key no attacker can test
  /// places against the digest.
  package static var length: Int { 8 }

  /// The kind of property that identifies the place.
  package let kind: SignInOrigin.Kind
  /// The digest.
  package let value: UInt64

  /// Creates a digest.
  package init(_ kind: SignInOrigin.Kind, _ value: UInt64) {
    self.kind = kind
    self.value = value
  }

  /// Creates a digest from the first `length` bytes of `bytes`. Returns nil if there are fewer.
  package init?(_ kind: SignInOrigin.Kind, bytes: [UInt8]) {
    var reader = ByteReader(bytes.span)
    guard let value = reader.read(UInt64.self) else { return nil }
    self.init(kind, value)
  }
}
