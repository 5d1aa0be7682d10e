import MFABase
import MFACrypto
import MFAModel
import MFAStore

// Program passwords. A password of 100 random bits cannot be guessed, so an attempt is neither counted nor
// limited (NIST SP 800-63B-4, section 3.1.2), and wrong codes from elsewhere do not stop a user's programs.
extension Attempt {
  /// Why a program password is refused.
  package enum ProgramPasswordRefusal: Sendable {
    /// Policy accepts no program password in the service.
    case notAccepted
    /// The user has no such password.
    case unknown
    /// Its time is over.
    case ended
    /// It is for other services.
    case otherService
    /// It is for other networks, or the address is not known.
    case otherNetwork
  }

  /// Returns the user's program password that was typed, whether it is still valid or not, or nil. All of them are
  /// compared. A user without one takes as long.
  package static func programPassword<Store: FactorStore>(
    _ password: borrowing ProgramPassword, of account: Account?, in store: Store
  ) throws(FactorStoreError) -> Grant? {
    try store.deciding { () throws(FactorStoreError) in
      if let account, let entry = try store.existingEntry(of: account), let record = entry.kept {
        return try grant(of: password, record, entry)
      }
      let decoy = try store.decoy(like: nil)
      if let record = decoy.kept { _ = try grant(of: password, record, decoy) }
      return nil
    }
  }

  private static func grant<Entry: FactorStoreEntry>(
    of password: borrowing ProgramPassword, _ record: FactorRecord, _ entry: Entry
  ) throws(FactorStoreError) -> Grant? {
    let typed = try digest(of: password, in: record, by: entry)
    let found = grant(.programPassword, with: typed, of: record)
    return record.isEnrolled ? found : nil
  }

  private static func digest<Entry: FactorStoreEntry>(
    of password: borrowing ProgramPassword, in record: FactorRecord, by entry: Entry
  ) throws(FactorStoreError) -> RecoveryCodeDigest {
    try entry.digest(of: password.characters.span, kind: .programPassword, in: record)
  }

  /// A new program password, which is stored nowhere, with its grant.
  package struct NewProgramPassword: ~Copyable {
    /// The grant to store.
    package let grant: Grant
    /// The password.
    package let password: ProgramPassword
  }

  /// Makes a program password for `record`, valid until `expiresAt`. Times are in seconds since the epoch.
  package static func newProgramPassword<Entry: FactorStoreEntry>(
    named name: Grant.Reason, _ scope: ProgramScope, of record: FactorRecord, _ entry: Entry,
    madeAt: Int64, expiresAt: Int64
  ) throws(FactorStoreError) -> NewProgramPassword {
    let bytes = try cryptographic { () throws(SystemError) in
      try SecretBytes.random(count: ProgramPassword.randomLength)
    }
    guard let password = ProgramPassword(random: bytes) else { throw .cryptography }
    let digest = try digest(of: password, in: record, by: entry)
    guard
      let grant = Grant(
        kind: .programPassword, id: try randomGrantID(), madeAt: madeAt, expiresAt: expiresAt,
        usesLeft: 1, reason: name, scope: scope, digest: digest.bytes)
    else { throw .cryptography }
    return NewProgramPassword(grant: grant, password: password)
  }
}
