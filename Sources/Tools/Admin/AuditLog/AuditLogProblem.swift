import MFAStore
import MFABase
import MFAModel

/// A fault of the audit log, or a mismatch between the audit log and the stored records.
package enum AuditLogProblem: Equatable {
  /// The audit log itself is faulty. `last` is the last verified entry.
  case fault(AuditLogReading.Fault, last: LedgerEntry?)
  /// The audit log has no entries about these users' records: an earlier audit log was removed, or
  /// the records were added by other means.
  case recordsWithoutEntries([[UInt8]])
  /// The expected checkpoint is missing. `last` is the last checkpoint of the audit log.
  case missingCheckpoint(AuditLogCheckpoint, last: AuditLogCheckpoint?)
  /// The line with this number of the realm's audit log was changed, inserted, moved or removed. `last` is the
  /// last verified entry.
  case realm(line: UInt32, last: LedgerEntry?)
  /// Records that do not match the audit log.
  case records([LedgerFinding])

  /// What is wrong, and where, as a sentence.
  package var sentence: String {
    switch self {
    case .fault(let fault, let last):
      let good =
        if let last, let number = last.number {
          "the last valid entry is \(number), of \(last.text("time") ?? "an unknown time")"
        } else {
          "no entry before it is valid"
        }
      return switch fault {
      case .broken(let line):
        "\(StoreFile.ledger.path):\(line): a line was changed, inserted, moved or removed; \(good)"
      case .cut(1): "\(StoreFile.ledger.path): the last entry is missing; \(good)"
      case .cut(let missing):
        "\(StoreFile.ledger.path): the last \(missing) entries are missing; \(good)"
      case .headMissing: "\(StoreFile.ledgerHead.path) is missing or damaged; \(good)"
      case .badIndex:
        "\(StoreFile.ledgerIndex.path) is missing, damaged or older than the audit log; \(good)"
      case .changedBeforeRekey(let entries):
        "\(StoreFile.ledger.path): one of the first \(entries) entries, from before the key was "
          + "changed, was changed, inserted, moved or removed"
      }
    case .realm(let line, let last):
      return "line \(line) of the realm's audit log was changed, inserted, moved or removed; "
        + (last?.number.map { "the last valid entry is \($0)" } ?? "no entry before it is valid")
    case .recordsWithoutEntries(let users):
      let names = NameList.text(users.map { VisibleText.escaping($0) })
      return "the audit log has no entries about "
        + (users.count == 1 ? "the record" : "the records") + " of \(names): "
        + "an earlier audit log was removed, or a record was added by other means"
    case .missingCheckpoint(let mark, let last):
      let end = last.map { "it ends with \(Self.text($0))" } ?? "it is empty"
      return "the audit log does not contain the checkpoint \(Self.text(mark)); \(end)"
    case .records(let findings) where findings.count == 1:
      return "1 record does not match the audit log"
    case .records(let findings): return "\(findings.count) records do not match the audit log"
    }
  }

  /// What to do next.
  package var hint: String {
    switch self {
    case .recordsWithoutEntries:
      "find out who removed the earlier audit log; if you removed it, pass --begun-anew"
    case .realm:
      "compare with checkpoint= in the logs of the verifiers and the hosts, and with a backup"
    case .fault, .missingCheckpoint:
      "compare with checkpoint= on the log host; mfa-admin ledger begin starts a new audit log"
    case .records:
      "a process was killed between the entry and its change, or a file was restored or edited"
    }
  }

  package static func text(_ mark: AuditLogCheckpoint) -> String {
    String(decoding: mark.text, as: UTF8.self)
  }
}
