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

/// How far the queue of a host was reported.
package struct OfflinePosition: Equatable, Sendable {
  /// The number of the last record that the realm has; 0 for none.
  package let number: UInt64
  /// The chain value after it, `OfflineReport.chainLength` bytes.
  package let chain: [UInt8]

  private static let version: UInt8 = 1

  /// Creates a value.
  package init(number: UInt64, chain: [UInt8]) {
    self.number = number
    self.chain = chain
  }

  /// The position before the first record.
  package static var beginning: OfflinePosition {
    OfflinePosition(number: 0, chain: [UInt8](repeating: 0, count: OfflineReport.chainLength))
  }

  func sealed(
    of host: [UInt8], version row: UInt64, _ key: inout SealingKey
  ) throws(FactorStoreError) -> [UInt8] {
    var writer = Self.header(host, row).written()
    writer.write(number)
    writer.write(chain)
    return try RegistryRow.sealed(writer.bytes, .offlineQueue, &key)
  }

  init(
    _ sealed: [UInt8], of expected: [UInt8], version row: UInt64, _ key: inout SealingKey
  ) throws(FactorStoreError) {
    let content = try RegistryRow.opened(sealed, .offlineQueue, &key)
    var reader = ByteReader(content.span)
    guard Self.header(expected, row).isRead(from: &reader), let number = reader.read(UInt64.self),
      let chain = reader.read(count: OfflineReport.chainLength), reader.isAtEnd
    else { throw .damaged(.record) }
    self.init(number: number, chain: chain)
  }

  private static func header(_ host: [UInt8], _ row: UInt64) -> RegistryRow.Header {
    RegistryRow.Header(format: version, version: row, id: host)
  }
}

/// What a verifier must know to write a permit anew: at which host a user signed in with a code, and when. The
/// host keeps it, and only verifiers can make it.
package struct OfflineToken: Equatable, Sendable {
  /// The host.
  package let host: [UInt8]
  /// The user.
  package let user: [UInt8]
  /// The time of the sign-in, in seconds since the epoch.
  package let signedInAt: Int64

  private static let version: UInt8 = 1

  /// Creates a token.
  package init(host: [UInt8], user: [UInt8], signedInAt: Int64) {
    self.host = host
    self.user = user
    self.signedInAt = signedInAt
  }

  func sealed(_ key: inout SealingKey) throws(FactorStoreError) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(Self.version)
    writer.writeShort(host)
    writer.writeShort(user)
    writer.write(signedInAt)
    return try RegistryRow.sealed(writer.bytes, .offlinePermit, &key)
  }

  init(_ sealed: [UInt8], _ key: inout SealingKey) throws(FactorStoreError) {
    let content = try RegistryRow.opened(sealed, .offlinePermit, &key)
    var reader = ByteReader(content.span)
    guard reader.read(UInt8.self) == Self.version, let host = reader.readShort(),
      let user = reader.readShort(), let time = reader.read(Int64.self), reader.isAtEnd
    else { throw .damaged(.record) }
    self.init(host: host, user: user, signedInAt: time)
  }
}
