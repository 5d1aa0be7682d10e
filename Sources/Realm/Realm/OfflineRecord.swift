import MFABase
import MFACrypto

/// An entry of a host's queue: what the host did while no verifier answered.
package struct OfflineRecord: Equatable, Sendable {
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
  package let number: UInt64
  /// The time, in seconds since the epoch.
  package let time: Int64
  /// What happened.
  package let kind: Kind
  /// The user: 1 to 255 bytes.
  package let user: [UInt8]
  /// The PAM service, at most 255 bytes.
  package let service: [UInt8]
  /// Where the user signed in from, as PAM states it: at most 255 bytes, empty if unknown.
  package let source: [UInt8]
  /// The code that was accepted; nil for the other kinds.
  package let code: OfflineCodeID?

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

  /// Returns the encoding.
  package func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.write(number)
    writer.write(time)
    writer.write(kind.rawValue)
    writer.writeShort(user)
    writer.writeShort(service)
    writer.writeShort(source)
    if let code {
      writer.write(code.set)
      writer.write(code.number)
    }
    return writer.bytes
  }

  /// Reads an encoding. Returns nil if it is malformed.
  package init?(_ encoded: Span<UInt8>) {
    var reader = ByteReader(encoded)
    guard let number = reader.read(UInt64.self), let time = reader.read(Int64.self),
      let kind = reader.read(UInt8.self).flatMap({ Kind(rawValue: $0) }),
      let user = reader.readShort(), !user.isEmpty, let service = reader.readShort(),
      let source = reader.readShort()
    else { return nil }
    var code: OfflineCodeID?
    if kind == .code {
      guard let set = reader.read(count: OfflineCodeSet.idLength),
        let number = reader.read(UInt8.self)
      else { return nil }
      code = OfflineCodeID(set: set, number: number)
    }
    guard reader.isAtEnd else { return nil }
    self.init(
      number: number, time: time, kind: kind, user: user, service: service, source: source,
      code: code)
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
  ) throws(OfflineStoreError) -> [UInt8] {
    do throws(CryptographyError) {
      var hash = try HMAC(algorithm: .sha256, key: chain.span)
      let tag = try hash.tag(of: record.span)
      return Self.bytes(tag)
    } catch {
      throw .cryptography
    }
  }

  private static func bytes(_ tag: borrowing SecretBytes) -> [UInt8] {
    var bytes: [UInt8] = []
    for index in tag.span.indices { bytes.append(tag.span[index]) }
    return bytes
  }
}

/// A part of a host's queue, as the host sends it to a verifier.
///
/// MUST 1: an encoded report parses to an equal value, and no other bytes parse. (`OfflineEncodingTests.report`)
package struct OfflineReport: Equatable, Sendable {
  /// Whether the host's queue was changed or is incomplete. Such a report has no records.
  package let isDamaged: Bool
  /// The number of the last record before those of this report; 0 for none.
  package let base: UInt64
  /// The chain value after that record, `chainLength` bytes.
  package let chain: [UInt8]
  /// The encoded records, in order.
  package let records: [[UInt8]]

  /// The length of a chain value in bytes.
  package static let chainLength = 32
  /// The longest encoding in bytes.
  package static let longest = 60_000

  private static let version: UInt8 = 1

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

  /// Returns the encoding.
  package func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.write(Self.version)
    writer.write(UInt8(isDamaged ? 1 : 0))
    writer.write(base)
    writer.write(chain)
    writer.write(UInt16(clamping: records.count))
    for record in records {
      writer.write(UInt16(clamping: record.count))
      writer.write(record)
    }
    return writer.bytes
  }

  /// Reads an encoding. Returns nil if it is malformed.
  package init?(_ encoded: Span<UInt8>) {
    var reader = ByteReader(encoded)
    guard encoded.count <= Self.longest, reader.read(UInt8.self) == Self.version,
      let damaged = reader.read(UInt8.self), damaged <= 1, let base = reader.read(UInt64.self),
      let chain = reader.read(count: Self.chainLength), let count = reader.read(UInt16.self),
      damaged == 0 || count == 0
    else { return nil }
    var records: [[UInt8]] = []
    for _ in 0..<count {
      guard let length = reader.read(UInt16.self), Int(length) <= OfflineRecord.longest,
        let record = reader.read(count: Int(length))
      else { return nil }
      records.append(record)
    }
    guard reader.isAtEnd else { return nil }
    self.init(isDamaged: damaged == 1, base: base, chain: chain, records: records)
  }
}
