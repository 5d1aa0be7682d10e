import MFABase
import MFACrypto
import MFAWire

/// An entry of a host's queue: what the host did while no verifier answered.
package struct OfflineRecord: EncodedValue, Equatable, Sendable {
  /// What happened. The raw values are stored.
  package enum Kind: UInt8, Sendable {
    /// A code is about to be compared. Written before the comparison, so that it counts in any case.
    case attempt = 1
    /// A code was accepted, which uses it up. Written before the user is allowed.
    case code = 2
    /// The user was allowed because of a recent sign-in.
    case remembered = 3
    /// The user was allowed as a member of the break-glass group.
    case breakGlass = 4

    /// The method that a host needs in order to write such a record.
    package var method: OfflineMethods {
      switch self {
      case .attempt, .code: .recovery
      case .remembered: .remembered
      case .breakGlass: .breakGlass
      }
    }
  }

  /// The number of the record, counted from 1.
  package private(set) var number: UInt64
  /// The time, in seconds since the epoch.
  package private(set) var time: Int64
  /// What happened.
  package private(set) var kind: Kind
  /// The user: 1 to 255 bytes.
  package private(set) var user: [UInt8]
  /// The PAM service, at most 255 bytes.
  package private(set) var service: [UInt8]
  /// Where the user signed in from, as PAM states it: at most 255 bytes, empty if unknown.
  package private(set) var source: [UInt8]
  /// The code that was accepted; nil for the other kinds.
  package private(set) var code: OfflineCodeID?

  /// The longest encoding in bytes.
  package static let longest = 1024

  /// Creates a record. Texts that are too long are cut.
  package init(
    number: UInt64, time: Int64, kind: Kind, user: [UInt8], service: [UInt8], source: [UInt8],
    code: OfflineCodeID? = nil
  ) {
    self.number = number
    self.time = time
    self.kind = kind
    self.user = Array(user.prefix(255))
    self.service = Array(service.prefix(255))
    self.source = Array(source.prefix(255))
    self.code = code
  }

  /// A record whose fields are read next.
  package static var placeholder: OfflineRecord {
    OfflineRecord(number: 0, time: 0, kind: .attempt, user: [], service: [], source: [])
  }

  /// Reads or writes each field.
  package mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.number(&number)
    try coder.number(&time)
    try coder.choice(&kind)
    try coder.short(&user)
    guard !user.isEmpty else { throw .malformed }
    try coder.short(&service)
    try coder.short(&source)
    guard kind == .code else { return }
    var used = code ?? OfflineCodeID(set: [], number: 0)
    try used.fields(&coder)
    code = used
  }
}

/// The chain over the records of a host's queue: each value is HMAC-SHA-256 of a record with the value before
/// it as the key. A record that is removed, changed or moved changes all values after it.
///
/// The chain has no secret. It shows a verifier what happened to a queue after a part of it was reported, and
/// shows a relay that its file is not as it wrote it; it does not stop an attacker who can write the file.
package enum OfflineChain {
  /// The value before the first record.
  package static var beginning: [UInt8] { [UInt8](repeating: 0, count: OfflineReport.chainLength) }

  /// Returns the value after a record.
  package static func value(
    after chain: [UInt8], _ record: [UInt8]
  ) throws(RealmError) -> [UInt8] {
    do throws(SystemError) {
      var hash = try HMAC(algorithm: .sha256, key: chain.span)
      let tag = try hash.tag(of: record.span)
      return tag.span.copied()
    } catch {
      throw .cryptography
    }
  }
}

/// A part of a host's queue, as the host sends it to a verifier.
///
/// MUST 1: an encoded report parses to an equal value, and no other bytes parse. (`OfflineEncodingTests.report`)
package struct OfflineReport: EncodedValue, Equatable, Sendable {
  /// Whether the host's queue was changed or is incomplete. Such a report has no records.
  package private(set) var isDamaged: Bool
  /// The number of the last record before those of this report; 0 for none.
  package private(set) var base: UInt64
  /// The chain value after that record, `chainLength` bytes.
  package private(set) var chain: [UInt8]
  /// The encoded records, in order.
  package private(set) var records: [[UInt8]]

  /// The length of a chain value in bytes.
  package static let chainLength = 32
  /// The longest encoding in bytes.
  package static let longest = 60_000

  /// Creates a report. Of the records, as many as fit are kept.
  package init(isDamaged: Bool, base: UInt64, chain: [UInt8], records: [[UInt8]]) {
    self.isDamaged = isDamaged
    self.base = base
    self.chain = chain
    var left = Self.longest - 64
    var kept: [[UInt8]] = []
    for record in records {
      left -= record.count + 2
      guard left >= 0 else { break }
      kept.append(record)
    }
    self.records = kept
  }

  /// A report whose fields are read next.
  package static var placeholder: OfflineReport {
    OfflineReport(isDamaged: false, base: 0, chain: [], records: [])
  }

  /// Reads or writes each field.
  package mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.constant(1)
    try coder.flag(&isDamaged)
    try coder.number(&base)
    try coder.raw(&chain, count: Self.chainLength)
    try coder.longList(&records, most: Int(UInt16.max), longest: OfflineRecord.longest)
    guard !isDamaged || records.isEmpty else { throw .malformed }
  }
}
