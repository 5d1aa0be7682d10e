import MFAStore
import MFARealm
import MFARealmStore
import MFABase

/// Finds out whose factors a user of a host has: the entry in the directory service decides, not the name.
///
/// MUST 1: if a name was given to another person, or if an account of one host has the name of another person's account
/// in the directory, the factors of the name are neither asked for nor shown. (`DirectoryIdentityTests.anotherPerson`)
/// MUST 2: only a host where the user may enrol determines which entry the factors belong to.
/// (`DirectoryIdentityTests.otherHost`)
/// MUST 3: factors go to another name only if their entry has it, after one of their codes was accepted at a host where
/// both names may enrol. (`DirectoryIdentityTests.renamed`, `.renamedElsewhere`)
/// MUST 4: the entry that a host reports for one of its own users does not change which factors belong to a user whom the
/// host may not enrol. (`DirectoryIdentityTests.takeover`, `.takeoverOfARenamedUser`)
struct DirectoryIdentities<Engine: StoreEngine> {
  let store: SharedFactorStore<Engine>
  /// The host that reports the entries.
  let host: [UInt8]
  /// Returns the permissions of a host of the realm at present; nil if the realm refuses the host.
  let permissions: (_ host: [UInt8]) throws(FactorStoreError) -> HostPermissions?

  private var registry: DirectoryRegistry<Engine> { DirectoryRegistry(store) }

  /// Whose factors a user has.
  enum Owner: Equatable {
    /// Those of the name.
    case same
    /// None: the factors of the name belong to another entry of the directory.
    case anotherPerson
    /// Those of the name that the user's entry had before.
    case renamed(from: [UInt8])
    /// Those of that name, but the host may not ask about both names.
    case notPermitted
    /// Those of the name. The entry is another name's by the word of hosts that may not enrol this name.
    case disputed(holder: [UInt8])
  }

  /// Returns whose factors a user has. A host without a directory service is believed about the name.
  func owner(
    for user: AccountFacts, _ present: HostPermissions
  ) throws(FactorStoreError) -> Owner {
    guard user.identity != .unknown else { return .same }
    let name = user.account.name
    let known = try registry.entry(of: name)
    var holder: [UInt8]?
    if case .entry(let id) = user.identity {
      // Every user is looked up, so that the time it takes does not show whether the user has enrolled.
      holder = try registry.user(of: id)
      if known == id { return .same }
    }
    guard known != nil || holder != nil else { return .same }
    if try store.snapshot(of: user.account) != nil { return known == nil ? .same : .anotherPerson }
    guard case .entry(let id) = user.identity, let holder, holder != name else { return .same }
    return Self.owner(
      holder, hasFactors: try hasFactors(holder, of: id),
      isConfirmed: try isConfirmed(id, of: holder, for: name),
      isPermitted: present.includes(name) && present.includes(holder))
  }

  /// Returns whose factors a name has, if its entry is or was `holder`'s: because the user was renamed, or because a
  /// host lied about one of the two names. `isConfirmed` says whether a host that may enrol both names has reported
  /// the entry of the holder, and `isPermitted` whether this host may ask about both names.
  static func owner(
    _ holder: [UInt8], hasFactors: Bool, isConfirmed: Bool, isPermitted: Bool
  ) -> Owner {
    // Without factors, nobody can prove to be the holder. An administrator can release the entry.
    guard hasFactors else { return .same }
    guard isConfirmed else { return .disputed(holder: holder) }
    return isPermitted ? .renamed(from: holder) : .notPermitted
  }

  /// Returns whether a name has the entry at present, with factors.
  private func hasFactors(
    _ name: [UInt8], of id: [UInt8]
  ) throws(FactorStoreError) -> Bool {
    guard try registry.entry(of: name) == id else { return false }
    return try store.snapshot(of: RealmUsers<Engine>.account(name)) != nil
  }

  /// Returns whether a host that may enrol both names has reported that `holder` has the entry.
  private func isConfirmed(
    _ id: [UInt8], of holder: [UInt8], for name: [UInt8]
  ) throws(FactorStoreError) -> Bool {
    for host in try registry.hosts(reporting: id, of: holder) {
      if let known = try permissions(host), known.allowsEnrollment(of: holder),
        known.allowsEnrollment(of: name)
      {
        return true
      }
    }
    return false
  }

  /// Returns whether the factors of a renamed user, a code of which was accepted, go to the present name.
  static func mayMove(_ renamed: RenamedUser, _ present: HostPermissions) -> Bool {
    // `owner` has found the report of a host that may enrol both names.
    present.allowsEnrollment(of: renamed.name) && present.allowsEnrollment(of: renamed.earlier)
  }

  /// Keeps the entry of a user after a request at a host where the user may enrol. If the user has no factors any
  /// more, removes what is kept. If another name has or had the entry, changes nothing and returns that name.
  func remember(_ user: AccountFacts) throws(FactorStoreError) -> [UInt8]? {
    let name = user.account.name
    guard try store.snapshot(of: user.account) != nil else {
      try store.removeRest(of: name)
      return nil
    }
    switch user.identity {
    case .unknown: return nil
    case .local:
      try registry.unbind(name)
      return nil
    case .entry(let id): return try registry.bind(id, to: name, reportedBy: host)
    }
  }
}
