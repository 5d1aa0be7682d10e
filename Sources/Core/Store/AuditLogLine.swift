import MFAModel
import MFABase

/// A line of the audit log:
///
///     n=17 time=2026-11-21T10:18:00Z event=renamed user=alice uid=1000 id=6f... name=phone
///     by=alice by-uid=1000 via=mfa-helper from=mfa-enroll record=5a1c... previous=4711
///     chain=9f2c...
///
/// This is one line of printable ASCII. Values are escaped as in the system log, and a line feed
/// ends the line.
package enum AuditLogLine {
  /// The text before the chain value, which ends the line.
  static var chainKey: [UInt8] { (" chain=" as StaticString).bytes }

  /// The length in bytes of `chainKey` and the chain value, which end the line.
  static var trailerLength: Int { 7 + 2 * SealingKey.checksumLength }

  /// The maximum length in bytes of an entry together with the remains of an interrupted write
  /// before it.
  static var longest: Int { 16_384 }

  /// The maximum length in bytes of the remains of an interrupted write.
  static var maximumIncompleteLength: Int { 12_288 }

  /// Returns whether a line ends like an entry. The remains of an interrupted write never contain a
  /// complete line of this kind.
  static func hasChainTrailer(_ line: ArraySlice<UInt8>) -> Bool {
    let trailer = line.suffix(trailerLength)
    return trailer.count == trailerLength && trailer.starts(with: chainKey)
      && trailer.dropFirst(chainKey.count).allSatisfy { Hexadecimal.value($0) != nil }
  }

  /// Returns the chain value at the end of a line, or nil if the line does not end like an entry.
  static func chainValue(of line: ArraySlice<UInt8>) -> [UInt8]? {
    let trailer = line.suffix(trailerLength)
    guard trailer.count == trailerLength, trailer.starts(with: chainKey) else { return nil }
    let digits = Array(trailer.dropFirst(chainKey.count))
    return Hexadecimal.bytes(of: digits, count: SealingKey.checksumLength)
  }

  /// Returns the checkpoint that a line claims to be, or nil if the line does not look like an entry.
  /// Nothing is verified.
  static func claimedCheckpoint(of line: ArraySlice<UInt8>) -> AuditLogCheckpoint? {
    guard let value = chainValue(of: line),
      let number = Self.value(of: "n", in: line).flatMap({ Self.number($0) })
    else { return nil }
    return AuditLogCheckpoint(number: number, chain: value)
  }

  /// Returns the line for an event, without its chain value.
  static func text(
    of event: AuditLogEvent, number: UInt32, _ subject: AuditLogSubject, previous: Int64?
  ) -> [UInt8] {
    var line = LogLine()
    add("n", decimal(number), to: &line)
    add("time", UTCTime.precise(event.time), to: &line)
    line.add("event", event.kind.name)
    // In full, because a part of the name can be another user's name.
    line.add("user", escapingAllOf: subject.user?.bytes ?? [])
    add("uid", subject.uid.map { decimal($0) } ?? [], to: &line)
    add("id", event.ids, to: &line)
    add("name", event.detail, to: &line)
    add("by", event.actor.name, to: &line)
    add("by-uid", event.actor.uid.map { decimal($0) } ?? [], to: &line)
    add("via", event.actor.program, to: &line)
    add("from", event.actor.source.text, to: &line)
    add("record", Hexadecimal.text(of: subject.record), to: &line)
    if let previous { line.add("previous", previous) }
    return line.text
  }

  @inline(never)
  private static func add(_ key: StaticString, _ value: [UInt8], to line: inout LogLine) {
    line.add(key, escaping: value)
  }

  // MARK: Parsing

  /// The maximum length of an entry in bytes.
  private static var longestEntry: Int { 4096 }

  /// Reads and verifies the entry that begins at `start`. The chain value of the previous entry is
  /// read from the file without verification. A forged value would not match, because this entry's
  /// chain value covers it.
  static func read(
    at start: Int64, in text: borrowing File, _ key: inout SealingKey
  ) throws(FactorStoreError) -> ArraySlice<UInt8> {
    let valueLength = Int64(2 &* SealingKey.checksumLength &+ 1)
    let from = max(start &- valueLength, 0)
    guard start >= 0, start == 0 || start >= valueLength else { throw .damaged(.auditLog) }
    let bytes = try onPart(.auditLog) { () throws(SystemError) in
      try text.read(count: longestEntry, at: from)
    }
    let before = bytes.prefix(Int(truncatingIfNeeded: start &- from))
    let rest = bytes.dropFirst(before.count)
    guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { throw .damaged(.auditLog) }
    let value =
      start == 0
      ? AuditLogChain.empty.value
      : Hexadecimal.bytes(of: Array(before.dropLast()), count: SealingKey.checksumLength)
    guard let value else { throw .damaged(.auditLog) }
    let chain = AuditLogChain(count: 0, length: 0, value: value)
    guard try chain.next(in: Array(rest), from: 0, to: end &- rest.startIndex &+ 1, &key) != nil
    else { throw .damaged(.auditLog) }
    return rest[..<end]
  }

  /// Returns the escaped value of the first pair with this key in a line, or nil if no pair has it.
  package static func value(
    of key: StaticString, in entry: ArraySlice<UInt8>
  ) -> ArraySlice<UInt8>? {
    let wanted = key.bytes + [UInt8(ascii: "=")]
    var rest = entry
    while !rest.isEmpty {
      let pair = rest.prefix { $0 != UInt8(ascii: " ") }
      if pair.starts(with: wanted) { return pair.dropFirst(wanted.count) }
      rest = rest.dropFirst(pair.count &+ 1)
    }
    return nil
  }

  /// Returns a record's fingerprint as a number: 0 for `-`, nil if the text is invalid.
  static func fingerprint(_ value: ArraySlice<UInt8>) -> UInt64? {
    if value.elementsEqual([UInt8(ascii: "-")]) { return 0 }
    guard let bytes = Hexadecimal.bytes(of: Array(value), count: 8) else { return nil }
    var reader = ByteReader(bytes.span)
    return reader.read(UInt64.self)
  }

  /// Parses a number written by `LogLine`. Returns nil if the text is invalid.
  static func offset(_ digits: ArraySlice<UInt8>) -> Int64? {
    var offset: Int64 = 0
    for digit in digits {
      guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
      let (product, tooLarge) = offset.multipliedReportingOverflow(by: 10)
      let (sum, overflow) = product.addingReportingOverflow(Int64(digit &- UInt8(ascii: "0")))
      guard !tooLarge, !overflow else { return nil }
      offset = sum
    }
    return offset
  }

  /// Returns a number in decimal digits.
  static func decimal(_ number: UInt32) -> [UInt8] {
    var digits: [UInt8] = []
    var rest = number
    repeat {
      digits.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    digits.reverse()
    return digits
  }

  /// Parses a number written by `decimal`. Returns nil for any other text.
  static func number(_ digits: ArraySlice<UInt8>) -> UInt32? {
    var number: UInt32 = 0
    for digit in digits {
      let (product, tooLarge) = number.multipliedReportingOverflow(by: 10)
      let (sum, overflow) = product.addingReportingOverflow(UInt32(digit &- UInt8(ascii: "0")))
      guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9"), !tooLarge, !overflow else {
        return nil
      }
      number = sum
    }
    return decimal(number) == Array(digits) ? number : nil
  }
}
