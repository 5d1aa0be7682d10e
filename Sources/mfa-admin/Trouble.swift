import FactorStore
import Factors
import System

/// Why what is stored for a user cannot be used.
enum Trouble: Equatable, Sendable {
  /// The system knows no account of the name.
  case noSuchAccount
  /// The account has another numeric identity than it had when its factors were enrolled, or the
  /// record was moved here from another user.
  case belongsToAnother
  /// The file's name is none that the store would give.
  case strayFile
  /// The system could not tell about the account.
  case account(SystemError)
  /// The store refuses what it found.
  case store(FactorStoreError)

  /// What the store found, and what the system said of the account.
  init(_ error: FactorStoreError) {
    switch error {
    case .belongsToAnother: self = .belongsToAnother
    case .system, .untrusted, .damaged, .otherVersion, .otherKey, .rolledBack, .busy,
      .cryptography, .nameTooLong:
      self = .store(error)
    }
  }

  /// A word that stays the same from version to version, for programs.
  var code: String {
    switch self {
    case .noSuchAccount: "no-such-account"
    case .belongsToAnother: "belongs-to-another"
    case .strayFile: "stray-file"
    case .account: "account-unknown"
    case .store(let error): "\(error.names.reason)"
    }
  }

  /// The part of the store that is meant, for programs.
  var part: String {
    switch self {
    case .noSuchAccount, .account: "account"
    case .belongsToAnother, .strayFile: "record"
    case .store(let error): "\(error.names.part)"
    }
  }

  /// The reason in a few words, for a table.
  var summary: String {
    switch self {
    case .noSuchAccount: "no such account"
    case .belongsToAnother: "belongs to another account"
    case .strayFile: "stray file"
    case .account(let error): "account unknown: \(error.text)"
    case .store(.busy): "busy"
    case .store(.system(let part, let error)): "damaged: \(part.name): \(error.text)"
    case .store(let error): "damaged: \(error.names.part): \(error.names.reason)"
    }
  }

  /// The reason, as the rest of a sentence.
  var sentence: String {
    switch self {
    case .noSuchAccount: "the account no longer exists"
    case .belongsToAnother: "it was enrolled under another numeric identity, or by another user"
    case .strayFile: "the file is none of the store's"
    case .account(let error): "the system could not tell about the account: \(error.text)"
    case .store(let error): Self.sentence(error)
    }
  }

  private static func sentence(_ error: FactorStoreError) -> String {
    switch error {
    case .system(let part, let error): "\(describe(part)): \(error.text)"
    case .untrusted(let part, let distrust): "\(describe(part)) is not trusted: \(distrust.name)"
    case .damaged(let part): "\(describe(part)) is damaged"
    case .otherVersion(let version): "its record has version \(version), which is unknown here"
    case .otherKey: "its record is sealed under another key than the one in /etc/mfa/key"
    case .belongsToAnother: "it belongs to another account"
    case .rolledBack(let part):
      "\(describe(part)) is older than the audit log says: an earlier copy was put back"
    case .busy: "somebody has held the user's lock for ten seconds"
    case .cryptography: "libcrypto failed"
    case .nameTooLong: "the name is too long"
    }
  }

  private static func describe(_ part: FactorStoreError.Part) -> String {
    switch part {
    case .directory: "/var/lib/mfa"
    case .factors: "/var/lib/mfa/factors"
    case .attempts: "its file in /var/lib/mfa/attempts"
    case .record: "its file in /var/lib/mfa/factors"
    case .key: "/etc/mfa/key"
    case .ledger: "/var/lib/mfa/ledger"
    case .ledgerHead: "/var/lib/mfa/ledger.head"
    case .ledgerIndex: "/var/lib/mfa/ledger.index"
    case .clock: "the clock"
    }
  }

  /// The file of the ledger that is meant.
  private static func ledger(_ error: FactorStoreError) -> String {
    if case .untrusted(let part, _) = error { return describe(part) }
    return describe(.ledger)
  }

  /// Where only an owner or a mode is wrong, what is in it may be as it was: it is chained.
  private static func hint(distrustedLedger distrust: Distrust, _ path: String) -> String {
    switch distrust {
    case .wrongOwner, .wrongPermissions:
      "chown mfa:mfa \(path) && chmod 0600 \(path), then mfa-admin ledger verify"
    case .symbolicLink, .notARegularFile, .notADirectory, .severalNames, .empty, .tooLarge,
      .wrongSize:
      "put it back from a backup, as a file; mfa-admin(8), LEDGER, says how to begin anew"
    }
  }

  /// What an administrator may do about it; `user` is nil where it is about everybody.
  func hint(for user: UserName?) -> String {
    let name = user.map { "\(VisibleText($0))" } ?? "USER"
    let anew = "mfa-admin revoke \(name) --all removes it; then the user can enroll anew"
    switch self {
    case .noSuchAccount: return "mfa-admin revoke \(name) --all removes what is left of it"
    case .belongsToAnother: return anew
    case .strayFile: return "look at /var/lib/mfa/factors, and remove the file if nobody needs it"
    case .account:
      return "try again when the directory service answers; getent passwd shows what it says"
    case .store(let error):
      switch error {
      case .system(.ledger, _), .system(.ledgerHead, _), .system(.ledgerIndex, _):
        return "nothing is changed that cannot be entered in the ledger: df /var/lib/mfa"
      case .untrusted(.ledger, let distrust), .untrusted(.ledgerHead, let distrust),
        .untrusted(.ledgerIndex, let distrust):
        return Self.hint(distrustedLedger: distrust, Self.ledger(error))
      case .rolledBack(.ledger), .rolledBack(.ledgerHead), .damaged(.ledger),
        .damaged(.ledgerHead), .damaged(.ledgerIndex):
        return "mfa-admin ledger verify shows what is wrong; sign-ins of enrolled users are "
          + "denied until mfa-admin ledger begin has begun another ledger"
      case .rolledBack:
        return "mfa-admin ledger show --user \(name) shows what was undone; \(anew); "
          + "if you restored the file: mfa-admin unlock \(name) --accept-restored"
      case .system(.clock, _), .untrusted(.clock, _): return "set the clock: timedatectl"
      case .system(.attempts, _), .system(.record, _), .untrusted(.attempts, _),
        .untrusted(.record, _), .damaged:
        return anew
      case .system(.directory, _), .system(.factors, _), .untrusted(.directory, _),
        .untrusted(.factors, _):
        return "/var/lib/mfa and what is in it must belong to mfa, directories with mode 0700"
      case .system(.key, _), .untrusted(.key, _), .otherKey:
        return "restore /etc/mfa/key from a backup: 32 bytes, owner mfa, mode 0400"
      case .otherVersion:
        return "install the version that wrote it; or else, \(anew)"
      case .belongsToAnother: return anew
      case .busy: return "try again; fuser -v /var/lib/mfa/attempts/* shows who holds it"
      case .cryptography: return "see whether OpenSSL works: openssl dgst -sha256 /dev/null"
      case .nameTooLong: return "no account with so long a name can have factors"
      }
    }
  }
}
