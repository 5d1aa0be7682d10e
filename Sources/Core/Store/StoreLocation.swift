import MFABase

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
