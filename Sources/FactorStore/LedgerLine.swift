import Factors
import Policy
import Secrets
import System

/// A line of the ledger:
///
///     n=17 time=2026-11-21T10:18:00Z event=renamed user=alice uid=1000 id=6f... name=phone by=alice
///     by-uid=1000 via=mfa-helper from=mfa-enroll record=5a1c... chain=9f2c...
///
/// in one line of printable ASCII, values escaped as in the system log, and a line feed.
enum LedgerLine {
  /// What stands before the chain's value, which ends the line.
  static var chainKey: [UInt8] { (" chain=" as StaticString).bytes }

  /// How many bytes of a line are `chainKey` and the chain's value, which ends it.
  static var trailerLength: Int { 7 + 2 * SealingKey.checksumLength }

  /// What is longer than this, in bytes, is no line, nor a line and what an interrupted write left
  /// before it.
  static var longest: Int { 16_384 }

  /// The most of it, in bytes, that an interrupted write can have left.
  static var longestLeft: Int { 12_288 }

  /// Whether a line ends as an entry does. Of what an interrupted process leaves, no whole line does.
  static func claimsToBeEntry(_ line: ArraySlice<UInt8>) -> Bool {
    let trailer = line.suffix(trailerLength)
    return trailer.count == trailerLength && trailer.starts(with: chainKey)
      && trailer.dropFirst(chainKey.count).allSatisfy { Hexadecimal.value($0) != nil }
  }

  /// The line without its chain value.
  static func text(
    of event: LedgerEvent, number: UInt32, _ subject: LedgerSubject
  ) -> [UInt8] {
    var line = LogLine()
    add("n", decimal(number), to: &line)
    add("time", UTCTime.precise(event.time), to: &line)
    line.add("event", event.kind.name)
    add("user", subject.user?.bytes ?? [], to: &line)
    add("uid", subject.uid.map { decimal($0) } ?? [], to: &line)
    add("id", event.ids, to: &line)
    add("name", event.detail, to: &line)
    add("by", event.actor.name, to: &line)
    add("by-uid", event.actor.uid.map { decimal($0) } ?? [], to: &line)
    add("via", event.actor.program, to: &line)
    add("from", event.actor.source.text, to: &line)
    add("record", Hexadecimal.text(of: subject.record), to: &line)
    return line.text
  }

  @inline(never)
  private static func add(_ key: StaticString, _ value: [UInt8], to line: inout LogLine) {
    line.add(key, escaping: value)
  }

  /// A number in decimal digits.
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

  /// The number that `decimal` writes so; nil for anything else.
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
