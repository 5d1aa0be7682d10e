import MFAStore
import MFAModel

/// A record that does not match the audit log.
package struct LedgerFinding: Equatable {
  /// How the record differs from the audit log.
  package enum Kind: Equatable {
    /// The record matches this earlier entry: the changes of the user's later entries were not
    /// made, or were undone.
    case older(entry: UInt32)
    /// No entry matches the record.
    case unknown
    /// There is no record, and no entry about its removal.
    case gone
    /// The record cannot be used.
    case unusable(RecordProblem)
  }

  /// The name of the record's user.
  package let user: [UInt8]
  /// How the record differs from the audit log.
  package let kind: Kind
  /// The number of the last entry about the user.
  package let last: UInt32

  /// The finding as a line of text for an administrator.
  package var line: String { "\(VisibleText.escaping(user)): \(sentence)\n" }

  private var sentence: String {
    switch kind {
    case .older(let entry):
      "the record matches entry \(entry), but entry \(last) was not carried out or was undone"
    case .unknown: "the record was changed after entry \(last) without a new entry"
    case .gone: "the record was removed after entry \(last) without a new entry"
    case .unusable(let problem): "the record cannot be used: \(problem.sentence)"
    }
  }

  /// The finding as JSON.
  package var json: JSON {
    let word =
      switch kind {
      case .older: "older"
      case .unknown: "unknown"
      case .gone: "missing"
      case .unusable: "unusable"
      }
    return .object([
      ("user", .string(String(decoding: user, as: UTF8.self))), ("finding", .string(word)),
      ("lastEntry", .number(Int64(last))), ("message", .string(sentence)),
    ])
  }
}
