/// Names one offline recovery code.
public struct OfflineCodeID: Hashable, Sendable {
  /// The id of its set, `OfflineCodeSet.idLength` bytes.
  public let set: [UInt8]
  /// Its number in the set.
  public let number: UInt8

  /// Creates a value.
  public init(set: [UInt8], number: UInt8) {
    self.set = set
    self.number = number
  }
}
