import MFABase
import MFAStore
import MFAWire

/// A host of a realm.
package struct HostRecord: RegistryRecord, Equatable, Sendable {
  /// The host's name: 1 to 255 bytes.
  package let name: [UInt8]
  /// The names of the host's groups, which decide what the host may ask: at most 16.
  package var groups: [[UInt8]] = []
  /// The serial numbers of the certificates that are accepted: the present one and, until it is used,
  /// the next one. Empty for a host that has not joined or was revoked.
  package var serials: [[UInt8]] = []
  /// The time at which the host joined, in seconds since the epoch.
  package var joinedAt: Int64 = 0
  /// The time at which the host was last revoked, in seconds since the epoch; 0 for never.
  package var revokedAt: Int64 = 0

  /// The largest number of groups.
  package static let mostGroups = 16
  /// The longest name of a group in bytes.
  package static let longestGroup = 64

  var purpose: ChecksumPurpose { .realmHost }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.shortList(&groups, most: Self.mostGroups)
    try coder.shortList(&serials, most: 2)
    try coder.number(&joinedAt)
    try coder.number(&revokedAt)
  }
}

/// When a host or a verifier was seen last, to the hour.
package struct LastSeenRecord: RegistryRecord, Equatable, Sendable {
  /// The version of its programs, at most 32 bytes.
  package private(set) var version: [UInt8]
  /// The time, in seconds since the epoch.
  package private(set) var time: Int64
  /// The end of the certificate of a host, in seconds since the epoch; 0 for a verifier.
  package private(set) var certificateEnd: Int64

  /// The longest version in bytes.
  package static let longestVersion = 32
  /// For how many seconds a record is not replaced by one that differs in its time only.
  package static let lifetime: Int64 = 3600

  /// Creates a record. A version that is too long is cut.
  package init(version: [UInt8], time: Int64, certificateEnd: Int64 = 0) {
    self.version = version.span.part(from: 0, count: Self.longestVersion).copied()
    self.time = time
    self.certificateEnd = certificateEnd
  }

  /// Returns whether this record need not be replaced by `next`.
  func stands(before next: LastSeenRecord) -> Bool {
    let (age, overflow) = next.time.subtractingReportingOverflow(time)
    return version == next.version && certificateEnd == next.certificateEnd && !overflow
      && (0..<Self.lifetime).contains(age)
  }

  var purpose: ChecksumPurpose { .lastSeen }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.short(&version)
    try coder.number(&time)
    try coder.number(&certificateEnd)
  }

  /// Returns how a row begins: with its format and its key. Only the last time is kept, so versions do not matter.
  static func beginning(of row: EngineKey) -> [UInt8] {
    [1, row.kind.rawValue, UInt8(truncatingIfNeeded: row.id.count)] + row.id
  }
}

/// A ticket with which one host can join a realm once. Its key in the store is a digest of its code.
struct TicketRecord: RegistryRecord {
  /// The name of the host that may join.
  var host: [UInt8] = []
  /// The groups that the host gets.
  var groups: [[UInt8]] = []
  /// The first second in which the ticket is no longer valid, in seconds since the epoch.
  var expires: Int64 = 0

  var purpose: ChecksumPurpose { .hostTicket }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.short(&host)
    try coder.shortList(&groups, most: HostRecord.mostGroups)
    try coder.number(&expires)
  }

  /// Returns how a row begins: with its format and its id. It is used once, in its first version.
  static func beginning(of row: EngineKey) -> [UInt8] {
    [1, UInt8(truncatingIfNeeded: row.id.count)] + row.id
  }
}
