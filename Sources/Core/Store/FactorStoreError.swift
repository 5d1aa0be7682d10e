import MFAModel
import MFABase

/// The reason why the store cannot answer. Every case denies a sign-in.
package enum FactorStoreError: Error, Equatable, Sendable {
  /// A part of the store.
  package enum Part: UInt8, Sendable {
    case directory, factors, attempts, record, key, ledger, ledgerHead, ledgerIndex, clock, sends
    case identity, uids

    /// The name of the part in log lines and messages.
    package var name: StaticString {
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
      case .sends: "sends"
      case .identity: "identity"
      case .uids: "uids"
      }
    }
  }

  /// A system call failed.
  case system(Part, SystemError)
  /// The owner, mode, type or size of a file or directory is not as required.
  case untrusted(Part, TrustFailure)
  /// The part was modified, truncated, or never had a valid format.
  case damaged(Part)
  /// The record was written by a different version of this program.
  case otherVersion(UInt16)
  /// The record was sealed under a different key from the one in /etc/mfa.
  case otherKey
  /// The record names a different user or a different uid.
  case belongsToAnother
  /// The part is older than the audit log or the rest of the data requires: an earlier copy was
  /// restored.
  case rolledBack(Part)
  /// Another process held the user's lock for too long.
  case busy
  /// libcrypto failed.
  case cryptography
  /// The user's name is too long for a file name.
  case nameTooLong
  /// The database of a shared store did not answer, or did not commit.
  case engine(EngineError)
  /// The store is not the host's own.
  case foreign(ForeignStore)
  /// The user's uid has a record with factors under this name, which no account has now.
  case renamed(from: UserName)

  /// Whether the error concerns the audit log, or the identity that is written with each entry.
  package var concernsAuditLog: Bool {
    switch self {
    case .system(let part, _), .untrusted(let part, _), .damaged(let part), .rolledBack(let part):
      part == .ledger || part == .ledgerHead || part == .ledgerIndex || part == .identity
    case .otherVersion, .otherKey, .belongsToAnother, .busy, .cryptography, .nameTooLong, .engine,
      .foreign, .renamed:
      false
    }
  }

  /// The part concerned and the reason in one word, for log lines.
  package var names: (part: StaticString, reason: StaticString) {
    switch self {
    case .system(let part, let error): (part.name, Self.reason(error))
    case .untrusted(let part, let distrust): (part.name, distrust.name)
    case .damaged(let part): (part.name, "damaged")
    case .otherVersion: (Part.record.name, "other-version")
    case .otherKey: (Part.record.name, "sealed-under-another-key")
    case .belongsToAnother: (Part.record.name, "belongs-to-another")
    case .rolledBack(let part): (part.name, "rolled-back")
    case .busy: (Part.attempts.name, "busy")
    case .cryptography: (Part.key.name, "cryptography")
    case .nameTooLong: (Part.record.name, "name-too-long")
    case .engine(let error): ("database", error.name)
    case .foreign: (Part.directory.name, "store-foreign")
    case .renamed: (Part.record.name, "renamed-user")
    }
  }

  private static func reason(_ error: SystemError) -> StaticString {
    if error.isBusy { return "busy" }
    if error.isReadOnly { return "read-only" }
    return error.hasNoSpace ? "no-space" : "system"
  }
}
