import MFABase

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
