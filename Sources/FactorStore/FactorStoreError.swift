public import System

/// Why the store cannot answer. Every case is a denial at a sign-in.
public enum FactorStoreError: Error, Equatable, Sendable {
  /// A part of the store.
  public enum Part: UInt8, Sendable {
    case directory, factors, attempts, record, key, ledger, ledgerHead, ledgerIndex, clock

    /// The part as log lines and messages name it.
    public var name: StaticString {
      switch self {
      case .directory: "store"
      case .factors: "factors-directory"
      case .attempts: "attempts"
      case .record: "record"
      case .key: "key"
      case .ledger: "ledger"
      case .ledgerHead: "ledger-head"
      case .ledgerIndex: "ledger-index"
      case .clock: "clock"
      }
    }
  }

  /// A system call failed.
  case system(Part, SystemError)
  /// What was opened is not what it must be.
  case untrusted(Part, Distrust)
  /// It was changed, cut short, or never was what it should be.
  case damaged(Part)
  /// It was written by another version of this program.
  case otherVersion(UInt16)
  /// It was sealed under another key than the one in /etc/mfa.
  case otherKey
  /// It names another user or another numeric identity.
  case belongsToAnother
  /// The part is older than what goes with it: an earlier copy of it was put back.
  case rolledBack(Part)
  /// Somebody held the user's lock for too long.
  case busy
  /// libcrypto failed.
  case cryptography
  /// The user's name is too long for a file name.
  case nameTooLong

  /// Whether the audit log is what cannot be read or written.
  public var concernsAuditLog: Bool {
    switch self {
    case .system(let part, _), .untrusted(let part, _), .damaged(let part), .rolledBack(let part):
      part == .ledger || part == .ledgerHead || part == .ledgerIndex
    case .otherVersion, .otherKey, .belongsToAnother, .busy, .cryptography, .nameTooLong: false
    }
  }

  /// The part in question, and the reason in one word, for log lines.
  public var names: (part: StaticString, reason: StaticString) {
    switch self {
    case .system(let part, let error): (part.name, error.isBusy ? "busy" : "system")
    case .untrusted(let part, let distrust): (part.name, distrust.name)
    case .damaged(let part): (part.name, "damaged")
    case .otherVersion: (Part.record.name, "other-version")
    case .otherKey: (Part.record.name, "sealed-under-another-key")
    case .belongsToAnother: (Part.record.name, "belongs-to-another")
    case .rolledBack(let part): (part.name, "rolled-back")
    case .busy: (Part.attempts.name, "busy")
    case .cryptography: (Part.key.name, "cryptography")
    case .nameTooLong: (Part.record.name, "name-too-long")
    }
  }
}
