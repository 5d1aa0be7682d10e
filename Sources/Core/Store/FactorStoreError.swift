import MFABase
import MFACrypto
import MFAModel

/// The reason why the store cannot answer. Every case denies a sign-in.
package enum FactorStoreError: Error, Equatable, Sendable {
  /// A part of the store.
  package enum Part: UInt8, Sendable {
    case directory, factors, attempts, record, key, auditLog, auditLogHead, auditLogIndex, clock,
      sends
    case identity, uids

    /// The name of the part in log lines and messages.
    package var name: StaticString {
      switch self {
      case .directory: "store"
      case .factors: "factors-directory"
      case .attempts: "attempts"
      case .record: "record"
      case .key: "key"
      case .auditLog: "audit-log"
      case .auditLogHead: "audit-log-head"
      case .auditLogIndex: "audit-log-index"
      case .clock: "clock"
      case .sends: "sends"
      case .identity: "identity"
      case .uids: "uids"
      }
    }
  }

  /// A system call or a cryptographic operation failed, or the owner, mode, type or size of a file or
  /// directory is not as required.
  case system(Part, SystemError)
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
  /// The user's name is too long for a file name.
  case nameTooLong
  /// The database of a shared store did not answer, or did not commit.
  case engine(EngineError)
  /// The store is not the host's own.
  case foreign(ForeignStore)
  /// The user's uid has a record with factors under this name, which no account has now.
  case renamed(from: UserName)

  /// Returns the error for a file or directory that is not as required.
  package static func untrusted(_ part: Part, _ failure: TrustFailure) -> FactorStoreError {
    .system(part, .untrusted(failure))
  }

  /// The error for a failure of libcrypto.
  package static var cryptography: FactorStoreError { .system(.key, .cryptography) }

  /// Why a file or directory of the store is not trusted, or nil for any other error.
  package var distrust: TrustFailure? {
    if case .system(_, let error) = self { error.distrust } else { nil }
  }

  /// Whether the error concerns the audit log, or the identity that is written with each entry.
  package var concernsAuditLog: Bool {
    switch self {
    case .system(let part, _), .damaged(let part), .rolledBack(let part):
      part == .auditLog || part == .auditLogHead || part == .auditLogIndex || part == .identity
    case .otherVersion, .otherKey, .belongsToAnother, .busy, .nameTooLong, .engine, .foreign,
      .renamed:
      false
    }
  }

  /// The part concerned and the reason in one word, for log lines.
  package var names: (part: StaticString, reason: StaticString) {
    switch self {
    case .system(let part, let error): (part.name, Self.reason(error))
    case .damaged(let part): (part.name, "damaged")
    case .otherVersion: (Part.record.name, "other-version")
    case .otherKey: (Part.record.name, "sealed-under-another-key")
    case .belongsToAnother: (Part.record.name, "belongs-to-another")
    case .rolledBack(let part): (part.name, "rolled-back")
    case .busy: (Part.attempts.name, "busy")
    case .nameTooLong: (Part.record.name, "name-too-long")
    case .engine(let error): ("database", error.name)
    case .foreign: (Part.directory.name, "store-foreign")
    case .renamed: (Part.record.name, "renamed-user")
    }
  }

  private static func reason(_ error: SystemError) -> StaticString {
    if let distrust = error.distrust { return distrust.name }
    if error.obstacle == .cryptography { return "cryptography" }
    if error.isBusy { return "busy" }
    if error.isReadOnly { return "read-only" }
    return error.hasNoSpace ? "no-space" : "system"
  }
}

/// Why the database of a shared store cannot answer. Every case denies a sign-in.
package enum EngineError: UInt8, Error, Equatable, Sendable, CaseIterable {
  /// The row or the realm has changed since it was loaded. Nothing was committed.
  case conflict
  /// The host has used up its failures. Nothing was committed.
  case budgetUsedUp
  /// The caller gave up before the commit. Nothing was committed.
  case abandoned
  /// There is no connection to the database, or the connection was lost.
  case unreachable
  /// No answer arrived in time.
  case deadline
  /// The database is a standby, or has no realm.
  case notPrimary
  /// The database sent a warning or a notice, so that the commit is not certain.
  case notice
  /// The database refused the request, or answered something unexpected.
  case refused
  /// The clock of this machine is too far ahead of the database's. Nothing was committed.
  case clock

  /// The reason in one word, for log lines.
  package var name: StaticString {
    switch self {
    case .conflict: "conflict"
    case .budgetUsedUp: "host-budget"
    case .abandoned: "abandoned"
    case .unreachable: "unreachable"
    case .deadline: "deadline"
    case .notPrimary: "not-primary"
    case .notice: "notice"
    case .refused: "refused"
    case .clock: "clock"
    }
  }
}

/// Runs code that accesses a part of the store, and names that part in the error.
package func onPart<Result: ~Copyable>(
  _ part: FactorStoreError.Part, _ body: () throws(SystemError) -> Result
) throws(FactorStoreError) -> Result {
  do throws(SystemError) {
    return try body()
  } catch {
    throw .system(part, error.isNotADirectory ? .untrusted(.notADirectory) : error)
  }
}

/// Returns why a file of the store could not be opened. Root can open every file and then finds out
/// whose it is; a process of the store's owner cannot open a file of another user.
package func refusal(
  _ error: SystemError, of part: FactorStoreError.Part, _ name: FileName,
  in directory: borrowing Directory, owner: UInt32
) -> FactorStoreError {
  guard error.isForbidden else { return .system(part, error) }
  do throws(SystemError) {
    let status = try directory.status(of: name)
    return status.owner == owner ? .system(part, error) : .untrusted(part, .wrongOwner)
  } catch {
    return .system(part, error)
  }
}

/// Runs code that needs libcrypto.
package func cryptographic<Result: ~Copyable>(
  _ body: () throws(SystemError) -> Result
) throws(FactorStoreError) -> Result {
  try onPart(.key, body)
}

extension TrustedPath {
  /// Opens the directory that holds the last component, as a part of the store.
  package func parent(of part: FactorStoreError.Part) throws(FactorStoreError) -> Directory {
    do throws(SystemError) { return try parent() } catch { throw .system(part, error) }
  }

  /// Checks every directory except the last component, as `parent(of:)` does.
  package func checkParents(of part: FactorStoreError.Part) throws(FactorStoreError) {
    do throws(SystemError) { try checkParents() } catch { throw .system(part, error) }
  }
}

extension LogLine {
  /// Appends the part of the store that failed, and why: `part=record reason=damaged`, or
  /// `part=store reason=store-foreign difference=older`.
  @inline(never)
  package mutating func add(_ error: FactorStoreError) {
    let names = error.names
    add("part", names.part)
    add("reason", names.reason)
    if case .system(_, let error) = error { add(error) }
    if case .otherVersion(let version) = error { add("version", Int64(version)) }
    if case .renamed(let name) = error { add("name", escaping: name.bytes) }
    if case .foreign(let difference) = error { add("difference", difference.name) }
  }
}
