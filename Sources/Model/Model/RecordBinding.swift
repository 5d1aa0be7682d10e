import MFABase
/// The link from an attempt state to its record and to the audit log.
///
/// An attacker with write access to the store but without the key can restore an older record or an
/// older attempt state; both are genuine. The binding makes this detectable: the state names its
/// record, and the last entry of the audit log about the user must name the same record.
package struct RecordBinding: Equatable, Sendable {
  /// A record as identified by its file and by the audit log.
  package struct Identity: Equatable, Sendable {
    /// The first eight bytes of the sealed record's checksum; 0 when there is no record.
    package let checksum: UInt64
    /// The record's fingerprint in the audit log; 0 when there is no record.
    package let fingerprint: UInt64

    /// Creates an identity.
    package init(checksum: UInt64, fingerprint: UInt64) {
      self.checksum = checksum
      self.fingerprint = fingerprint
    }

    /// The identity that stands for no record.
    package static var none: Identity { Identity(checksum: 0, fingerprint: 0) }

    /// Whether the identity stands for no record.
    package var isNone: Bool { checksum == 0 }
  }

  /// A position in the audit log.
  package struct LogPosition: Equatable, Sendable {
    /// A random number that identifies the audit log; 0 before any entry was checked.
    package let log: UInt32
    /// The 1-based offset of the last entry that was checked; 0 before the first one.
    package let entry: Int64

    /// Creates a position.
    package init(log: UInt32, entry: Int64) {
      self.log = log
      self.entry = entry
    }

    /// The position before any entry was checked.
    package static var none: LogPosition { LogPosition(log: 0, entry: 0) }
  }

  /// The record after the last completed change.
  package var current: Identity
  /// The record after a change that has begun; nil if no change has begun. It remains set if the
  /// change is interrupted.
  package var pending: Identity?
  /// The last position of the audit log that was checked for entries about the user.
  package var position: LogPosition

  /// Creates a binding.
  package init(
    current: Identity = .none, pending: Identity? = nil, position: LogPosition = .none
  ) {
    self.current = current
    self.pending = pending
    self.position = position
  }

  /// Whether there is a record, or will be one after the pending change.
  package var namesRecord: Bool { !current.isNone || !(pending?.isNone ?? true) }

  /// Returns whether a fingerprint in the audit log is that of the current or the pending record.
  package func allows(fingerprint: UInt64) -> Bool {
    current.fingerprint == fingerprint || pending?.fingerprint == fingerprint
  }

  // MARK: Binary form

  private enum Form: UInt8 {
    case unbound, settled, pending
  }

  static func encode(_ binding: RecordBinding?, to writer: inout ByteWriter) {
    guard let binding else {
      writer.write(Form.unbound.rawValue)
      return
    }
    writer.write((binding.pending == nil ? Form.settled : Form.pending).rawValue)
    for identity in [binding.current, binding.pending ?? .none] {
      writer.write(identity.checksum)
      writer.write(identity.fingerprint)
    }
    writer.write(binding.position.log)
    writer.write(binding.position.entry)
  }

  /// A decoded binding; `binding` is nil if the state has none.
  struct Decoded {
    let binding: RecordBinding?
  }

  /// Parses the binary form. Returns nil if it is invalid.
  static func decode(_ reader: inout ByteReader) -> Decoded? {
    guard let form = reader.read(UInt8.self).flatMap({ Form(rawValue: $0) }) else { return nil }
    guard form != .unbound else { return Decoded(binding: nil) }
    guard let current = identity(&reader), let pending = identity(&reader),
      let log = reader.read(UInt32.self), let entry = reader.read(Int64.self), entry >= 0,
      form == .pending || pending == .none
    else { return nil }
    return Decoded(
      binding: RecordBinding(
        current: current, pending: form == .pending ? pending : nil,
        position: LogPosition(log: log, entry: entry)))
  }

  private static func identity(_ reader: inout ByteReader) -> Identity? {
    guard let checksum = reader.read(UInt64.self), let fingerprint = reader.read(UInt64.self) else {
      return nil
    }
    return Identity(checksum: checksum, fingerprint: fingerprint)
  }
}
