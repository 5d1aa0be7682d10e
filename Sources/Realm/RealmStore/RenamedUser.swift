/// A user whose entry in the directory service the realm knows under an earlier name.
package struct RenamedUser: Equatable, Sendable {
  /// The name under which the realm has the user's factors.
  package let earlier: [UInt8]
  /// The present name.
  package let name: [UInt8]

  /// Creates a value.
  package init(from earlier: [UInt8], to name: [UInt8]) {
    self.earlier = earlier
    self.name = name
  }
}
