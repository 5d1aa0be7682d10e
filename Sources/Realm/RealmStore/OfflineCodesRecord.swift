import MFABase
import MFARealm
import MFAStore

/// The offline recovery codes of a user: one set for each group of hosts.
package struct OfflineCodesRecord: Equatable, Sendable {
  /// The sets, by the names of the groups.
  package var sets: [[UInt8]: OfflineCodeSet]

  /// The largest number of sets.
  package static let mostSets = 16

  private static let version: UInt8 = 1

  init(sets: [[UInt8]: OfflineCodeSet]) { self.sets = sets }

  /// Removes a code. Returns false if no set has it.
  mutating func remove(_ code: OfflineCodeID) -> Bool {
    for (group, set) in sets where set.id == code.set {
      guard let index = set.codes.firstIndex(where: { $0.number == code.number }) else {
        return false
      }
      sets[group]?.codes.remove(at: index)
      return true
    }
    return false
  }

  /// Returns the stored form, with a checksum.
  func sealed(
    for user: [UInt8], version row: UInt64, _ key: inout SealingKey
  ) throws(FactorStoreError) -> [UInt8] {
    var writer = Self.header(user, row).written()
    writer.write(UInt8(clamping: sets.count))
    for (group, set) in sets.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      writer.writeShort(group)
      set.write(to: &writer)
    }
    return try RegistryRow.sealed(writer.bytes, .offlineCodes, &key)
  }

  /// Verifies the checksum, the user and the version of the row.
  init(
    _ sealed: [UInt8], for expected: [UInt8], version row: UInt64, _ key: inout SealingKey
  ) throws(FactorStoreError) {
    let content = try RegistryRow.opened(sealed, .offlineCodes, &key)
    var reader = ByteReader(content.span)
    guard Self.header(expected, row).isRead(from: &reader), let count = reader.read(UInt8.self),
      Int(count) <= Self.mostSets
    else { throw .damaged(.record) }
    var sets: [[UInt8]: OfflineCodeSet] = [:]
    for _ in 0..<count {
      guard let group = reader.readShort(), let set = OfflineCodeSet(&reader) else {
        throw .damaged(.record)
      }
      sets[group] = set
    }
    guard reader.isAtEnd else { throw .damaged(.record) }
    self.init(sets: sets)
  }

  private static func header(_ user: [UInt8], _ row: UInt64) -> RegistryRow.Header {
    RegistryRow.Header(format: version, version: row, id: user)
  }
}
