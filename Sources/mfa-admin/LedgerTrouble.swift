import FactorStore
import Factors

/// What is wrong with the ledger, or with what it says of the records.
enum LedgerTrouble: Equatable {
  /// The ledger itself; with the last entry that is proven.
  case fault(LedgerReading.Fault, last: LedgerEntry?)
  /// It knows nothing of these users' records: an earlier ledger, or entries of it, are not there.
  case unlisted([[UInt8]])
  /// The entry that was expected is not there; with the last one that is.
  case unexpected(LedgerMark, last: LedgerMark?)
  /// So many users' records are not what the ledger says.
  case records([LedgerFinding])

  /// What is wrong, and where.
  var sentence: String {
    switch self {
    case .fault(let fault, let last):
      let good =
        if let last, let number = last.number {
          "the last good entry is \(number), of \(last.text("time") ?? "an unknown time")"
        } else {
          "no entry before it is good"
        }
      return switch fault {
      case .broken(let line):
        "/var/lib/mfa/ledger:\(line): a line was changed, put in, moved or left out; \(good)"
      case .cut(1): "/var/lib/mfa/ledger: the last entry is gone; \(good)"
      case .cut(let missing): "/var/lib/mfa/ledger: the last \(missing) entries are gone; \(good)"
      case .headless: "/var/lib/mfa/ledger.head is gone or damaged; \(good)"
      case .badIndex: "/var/lib/mfa/ledger.index is gone, damaged or older than the ledger; \(good)"
      }
    case .unlisted(let users):
      let names = Chart.list(users.map { VisibleText.escaping($0) })
      return "the ledger knows nothing of "
        + (users.count == 1 ? "the record" : "the records") + " of \(names): "
        + "an earlier ledger was taken away, or what is there was put there"
    case .unexpected(let mark, let last):
      let end = last.map { "it ends with \(Self.text($0))" } ?? "it is empty"
      return "the ledger is not the one that had the entry \(Self.text(mark)); \(end)"
    case .records(let findings) where findings.count == 1:
      return "1 record is not what the ledger says"
    case .records(let findings): return "\(findings.count) records are not what the ledger says"
    }
  }

  /// What to do next.
  var hint: String {
    switch self {
    case .unlisted:
      "find out who took the earlier ledger away; where you did, and began a new one: --begun-anew"
    case .fault, .unexpected:
      "compare with the lines ledger= of the log host; mfa-admin ledger begin begins another ledger"
    case .records:
      "a process that was killed explains an entry that did not happen; a restored file the others"
    }
  }

  static func text(_ mark: LedgerMark) -> String { String(decoding: mark.text, as: UTF8.self) }
}

/// A record that is not what the ledger says.
struct LedgerFinding: Equatable {
  /// What was found.
  enum Kind: Equatable {
    /// The record is what it was after this entry; those of the user behind it did not happen, or were
    /// undone.
    case older(entry: UInt32)
    /// The ledger knows no such record.
    case unknown
    /// There is none, and the ledger knows of none being taken away.
    case gone
    /// It cannot be used.
    case unusable(Trouble)
  }

  /// Whose record.
  let user: [UInt8]
  /// What was found.
  let kind: Kind
  /// The user's last entry.
  let last: UInt32

  /// A line for a person.
  var line: String { "\(VisibleText.escaping(user)): \(sentence)\n" }

  private var sentence: String {
    switch kind {
    case .older(let entry):
      "the record is that of entry \(entry), and entry \(last) did not happen or was undone"
    case .unknown: "the record was changed after entry \(last), and no entry says so"
    case .gone: "the record is gone since entry \(last), and no entry says so"
    case .unusable(let trouble): "the record cannot be used: \(trouble.sentence)"
    }
  }

  /// The finding for programs.
  var json: JSON {
    let word =
      switch kind {
      case .older: "older"
      case .unknown: "unknown"
      case .gone: "gone"
      case .unusable: "unusable"
      }
    return .object([
      ("user", .string(String(decoding: user, as: UTF8.self))), ("finding", .string(word)),
      ("lastEntry", .number(Int64(last))), ("message", .string(sentence)),
    ])
  }
}
