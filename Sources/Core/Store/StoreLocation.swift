import MFABase
import MFAModel

/// The location of the local store and of its key.
package struct StoreLocation: Sendable {
  /// The store's directory, of mode 0700. Its owner owns everything in it.
  package let directory: TrustedPath

  /// The file with the sealing key.
  package let key: TrustedPath

  /// The folder with the identity of the host's own store; nil for a store that is not compared with
  /// one, such as a store of a test.
  package let identity: TrustedPath?

  /// Creates a location.
  package init(directory: TrustedPath, key: TrustedPath, identity: TrustedPath? = nil) {
    self.directory = directory
    self.key = key
    self.identity = identity
  }

  /// The default location: /var/lib/mfa, /etc/mfa/key and /etc/mfa/identity. Never nil, because all
  /// paths are well-formed.
  package static var standard: StoreLocation? {
    guard let directory = TrustedPath(InstalledPath.store),
      let key = TrustedPath(InstalledPath.key),
      let identity = TrustedPath(InstalledPath.storeIdentity)
    else { return nil }
    return StoreLocation(directory: directory, key: key, identity: identity)
  }

  /// Returns the location of this host's own store.
  ///
  /// - Throws: `.engine(.unreachable)` on a host that belongs to a realm. In its own store no user
  ///   has enrolled, so deciding from it would let users in without a code whenever the relay does not run.
  package static func ofThisHost() throws(FactorStoreError) -> StoreLocation {
    guard !Directory.mayExist(InstalledPath.realm.bytes) else { throw .engine(.unreachable) }
    guard let location = standard else { throw .damaged(.directory) }
    return location
  }
}

/// A directory of the store, opened and checked once for all its readers and writers.
///
/// MUST 1: the directory has mode 0700 or 02700 and belongs to the store's owner.
/// (`LocalFactorStoreTests`)
package final class StoreDirectory {
  /// The open directory.
  package let opened: Directory

  /// Opens `name` in the store's directory.
  ///
  /// Throws before the object exists: see `LocalFactorStoreEntry`.
  package convenience init(
    _ name: StaticString, in store: borrowing Directory, owner: UInt32,
    _ part: FactorStoreError.Part
  ) throws(FactorStoreError) {
    guard let fileName = FileName(name) else { throw .nameTooLong }
    let directory = try onPart(part) { () throws(SystemError) in try store.directory(fileName) }
    guard try Self.owner(of: directory, part) == owner else { throw .untrusted(part, .wrongOwner) }
    self.init(judged: directory)
  }

  /// Creates a value from a directory that has been opened and checked.
  package init(judged directory: consuming Directory) { opened = directory }

  /// Returns the owner of a directory that only its owner may enter.
  package static func owner(
    of directory: borrowing Directory, _ part: FactorStoreError.Part
  ) throws(FactorStoreError) -> UInt32 {
    let status: FileStatus
    do throws(SystemError) { status = try directory.status() } catch { throw .system(part, error) }
    // Mode bit 02000 gives new files the directory's group, whichever user started the helper.
    guard status.permissions & ~0o2000 == 0o700 else { throw .untrusted(part, .wrongPermissions) }
    return status.owner
  }
}

/// A user's record and attempt state as read from the disk, before they are checked against the
/// audit log.
///
/// This is a class because each copy of a large value adds code to the module.
final class StoredPair {
  /// The record, or nil if the user has no record.
  let record: FactorRecord?
  /// The slots of the attempts file, or nil if its file is missing or belongs to an earlier account.
  let slots: AttemptSlots?
  /// The `RecordBinding.Identity.checksum` of the record; 0 if there is no record.
  let identity: UInt64

  /// Opens the record and the attempt state. Nil stands for a missing file.
  // Throws before the object exists: see `LocalFactorStoreEntry`.
  convenience init(
    _ sealed: SealedRecord?, _ attempts: [UInt8]?, _ account: Account, _ key: inout SealingKey
  ) throws(FactorStoreError) {
    let record = try sealed.flatMap { sealed throws(FactorStoreError) in
      try sealed.open(&key, account: account)
    }
    var slots: AttemptSlots?
    // If `open` returns nil, the record and the state belong to an earlier account with this name.
    if let attempts, sealed == nil || record != nil {
      slots = try AttemptSlots(bytes: attempts, &key)
    }
    self.init(record, slots, identity: record == nil ? 0 : sealed?.identity ?? 0)
  }

  /// Takes over a record and slots that were not read.
  init(_ record: FactorRecord?, _ slots: AttemptSlots?, identity: UInt64) {
    self.record = record
    self.slots = slots
    self.identity = identity
  }

  /// The attempt state, or nil if its file is missing or neither slot is valid.
  var state: AttemptState? { slots?.state }

  /// Whether the record and the attempt state belong together.
  var isWhole: Bool {
    guard let record else { return state?.allowsMissingRecord ?? true }
    return state?.goes(with: record.id, checksum: identity) ?? false
  }
}
