/// Names one offline recovery code.
package struct OfflineCodeID: Hashable, Sendable {
  /// The id of its set, `OfflineCodeSet.idLength` bytes.
  package let set: [UInt8]
  /// Its number in the set.
  package let number: UInt8

  /// Creates a value.
  package init(set: [UInt8], number: UInt8) {
    self.set = set
    self.number = number
  }
}
