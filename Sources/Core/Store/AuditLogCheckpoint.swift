import MFABase
import MFAModel

/// A checkpoint of the audit log: the number of an entry and the beginning of its chain value. It
/// identifies the entry and everything before it. Checkpoints in the system log let another host
/// detect that the audit log was replaced or rewritten.
package struct AuditLogCheckpoint: Equatable, Sendable {
  /// The entry's number, counted from 1.
  package let number: UInt32
  /// The first four bytes of the chain value.
  package let value: UInt32

  /// Creates the checkpoint of an entry with this chain value.
  init(number: UInt32, chain: [UInt8]) {
    self.number = number
    var value: UInt32 = 0
    for byte in chain.prefix(4) { value = value << 8 | UInt32(byte) }
    self.value = value
  }

  /// Parses text such as `17:9f2c0a1b`, as written by `text`. Returns nil for any other text.
  package init?(_ text: [UInt8]) {
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")),
      let number = AuditLogLine.number(text[..<colon]),
      let value = Hexadecimal.bytes(of: Array(text[(colon + 1)...]), count: 4)
    else { return nil }
    self.init(number: number, chain: value)
  }

  /// The checkpoint as written to the system log, such as `17:9f2c0a1b`.
  package var text: [UInt8] {
    var writer = ByteWriter()
    writer.write(value)
    return AuditLogLine.decimal(number) + [UInt8(ascii: ":")] + Hexadecimal.text(of: writer.bytes)
  }
}

/// The account that an entry of the audit log is about.
package struct AuditLogSubject {
  /// The account's name; nil if the entry is about no account.
  package var user: UserName?
  /// The account's uid; nil if unknown.
  package var uid: UInt32?
  /// The fingerprint of the account's record after the event; empty if there will be no record.
  package var record: [UInt8] = []

  /// Creates a subject.
  package init(user: UserName? = nil, uid: UInt32? = nil, record: [UInt8] = []) {
    self.user = user
    self.uid = uid
    self.record = record
  }
}

extension LogLine {
  /// Appends the checkpoint of an audit log entry: `checkpoint=17:9f2c0a1b`. Appends nothing if
  /// the checkpoint is nil.
  @inline(never)
  package mutating func add(_ checkpoint: AuditLogCheckpoint?) {
    if let checkpoint { add("checkpoint", escaping: checkpoint.text) }
  }
}
