/// A place from which people sign in, as far as it can be told from others.
public struct Place: Equatable, Sendable {
  /// By what it is told from others.
  public enum Kind: UInt8, Sendable {
    /// A numeric address, with the SSH key where one was used.
    case address = 1
    /// A session on this machine.
    case session = 2
  }

  /// By what it is told from others.
  public let kind: Kind
  /// What is the same in two sign-ins from this place, and in none from another.
  public let identity: [UInt8]

  /// Puts both together.
  public init(_ kind: Kind, _ identity: [UInt8]) {
    self.kind = kind
    self.identity = identity
  }
}
