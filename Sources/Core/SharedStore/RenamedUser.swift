/// A user whose entry in the directory service the realm knows under an earlier name.
public struct RenamedUser: Equatable, Sendable {
  /// The name under which the realm has the user's factors.
  public let earlier: [UInt8]
  /// The present name.
  public let name: [UInt8]

  /// Creates a value.
  public init(from earlier: [UInt8], to name: [UInt8]) {
    self.earlier = earlier
    self.name = name
  }
}
