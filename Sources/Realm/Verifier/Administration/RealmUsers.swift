import MFAAttempt
import MFABase
import MFAModel
import MFARealmStore
import MFAStore

/// What an administrator of a realm does with users.
///
/// MUST 1: a change is reported only after it was committed, with its entry in the audit log.
/// (`RealmUsersTests.changesAreEntered`, `.rename`)
/// MUST 2: what a revocation removes is never accepted again, even if the user enrols later. (`RealmUsersTests.revoke`,
/// `.revokeRest`)
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

  static func account(_ name: [UInt8]) -> Account { Account(name: name, uid: 0) }

  /// Returns what the realm has about a user, even without a factor.
  func kept(_ name: [UInt8]) throws(FactorStoreError) -> FactorSnapshot? {
    try store.keptSnapshot(of: Self.account(name))
  }

  /// Makes a change of what the realm has about a user.
  func apply(
    _ change: UserChange, to name: [UInt8], _ settings: Settings
  ) throws(FactorStoreError) -> UserChange.Outcome {
    let hadEntry = try removeRest(for: change, of: name)
    let context = UserChange.Context(
      settings: settings, by: actor, from: Source(administrator: actor.name), at: now)
    let outcome = try store.deciding { () throws(FactorStoreError) -> UserChange.Outcome in
      let entry =
        change.createsRecord
        ? try store.entry(of: Self.account(name), creating: true)
        : try store.existingEntry(of: Self.account(name))
      guard let entry else { return .notFound }
      return try change.apply(to: entry, context)
    }
    guard hadEntry, case .notFound = outcome else { return outcome }
    let removal = UserChange.Removal(
      factors: [], factorsLeft: 0, grants: 0, remembered: 0, isOfEverything: true)
    return .made(.revoked(removal), .entered(nil))
  }

  /// Before a change that leaves no factor, removes what the realm keeps beside the record. Returns whether everything is
  /// to be revoked, and an entry of the directory service was kept for the user, who may have no factor any more.
  private func removeRest(
    for change: UserChange, of name: [UInt8]
  ) throws(FactorStoreError) -> Bool {
    switch change {
    case .unlock, .forget, .grant, .withdraw: return false
    case .revoke(let id):
      guard let record = try kept(name)?.record, record.factors.map(\.id) == [id] else {
        return false
      }
      try store.removeRest(of: name, releasing: true)
      return false
    case .revokeEverything:
      let hadEntry = try DirectoryRegistry(store).isReserved(for: name)
      try store.removeRest(of: name, releasing: true)
      return hadEntry
    }
  }

  /// The result of `rename`.
  enum Renaming: Equatable {
    case moved(AuditLogCheckpoint?)
    /// The realm has nothing about the user.
    case unknown
    /// The realm has factors or grants of another user with the new name.
    case taken
  }

  /// Moves a user's factors, codes and failed attempts to the user's new name, in one commit. Removes the offline
  /// recovery codes, of which hosts may still hold copies under the old name.
  func rename(_ name: [UInt8], to next: [UInt8]) throws(FactorStoreError) -> Renaming {
    let renaming = try store.deciding { () throws(FactorStoreError) -> Renaming in
      guard let entry = try store.existingEntry(of: Self.account(name)), entry.kept != nil else {
        return .unknown
      }
      let other = try store.entry(of: Self.account(next), creating: true)
      guard other.kept?.isEnrolled != true, other.kept?.grants.isEmpty != false else {
        return .taken
      }
      // Removed first: if a code were left, it would be accepted for whoever enrols next under the name.
      try OfflineRegistry(store).removeCodes(of: name)
      return .moved(try entry.move(to: other, by: actor, at: now))
    }
    guard case .moved = renaming else { return renaming }
    try DirectoryRegistry(store).move(from: name, to: next)
    try store.removeRest(of: name)
    return renaming
  }
}
