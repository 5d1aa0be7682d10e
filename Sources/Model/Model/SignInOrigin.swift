/// The place that a sign-in comes from, as identified for remembered sign-ins.
package struct SignInOrigin: Equatable, Sendable {
  /// The kind of property that identifies a place.
  package enum Kind: UInt8, Sendable {
    /// A numeric address, with the SSH key if one was used.
    case address = 1
    /// A session on this machine.
    case session = 2
    /// An IPv4 address or an IPv6 network of 64 bits. Attempts from there wait; no sign-in is remembered
    /// for it.
    case network = 3
  }

  /// The kind of property that identifies the place.
  package let kind: Kind
  /// Bytes that are equal for two sign-ins exactly if they come from the same place.
  package let identity: [UInt8]

  /// Creates a place.
  package init(_ kind: Kind, _ identity: [UInt8]) {
    self.kind = kind
    self.identity = identity
  }
}
