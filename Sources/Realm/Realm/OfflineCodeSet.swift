import MFABase
import MFAModel

/// Salted slow hashes of the unused offline recovery codes of one user for one group of hosts.
package struct OfflineCodeSet: Equatable, Sendable {
  /// A hash of one code.
  package struct Code: Equatable, Sendable {
    /// The number of the code in the set.
    package let number: UInt8
    /// The hash, `hashLength` bytes.
    package let hash: [UInt8]

    /// Creates a value.
    package init(number: UInt8, hash: [UInt8]) {
      self.number = number
      self.hash = hash
    }
  }

  /// The random number of the set, `idLength` bytes.
  package let id: [UInt8]
  /// The salt of all hashes of the set, `saltLength` bytes.
  package let salt: [UInt8]
  /// The binary logarithm of the cost of a hash (N of RFC 7914).
  package let costLog2: UInt8
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

  /// Appends the encoding.
  package func write(to writer: inout ByteWriter) {
    writer.write(id)
    writer.write(salt)
    writer.write(costLog2)
    writer.write(UInt8(clamping: codes.count))
    for code in codes {
      writer.write(code.number)
      writer.write(code.hash)
    }
  }

  /// Reads the encoding. Returns nil if it is malformed.
  package init?(_ reader: inout ByteReader) {
    guard let id = reader.read(count: Self.idLength),
      let salt = reader.read(count: Self.saltLength),
      let cost = reader.read(UInt8.self), Self.costs.contains(cost),
      let count = reader.read(UInt8.self), Int(count) <= Self.mostCodes
    else { return nil }
    var codes: [Code] = []
    for _ in 0..<count {
      guard let number = reader.read(UInt8.self), let hash = reader.read(count: Self.hashLength)
      else { return nil }
      codes.append(Code(number: number, hash: hash))
    }
    self.init(id: id, salt: salt, costLog2: cost, codes: codes)
  }
}

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

/// The attempts of a user since a code was last accepted offline. An attempt is counted before its code is
/// compared.
package struct OfflineFailures: Equatable, Sendable {
  /// The number of attempts.
  package private(set) var count: UInt32
  /// The time of the last attempt, in seconds since the epoch.
  package private(set) var last: Int64

  /// Creates a value.
  package init(count: UInt32 = 0, last: Int64 = 0) {
    self.count = count
    self.last = last
  }

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
