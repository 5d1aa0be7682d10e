import MFABase
import MFAModel
import MFAStore

/// The reason why a user's record cannot be used.
package enum RecordProblem: Equatable, Sendable {
  /// The system has no account with the name.
  case noSuchAccount
  /// The account's UID has changed since its factors were enrolled, or the record was moved here
  /// from another user.
  case belongsToAnother
  /// The store never uses the file's name.
  case strayFile
  /// The account lookup failed.
  case account(SystemError)
  /// The verifier of the realm refuses the record; the value is the part, a colon and the reason.
  case realm(String)
  /// The store refuses the record.
  case store(FactorStoreError)

  /// Creates the reason for an error of the store.
  package init(_ error: FactorStoreError) {
    self = error == .belongsToAnother ? .belongsToAnother : .store(error)
  }

  /// A word for programs, stable across versions.
  package var code: String {
    switch self {
    case .noSuchAccount: "no-such-account"
    case .belongsToAnother: "belongs-to-another"
    case .strayFile: "stray-file"
    case .account: "account-unknown"
    case .realm(let words): String(words.split(separator: " ").last ?? "")
    case .store(let error): "\(error.names.reason)"
    }
  }

  /// The part of the store concerned, for programs.
  package var part: String {
    switch self {
    case .noSuchAccount, .account: "account"
    case .belongsToAnother, .strayFile: "record"
    case .realm(let words): String(words.split(separator: ":").first ?? "")
    case .store(let error): "\(error.names.part)"
    }
  }

  /// The reason as JSON. Member names are stable across versions.
  package var json: JSON {
    .object([
      ("part", .string(part)), ("reason", .string(code)), ("message", .string(sentence)),
    ])
  }

  /// The reason in a few words, for a table.
  var summary: String {
    switch self {
    case .noSuchAccount: "no such account"
    case .belongsToAnother: "belongs to another account"
    case .strayFile: "stray file"
    case .account(let error): "account unknown: \(error.text)"
    case .realm(let words): "damaged: \(words)"
    case .store(.busy): "busy"
    case .store(.system(let part, let error)): "damaged: \(part.name): \(error.text)"
    case .store(let error): "damaged: \(error.names.part): \(error.names.reason)"
    }
  }

  /// The reason as a clause, to follow a colon.
  package var sentence: String {
    switch self {
    case .noSuchAccount: "the account no longer exists"
    case .belongsToAnother: "it was enrolled with a different UID, or by another user"
    case .strayFile: "the file does not belong to the store"
    case .account(let error): "the account lookup failed: \(error.text)"
    case .realm(let words): "the verifier refuses it: \(words)"
    case .store(let error): Self.sentence(error)
    }
  }

  private static func sentence(_ error: FactorStoreError) -> String {
    switch error {
    case .system(_, .cryptography): "libcrypto failed"
    case .system(let part, let error):
      "\(describe(part))\(error.distrust == nil ? ": " : " is not trusted: ")\(error.text)"
    case .damaged(let part): "\(describe(part)) is damaged"
    case .otherVersion(let version):
      "its record has version \(version), which this release does not support"
    case .otherKey:
      "its record is sealed under a different key from the one in \(InstalledPath.key)"
    case .belongsToAnother: "it belongs to another account"
    case .rolledBack(let part):
      "\(describe(part)) is older than the audit log says: an earlier copy was restored"
    case .busy: "another process has held the user's lock for ten seconds"
    case .nameTooLong: "the name is too long"
    case .engine(let error): "the realm's database: \(error.sentence)"
    case .foreign(let difference): difference.sentence
    case .renamed(let name):
      "its user ID has factors under the name \(VisibleText(name)), which no account has now"
    }
  }

  private static func describe(_ part: FactorStoreError.Part) -> String {
    switch part {
    case .directory: "\(InstalledPath.store)"
    case .factors: StoreFile.factors.path
    case .attempts: "its file in \(StoreFile.attempts.path)"
    case .record: "its file in \(StoreFile.factors.path)"
    case .key: "\(InstalledPath.key)"
    case .auditLog: StoreFile.auditLog.path
    case .auditLogHead: StoreFile.auditLogHead.path
    case .auditLogIndex: StoreFile.auditLogIndex.path
    case .clock: "the clock"
    case .sends: "\(StoreFile.phone.path)/sends"
    case .uids: StoreFile.uids.path
    case .identity: "\(InstalledPath.storeIdentity)/\(StoreIdentity.fileName)"
    }
  }

  /// Returns the hint for a file of the audit log that is not trusted. If only the owner or the
  /// mode is wrong, the content may be intact, which the hash chain can verify.
  private static func hint(distrustedAuditLog distrust: TrustFailure) -> String {
    switch distrust {
    case .wrongOwner, .wrongPermissions:
      "mfa-admin repair && mfa-admin audit-log verify"
    case .symbolicLink, .notARegularFile, .notADirectory, .severalNames, .empty, .tooLarge,
      .wrongSize:
      "restore it from a backup as a regular file, or start a new audit log: mfa-admin(8), AUDIT LOG"
    }
  }

  private static func hint(
    for error: SystemError, of part: FactorStoreError.Part
  ) -> String? {
    let place = part == .key ? "\(InstalledPath.configurationFolder)" : "\(InstalledPath.store)"
    return hint(for: error, at: place)
  }

  /// Returns what an administrator can do about a file system on which a file or folder cannot be
  /// read or written, or nil for any other error.
  static func hint(for error: SystemError, at path: String) -> String? {
    let place = VisibleText.escaping(path)
    if error.isReadOnly {
      return
        "the file system is mounted read-only; check dmesg for the cause, then: mount -o "
        + "remount,rw \"$(findmnt -no TARGET --target \(place))\""
    }
    if error.isOverQuota { return "raise the disk quota of the user mfa: edquota -u mfa" }
    if error.hasNoSpace {
      return
        "free some space, for example with journalctl --vacuum-size=100M; df \(place) and "
        + "df --inodes \(place) show what is left"
    }
    guard error.isInputOutput else { return nil }
    return "the disk reports errors: check dmesg, and restore a backup to a new disk if necessary"
  }

  /// Returns what to do about the record of another user ID.
  private func moved(_ name: String, _ anew: String) -> String {
    "if it is the same user with another user ID: mfa-admin rename-user \(name) \(name); if not: \(anew)"
  }

  /// Returns what an administrator can do. `user` is nil if the problem concerns all users.
  package func hint(for user: UserName?) -> String {
    let name = user.map { "\(VisibleText($0))" } ?? "USER"
    let anew = "mfa-admin revoke \(name) --all removes it; then the user can enrol again"
    switch self {
    case .noSuchAccount:
      return
        "mfa-admin revoke \(name) --all removes what is left of it; prune does so for all accounts"
    case .belongsToAnother: return moved(name, anew)
    case .strayFile:
      return "check \(StoreFile.factors.path), and remove the file if it is not needed"
    case .account:
      return "try again when the directory service responds; check with getent passwd"
    case .realm: return anew
    case .store(let error):
      switch error {
      case .system(let part, let cause) where Self.hint(for: cause, of: part) != nil:
        return Self.hint(for: cause, of: part) ?? ""
      case .system(.auditLog, let cause), .system(.auditLogHead, let cause),
        .system(.auditLogIndex, let cause):
        if let distrust = cause.distrust {
          return Self.hint(distrustedAuditLog: distrust)
        }
        return
          "changes are refused while the audit log cannot be written; check: "
          + "ls -l \(InstalledPath.store)"
      case .rolledBack(.auditLog), .rolledBack(.auditLogHead), .damaged(.auditLog),
        .damaged(.auditLogHead), .damaged(.auditLogIndex):
        return "mfa-admin audit-log verify shows what is wrong; sign-ins of enrolled users are "
          + "denied until mfa-admin audit-log begin starts a new audit log"
      case .rolledBack:
        return "mfa-admin audit-log show --user \(name) shows what was undone; \(anew); "
          + "if you restored the file: mfa-admin unlock \(name) --accept-restored"
      case .system(.sends, _), .damaged(.sends):
        let path = Self.describe(.sends)
        return
          "no code is sent to phones; \(StoreFile.phone.path) must belong to mfa with mode 2700, and "
          + "\(path) with mode 0600; if that is right: rm \(path), which also removes the "
          + "counts of the last 24 hours"
      case .system(.identity, _):
        let folder = "\(InstalledPath.storeIdentity)"
        return
          "no change can be recorded; \(folder) must belong to mfa with mode 0700, \(Self.describe(.identity)) "
          + "with mode 0600, and both must be writable"
      case .foreign(let difference): return difference.hint
      case .renamed(let earlier):
        let old = VisibleText(earlier)
        return "if it is the same user: mfa-admin rename-user \(old) \(name); if not: mfa-admin "
          + "revoke \(old) --all"
      case .system(.clock, _): return "set the clock: timedatectl"
      case .system(.attempts, _), .system(.record, _), .damaged:
        return anew
      case .system(.directory, _), .system(.factors, _), .system(.uids, _):
        return
          "\(InstalledPath.store) and all files in it must belong to mfa, "
          + "directories with mode 0700"
      case .system(_, .cryptography):
        return "check that OpenSSL works: openssl dgst -sha256 /dev/null"
      case .system(.key, _), .otherKey:
        return "restore \(InstalledPath.key) from a backup: 32 bytes, owner mfa, mode 0400"
      case .otherVersion:
        return "install the release that wrote it, or start over: \(anew)"
      case .belongsToAnother: return moved(name, anew)
      case .busy: return "try again; fuser -v \(StoreFile.attempts.path)/* shows the process"
      case .nameTooLong: return "an account with such a long name cannot have factors"
      case .engine(.notPrimary):
        return "check which server of the database is the primary, and that the realm was set up"
      case .engine(.clock):
        return "set the clocks of the verifiers and of the database servers: timedatectl"
      case .engine: return "try again; check that the database's primary and a standby run"
      }
    }
  }
}

extension EngineError {
  /// What happened, for a message.
  fileprivate var sentence: String {
    switch self {
    case .conflict: "the data changed at the same time, several times in a row"
    case .budgetUsedUp: "this host has caused too many failed attempts in this hour"
    case .abandoned: "the change was given up"
    case .unreachable: "there is no connection"
    case .deadline: "no answer arrived in time"
    case .notPrimary: "the server is not the primary, or has no realm"
    case .notice: "the server sent a warning, so the change is not certain"
    case .refused: "the server refused the request"
    case .clock: "the clock of this machine is more than a minute ahead of the database's"
    }
  }
}
