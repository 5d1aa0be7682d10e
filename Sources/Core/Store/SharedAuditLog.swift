import MFABase
import MFACrypto

/// An audit log that is kept in a database: lines like those of `AuditLog`, in one hash chain, and the
/// sealed end of the chain.
///
/// MUST 1: a line that was changed, removed, inserted or moved is found, and so is a missing end.
/// (`SharedAuditLogTests.everyChangeIsFound`)
package enum SharedAuditLog {
  /// A line that was appended.
  package struct Appended: Sendable {
    /// The line, with its line feed.
    package let line: [UInt8]
    /// The sealed end of the log after the line.
    package let end: [UInt8]
    /// The checkpoint, for the system log.
    package let checkpoint: AuditLogCheckpoint
  }

  /// The version of the format of the end.
  private static let version: UInt8 = 1

  /// Returns the line for an event after the sealed `end`, which is empty before the first line.
  ///
  /// - Throws: `.damaged(.auditLogHead)` if the end is not one that was sealed with this key.
  package static func append(
    _ event: AuditLogEvent, about subject: AuditLogSubject, to end: [UInt8],
    _ key: inout SealingKey
  ) throws(FactorStoreError) -> Appended {
    var chain = try opened(end, &key)
    let (number, overflow) = chain.count.addingReportingOverflow(1)
    guard !overflow else { throw .damaged(.auditLog) }
    var line = AuditLogLine.text(of: event, number: number, subject, previous: nil)
    let value = try chain.value(after: line, &key)
    line += AuditLogLine.chainKey
    line += Hexadecimal.text(of: value)
    line.append(UInt8(ascii: "\n"))
    try chain.advance(by: line.count, to: value)
    return Appended(
      line: line, end: try sealed(chain, &key),
      checkpoint: AuditLogCheckpoint(number: number, chain: value))
  }

  /// Verifies the lines of a log from the first to the sealed `end`, one after the other.
  package struct Verification {
    private var chain = AuditLogChain.empty

    /// Begins before the first line.
    package init() {}

    /// Begins after the line with this sealed end.
    ///
    /// - Throws: `.damaged(.auditLogHead)` if the end is not one that was sealed with this key.
    package init(after end: [UInt8], _ key: inout SealingKey) throws(FactorStoreError) {
      chain = try opened(end, &key)
    }

    /// Consumes the next line, with its line feed. Returns its checkpoint, or nil if the line cannot
    /// follow the lines before it.
    package mutating func take(
      _ line: [UInt8], _ key: inout SealingKey
    ) throws(FactorStoreError) -> AuditLogCheckpoint? {
      guard line.count(where: { $0 == UInt8(ascii: "\n") }) == 1,
        let next = try chain.next(in: line, from: 0, to: line.count, &key),
        next.length &- chain.length == Int64(line.count),
        let number = AuditLogLine.value(of: "n", in: line.dropLast()),
        AuditLogLine.number(number) == next.count
      else { return nil }
      chain = next
      return AuditLogCheckpoint(number: next.count, chain: next.value)
    }

    /// Returns whether the lines so far are all lines up to `end`.
    package func isComplete(
      _ end: [UInt8], _ key: inout SealingKey
    ) throws(FactorStoreError) -> Bool {
      try opened(end, &key) == chain
    }
  }

  // MARK: The sealed end

  private static func sealed(
    _ chain: AuditLogChain, _ key: inout SealingKey
  ) throws(FactorStoreError) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(version)
    writer.write(chain.count)
    writer.write(chain.length)
    writer.write(chain.value)
    let content = writer.bytes
    return content
      + (try cryptographic { () throws(SystemError) in
        try key.checksum(of: content, purpose: .sharedAuditLogEnd)
      })
  }

  fileprivate static func opened(
    _ end: [UInt8], _ key: inout SealingKey
  ) throws(FactorStoreError) -> AuditLogChain {
    guard !end.isEmpty else { return .empty }
    var reader = ByteReader(end.span)
    guard reader.read(UInt8.self) == version, let count = reader.read(UInt32.self),
      let length = reader.read(Int64.self),
      let value = reader.read(count: SealingKey.checksumLength),
      let checksum = reader.read(count: SealingKey.checksumLength), reader.isAtEnd
    else { throw .damaged(.auditLogHead) }
    let content = Array(end.dropLast(SealingKey.checksumLength))
    let isValid = try cryptographic { () throws(SystemError) in
      try key.verifies(checksum.span, of: content, purpose: .sharedAuditLogEnd)
    }
    guard isValid else { throw .damaged(.auditLogHead) }
    return AuditLogChain(count: count, length: length, value: value)
  }
}
