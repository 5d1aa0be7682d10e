import MFAFactorStore
import MFAFleetProtocol
import MFASharedStore
import MFAStoreFiles
import MFASystem

/// Checks whether a user of a host is the one whose factors the realm keeps under that name.
///
/// MUST 1: if a name was given to another person, or if an account of one host has the name of another person's account
/// in the directory, the factors of the name are neither asked for nor shown. (`DirectoryIdentityTests.anotherPerson`)
/// MUST 2: only a host where the user may enrol determines which entry the factors belong to.
/// (`DirectoryIdentityTests.otherHost`)
struct DirectoryIdentities<Engine: StoreEngine> {
  let store: SharedFactorStore<Engine>

  private var registry: DirectoryRegistry<Engine> { DirectoryRegistry(store) }

  /// Returns whether the name has factors that belong to another entry of the directory. A host without a directory
  /// service is believed about the name.
  func isAnotherPerson(_ user: AccountFacts) throws(FactorStoreError) -> Bool {
    guard user.identity != .unknown, let known = try registry.entry(of: user.account.name),
      user.identity != .entry(known)
    else { return false }
    return try store.snapshot(of: user.account) != nil
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
