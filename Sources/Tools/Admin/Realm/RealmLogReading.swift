import MFAStore
import MFARealm

/// The lines of a realm's audit log that were read, one after the other.
struct RealmLogReading {
  /// The number of the line that is expected next.
  private var next: UInt32
  /// The last verified entry.
  private(set) var lastEntry: LedgerEntry?
  /// The number of the first line that is not verified, or nil.
  private(set) var broken: UInt32?

  /// Begins after a line.
  init(after number: UInt32) { next = number == .max ? .max : number + 1 }

  /// The checkpoint of the last verified entry.
  var last: AuditLogCheckpoint? { lastEntry?.mark }

  /// Consumes the next line, and returns its entry.
  mutating func take(_ line: AdministeredLogLine) -> LedgerEntry {
    let entry = LedgerEntry(line)
    if line.number != next || entry.mark == nil, broken == nil { broken = next }
    next = line.number == .max ? .max : line.number + 1
    if broken == nil { lastEntry = entry }
    return entry
  }

  /// What is wrong, or nil.
  var problem: AuditLogProblem? { broken.map { .realm(line: $0, last: lastEntry) } }
}

/// The result of verifying the audit log of a realm.
package struct RealmLogVerification {
  let reading: RealmLogReading
  /// The expected checkpoint, if the audit log does not contain it.
  let missingCheckpoint: AuditLogCheckpoint?
  /// The records that differ from what the audit log says.
  let findings: [LedgerFinding]
  /// The users whose records the audit log does not mention.
  let unlistedUsers: [[UInt8]]

  /// The first problem, in order of severity, or nil.
  package var problem: AuditLogProblem? {
    if let problem = reading.problem { return problem }
    if let missingCheckpoint { return .missingCheckpoint(missingCheckpoint, last: reading.last) }
    if !unlistedUsers.isEmpty { return .recordsWithoutEntries(unlistedUsers) }
    return findings.isEmpty ? nil : .records(findings)
  }

  /// The result as text for an administrator. A fault of the audit log itself is not included: the error reports
  /// it.
  package var text: String {
    let text = findings.map(\.line).joined()
    guard let mark = reading.last, let last = reading.lastEntry else {
      return text + "no entries\n"
    }
    return text + (mark.number == 1 ? "1 entry is" : "\(mark.number) entries are")
      + " valid; the last is \(AuditLogProblem.text(mark)), of \(last.text("time") ?? "an unknown time")\n"
  }

  /// The result as JSON. Its members are those of a host's own audit log.
  package var json: JSON {
    .object([
      ("valid", .bool(problem == nil)),
      ("entries", .number(Int64(reading.last?.number ?? 0))),
      ("checkpoint", JSON(reading.last.map { AuditLogProblem.text($0) })),
      ("lastTime", JSON(reading.lastEntry?.text("time"))),
      (
        "fault",
        JSON(
          reading.broken != nil
            ? "broken" : missingCheckpoint != nil ? "checkpoint-missing" : nil)
      ),
      ("line", reading.broken.map { .number(Int64($0)) } ?? .null),
      ("message", JSON(problem?.sentence)),
      ("tornLines", .number(0)),
      ("bytesLeft", .number(0)),
      ("recordsWithoutEntry", .number(Int64(unlistedUsers.count))),
      ("records", .array(findings.map(\.json))),
    ])
  }
}
