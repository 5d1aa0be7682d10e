import MFABase
import MFAModel
import MFAWire

/// Salted slow hashes of the unused offline recovery codes of one user for one group of hosts.
package struct OfflineCodeSet: EncodedValue, Equatable, Sendable {
  /// A hash of one code.
  package struct Code: Equatable, Sendable {
    /// The number of the code in the set.
    package fileprivate(set) var number: UInt8
    /// The hash, `hashLength` bytes.
    package fileprivate(set) var hash: [UInt8]

    /// Creates a value.
    package init(number: UInt8, hash: [UInt8]) {
      self.number = number
      self.hash = hash
    }
  }

  /// The random number of the set, `idLength` bytes.
  package private(set) var id: [UInt8]
  /// The salt of all hashes of the set, `saltLength` bytes.
  package private(set) var salt: [UInt8]
  /// The binary logarithm of the cost of a hash (N of RFC 7914).
  package private(set) var costLog2: UInt8
  /// The hashes of the unused codes.
  package var codes: [Code]

  /// The length of an id in bytes.
  package static let idLength = 8
  /// The length of a salt in bytes.
  package static let saltLength = 16
  /// The length of a hash in bytes.
  package static let hashLength = 32
  /// The largest number of codes.
  package static let mostCodes = 10
  /// The costs that are computed: 16 to 128 MiB of memory.
  package static let costs: ClosedRange<UInt8> = 14...17

  /// Creates a set.
  package init(id: [UInt8], salt: [UInt8], costLog2: UInt8, codes: [Code]) {
    self.id = id
    self.salt = salt
    self.costLog2 = costLog2
    self.codes = codes
  }

  /// A set whose fields are read next.
  package static var placeholder: OfflineCodeSet {
    OfflineCodeSet(id: [], salt: [], costLog2: costs.lowerBound, codes: [])
  }

  /// Reads or writes each field.
  package mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.raw(&id, count: Self.idLength)
    try coder.raw(&salt, count: Self.saltLength)
    try coder.number(&costLog2)
    guard Self.costs.contains(costLog2) else { throw .malformed }
    try coder.list(&codes, most: UInt8(Self.mostCodes), placeholder: Code(number: 0, hash: [])) {
      (code: inout Code, coder: inout Coder) throws(PacketError) in
      try coder.number(&code.number)
      try coder.raw(&code.hash, count: Self.hashLength)
    }
  }
}

/// Names one offline recovery code.
package struct OfflineCodeID: Hashable, Sendable {
  /// The id of its set, `OfflineCodeSet.idLength` bytes.
  package fileprivate(set) var set: [UInt8]
  /// Its number in the set.
  package fileprivate(set) var number: UInt8

  /// Creates a value.
  package init(set: [UInt8], number: UInt8) {
    self.set = set
    self.number = number
  }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.raw(&set, count: OfflineCodeSet.idLength)
    try coder.number(&number)
  }
}

/// The attempts of a user since a code was last accepted offline. An attempt is counted before its code is
/// compared.
package struct OfflineFailures: Equatable, Sendable {
  /// The number of attempts.
  package internal(set) var count: UInt32 = 0
  /// The time of the last attempt, in seconds since the epoch.
  package internal(set) var last: Int64 = 0

  /// Whether the user may try a code.
  enum Standing: Equatable {
    case open
    case throttled(seconds: Int64)
    case locked
  }

  /// Counts an attempt. A clock that went back does not shorten a wait.
  mutating func countAttempt(at time: Int64) {
    if count < .max { count &+= 1 }
    last = max(last, time)
  }

  func standing(at now: Int64) -> Standing {
    let policy = OfflineAccess.throttle
    guard count < policy.locksAfter else { return .locked }
    let wait = policy.wait(afterFailures: count)
    guard wait > 0 else { return .open }
    let (end, overflow) = last.addingReportingOverflow(wait)
    guard !overflow else { return .locked }
    return now >= end ? .open : .throttled(seconds: end &- max(now, last))
  }

  /// Returns the failures of a user in the records of a queue, in order.
  package static func counted(of user: [UInt8], in records: [OfflineRecord]) -> OfflineFailures {
    var failures = OfflineFailures()
    for record in records where record.user == user {
      switch record.kind {
      case .attempt: failures.countAttempt(at: record.time)
      case .code: failures = OfflineFailures()
      case .remembered, .breakGlass: continue
      }
    }
    return failures
  }
}
