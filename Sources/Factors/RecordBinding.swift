/// What an attempt state says of the record that it goes with, and of the audit log.
///
/// A store that was written to without the key can hold an older record or an older attempt state,
/// each of which is genuine. The binding makes such a pair visible: the state names the record, and
/// both name the last entry of the audit log about the user.
public struct RecordBinding: Equatable, Sendable {
  /// A record, as it is on the disk and as the audit log names it.
  public struct Identity: Equatable, Sendable {
    /// The first eight bytes of the sealed record's checksum; 0 when there is no record.
    public let checksum: UInt64
    /// The record's fingerprint in the audit log; 0 when there is no record.
    public let fingerprint: UInt64

    /// Creates an identity.
    public init(checksum: UInt64, fingerprint: UInt64) {
      self.checksum = checksum
      self.fingerprint = fingerprint
    }

    /// No record.
    public static var none: Identity { Identity(checksum: 0, fingerprint: 0) }

    /// Whether there is no record.
    public var isNone: Bool { checksum == 0 }
  }

  /// A place in the audit log.
  public struct LogPosition: Equatable, Sendable {
    /// A random number that tells one audit log from another; 0 before there is one.
    public let log: UInt32
    /// Where the last entry begins that was checked, counted from 1; 0 before there is one.
    public let entry: Int64

    /// Creates a position.
    public init(log: UInt32, entry: Int64) {
      self.log = log
      self.entry = entry
    }

    /// No entry was checked.
    public static var none: LogPosition { LogPosition(log: 0, entry: 0) }
  }

  /// The record that the last change left.
  public var current: Identity
  /// The record that a change leaves that has begun. It stays when the change is interrupted.
  public var pending: Identity?
  /// How far the audit log was checked for entries about the user.
  public var position: LogPosition

  /// Creates a binding.
  public init(
    current: Identity = .none, pending: Identity? = nil, position: LogPosition = .none
  ) {
    self.current = current
    self.pending = pending
    self.position = position
  }

  /// Whether there is a record, or is to be one.
  public var namesRecord: Bool { !current.isNone || !(pending?.isNone ?? true) }

  /// Whether a fingerprint in the audit log is that of a record which may be here.
  public func allows(fingerprint: UInt64) -> Bool {
    current.fingerprint == fingerprint || pending?.fingerprint == fingerprint
  }

  // MARK: Binary form

  private enum Form: UInt8 {
    case none, settled, pending
  }

  static func encode(_ binding: RecordBinding?, to writer: inout ByteWriter) {
    guard let binding else {
      writer.write(Form.none.rawValue)
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

  /// A binding, or that there is none.
  struct Decoded {
    let binding: RecordBinding?
  }

  /// Reads the binary form; nil when it is none.
  static func decode(_ reader: inout ByteReader) -> Decoded? {
    guard let form = reader.read(UInt8.self).flatMap({ Form(rawValue: $0) }) else { return nil }
    guard form != .none else { return Decoded(binding: nil) }
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
