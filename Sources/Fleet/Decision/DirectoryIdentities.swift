import MFAFactorStore
import MFAFleetProtocol
import MFASharedStore
import MFAStoreFiles
import MFASystem

/// Finds out whose factors a user of a host has: the entry in the directory service decides, not the name.
///
/// MUST 1: if a name was given to another person, or if an account of one host has the name of another person's account
/// in the directory, the factors of the name are neither asked for nor shown. (`DirectoryIdentityTests.anotherPerson`)
/// MUST 2: only a host where the user may enrol determines which entry the factors belong to.
/// (`DirectoryIdentityTests.otherHost`)
/// MUST 3: factors go to another name only if their entry has it, after one of their codes was accepted at a host where
/// both names may enrol. (`DirectoryIdentityTests.renamed`, `.renamedElsewhere`)
struct DirectoryIdentities<Engine: StoreEngine> {
  let store: SharedFactorStore<Engine>

  private var registry: DirectoryRegistry<Engine> { DirectoryRegistry(store) }

  /// Whose factors a user has.
  enum Owner: Equatable {
    /// Those of the name.
    case same
    /// None: the factors of the name belong to another entry of the directory.
    case anotherPerson
    /// Those of the name that the user's entry had before.
    case renamed(from: [UInt8])
  }

  /// Returns whose factors a user has. A host without a directory service is believed about the name.
  func owner(for user: AccountFacts) throws(FactorStoreError) -> Owner {
    guard user.identity != .unknown else { return .same }
    let name = user.account.name
    let known = try registry.entry(of: name)
    var earlier: [UInt8]?
    if case .entry(let id) = user.identity {
      // Every user is looked up, so that the time it takes does not show whether the user has enrolled.
      earlier = try registry.user(of: id)
      if known == id { return .same }
      // The entry may have been given to another name, or removed, by a verifier of an earlier version.
      if let hint = earlier, try registry.entry(of: hint) != id { earlier = nil }
    }
    guard known != nil || earlier != nil else { return .same }
    if try store.snapshot(of: user.account) != nil { return known == nil ? .same : .anotherPerson }
    guard let earlier, try store.snapshot(of: RealmUsers<Engine>.account(earlier)) != nil else {
      return .same
    }
    return .renamed(from: earlier)
  }

  /// After a conversation, keeps the entry of the user. If the user has no factors any more, removes what is kept.
  func remember(_ user: AccountFacts) throws(FactorStoreError) {
    let name = user.account.name
    guard try store.snapshot(of: user.account) != nil else { return try store.removeRest(of: name) }
    switch user.identity {
    case .unknown: break
    case .local: try registry.setEntry(nil, of: name)
    case .entry(let id): try registry.setEntry(id, of: name)
    }
  }
}
