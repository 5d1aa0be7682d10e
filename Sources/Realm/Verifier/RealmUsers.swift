import MFAStore
import MFABase
import MFAModel
import MFARealmStore

/// What an administrator of a realm does with users.
///
/// MUST 1: a change is reported only after it was committed, with its entry in the audit log.
/// (`RealmUsersTests.changesAreEntered`, `.rename`)
/// MUST 2: unlocking and revoking end remembered sign-ins. What a revocation removes is never accepted again, even if the
/// user enrols later. (`RealmUsersTests.unlockForgets`, `.revoke`, `.revokeRest`)
struct RealmUsers<Engine: StoreEngine> {
  let store: SharedFactorStore<Engine>
  let actor: AuditLogEvent.Actor
  let now: Int64

  /// Uses a store for changes by `actor` at `now`, in seconds since the epoch.
  init(_ store: SharedFactorStore<Engine>, by actor: AuditLogEvent.Actor, at now: Int64) {
    self.store = store
    self.actor = actor
    self.now = now
  }

  /// Uses a store for changes by `actor` at the present time.
  init(
    _ store: SharedFactorStore<Engine>, by actor: AuditLogEvent.Actor
  ) throws(FactorStoreError) {
    self.init(store, by: actor, at: try store.now())
  }

  static func account(_ name: [UInt8]) -> Account { Account(name: name, uid: 0) }

  /// Returns the names of all users who have enrolled, in order.
  func names() throws(FactorStoreError) -> [[UInt8]] {
    var names: [[UInt8]] = []
    var last: [UInt8] = []
    while true {
      let next = try store.userIDs(after: last, most: 1000)
      guard let end = next.last else { return names }
      for name in next where try store.snapshot(of: Self.account(name)) != nil {
        names.append(name)
      }
      last = end
    }
  }

  /// Returns what the realm has about a user, or nil if the user has not enrolled.
  func user(_ name: [UInt8]) throws(FactorStoreError) -> FactorSnapshot? {
    try store.snapshot(of: Self.account(name))
  }

  /// Returns the id of the user's entry in the directory service, or nil if none is known.
  func directoryEntry(of name: [UInt8]) throws(FactorStoreError) -> [UInt8]? {
    try DirectoryRegistry(store).entry(of: name)
  }

  /// Returns whether an entry of the directory service is kept for a user who may have no factor any more.
  func hasReservedEntry(_ name: [UInt8]) throws(FactorStoreError) -> Bool {
    try DirectoryRegistry(store).isReserved(for: name)
  }

  /// Clears the failed attempts and remembered sign-ins of a user. Returns the number of failed attempts, or
  /// nil if the realm has nothing about the user.
  func unlock(_ name: [UInt8]) throws(FactorStoreError) -> UInt32? {
    try unlocking(name)?.before.attempts.failures
  }

  /// Removes all factors, recovery codes and grants of a user. Returns the factors, or nil if the user has
  /// none of these.
  func revoke(_ name: [UInt8]) throws(FactorStoreError) -> [Factor]? {
    try revokingEverything(name)?.before.record.factors
  }
}
