/// A permit as a host keeps it, with the place of the sign-in for which a verifier gave it.
package struct HeldPermit: Equatable, Sendable {
  /// The permit.
  package var permit: OfflinePermit
  /// A digest of the address and the keys of the last sign-in with a code, `originLength` bytes; nil if no
  /// address was known.
  package var origin: [UInt8]?

  /// The length of the digest of a place in bytes.
  package static let originLength = 32

  /// Creates a value.
  package init(permit: OfflinePermit, origin: [UInt8]?) {
    self.permit = permit
    self.origin = origin
  }
}
