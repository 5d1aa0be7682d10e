import MFARealm
import MFAStore
import MFAWire

/// The offline recovery codes of a user: one set for each group of hosts.
package struct OfflineCodesRecord: RegistryRecord, Equatable, Sendable {
  /// The sets, by the names of the groups.
  package var sets: [[UInt8]: OfflineCodeSet] = [:]

  /// The largest number of sets.
  package static let mostSets = 16

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

  var purpose: ChecksumPurpose { .offlineCodes }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    var list = sets.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    let placeholder = (key: [UInt8](), value: OfflineCodeSet.placeholder)
    try coder.list(&list, most: UInt8(Self.mostSets), placeholder: placeholder) {
      (set: inout (key: [UInt8], value: OfflineCodeSet), coder: inout Coder) throws(PacketError) in
      try coder.short(&set.key)
      try set.value.fields(&coder)
    }
    sets = Dictionary(list.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
  }
}

/// How far the queue of a host was reported.
package struct OfflinePosition: RegistryRecord, Equatable, Sendable {
  /// The number of the last record that the realm has; 0 for none.
  package private(set) var number: UInt64
  /// The chain value after it, `OfflineReport.chainLength` bytes.
  package private(set) var chain: [UInt8]

  /// Creates a value.
  package init(number: UInt64, chain: [UInt8]) {
    self.number = number
    self.chain = chain
  }

  /// The position before the first record.
  package static var beginning: OfflinePosition {
    OfflinePosition(number: 0, chain: [UInt8](repeating: 0, count: OfflineReport.chainLength))
  }

  var purpose: ChecksumPurpose { .offlineQueue }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.number(&number)
    try coder.raw(&chain, count: OfflineReport.chainLength)
  }
}

/// What a verifier must know to write a permit anew: at which host a user signed in with a code, and when. The
/// host keeps it, and only verifiers can make it.
package struct OfflineToken: RegistryRecord, Equatable, Sendable {
  /// The host.
  package private(set) var host: [UInt8]
  /// The user.
  package private(set) var user: [UInt8]
  /// The time of the sign-in, in seconds since the epoch.
  package private(set) var signedInAt: Int64

  /// Creates a token.
  package init(host: [UInt8], user: [UInt8], signedInAt: Int64) {
    self.host = host
    self.user = user
    self.signedInAt = signedInAt
  }

  var purpose: ChecksumPurpose { .offlinePermit }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.short(&host)
    try coder.short(&user)
    try coder.number(&signedInAt)
  }

  /// How the bytes begin: with their format.
  static let beginning: [UInt8] = [1]
}
