import MFAStore

extension Administration.LedgerVerification {
  /// The result as text for an administrator. A fault of the audit log itself is not included: the
  /// error reports it.
  package var text: String {
    var text = findings.map(\.line).joined()
    if let mark = reading.last, let last {
      let time = last.text("time") ?? "an unknown time"
      text += mark.number == 1 ? "1 entry is" : "\(mark.number) entries are"
      text += " valid; the last is \(AuditLogProblem.text(mark)), of \(time)\n"
    } else {
      text += "no entries\n"
    }
    if reading.torn > 0 {
      text +=
        reading.torn == 1
        ? "1 line was left by an interrupted process\n"
        : "\(reading.torn) lines were left by interrupted processes\n"
    }
    if reading.left > 0 {
      text += reading.left == 1 ? "1 byte at the end was" : "\(reading.left) bytes at the end were"
      text += " left by an interrupted process or another program; they contain no entry\n"
    }
    if recordsWithoutEntries > 0, allowsUnlistedRecords {
      text += "the audit log has no entries about "
      text += recordsWithoutEntries == 1 ? "1 record\n" : "\(recordsWithoutEntries) records\n"
    }
    return text
  }

  /// The result as JSON. Member names are stable across versions.
  package var json: JSON {
    let (word, line): (String?, Int?) =
      switch reading.fault {
      case nil: (missingCheckpoint == nil ? nil : "checkpoint-missing", nil)
      case .broken(let line): ("broken", line)
      case .cut: ("cut", nil)
      case .headMissing: ("head-missing", nil)
      case .badIndex: ("bad-index", nil)
      case .changedBeforeRekey: ("changed-before-rekey", nil)
      }
    return .object([
      ("valid", .bool(problem == nil)),
      ("entries", .number(Int64(reading.last?.number ?? 0))),
      ("checkpoint", JSON(reading.last.map { AuditLogProblem.text($0) })),
      ("lastTime", JSON(last?.text("time"))),
      ("fault", JSON(word)),
      ("line", line.map { .number(Int64($0)) } ?? .null),
      ("message", JSON(problem?.sentence)),
      ("tornLines", .number(Int64(reading.torn))),
      ("bytesLeft", .number(Int64(reading.left))),
      ("recordsWithoutEntry", .number(Int64(recordsWithoutEntries))),
      ("records", .array(findings.map(\.json))),
    ])
  }
}
