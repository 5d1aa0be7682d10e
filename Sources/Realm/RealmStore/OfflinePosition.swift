import MFABase
import MFARealm
import MFAStore

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
