/// The rule for the names of hosts in a realm.
package enum RealmHostName {
  /// The longest name in bytes.
  private static let longest = 253
  /// The longest label in bytes.
  private static let longestLabel = 63

  /// Returns whether a host can have this name: labels of lower-case letters, digits and hyphens, separated by
  /// dots. A label neither begins nor ends with a hyphen.
  package static func isValid(_ name: [UInt8]) -> Bool {
    guard (1...longest).contains(name.count) else { return false }
    let hyphen = UInt8(ascii: "-")
    return name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy {
      label in
      (1...longestLabel).contains(label.count) && label.first != hyphen && label.last != hyphen
        && label.allSatisfy { byte in
          (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == hyphen
        }
    }
  }
}
