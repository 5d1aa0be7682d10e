import MFABase

extension ThisHost {
  /// Whether the factors of this host's users are kept by a realm.
  package static var belongsToRealm: Bool { Directory.mayExist(InstalledPath.realm.bytes) }

  /// Returns the way to the realm of this host, or nil if the host belongs to none.
  package static func realm() throws(AdminError) -> RealmAdministrator? {
    try requireRoot()
    guard belongsToRealm else { return nil }
    let connection = RealmConnection()
    return RealmAdministrator(
      accounts: .system, now: try now(), actor: Console.actor, log: { Log.write($0, $1) }
    ) { command throws(RealmProblem) in try connection.reply(to: command) }
  }

  /// Returns the way to the realm of this host.
  package static func requiredRealm() throws(AdminError) -> RealmAdministrator {
    guard let realm = try realm() else { throw .realm(.noRealm) }
    return realm
  }

  /// Returns the administrator of the users of this host's store, or of its realm.
  package static func userAdministrator(
    needsConfiguration: Bool
  ) throws(AdminError) -> any UserAdministrator {
    if let realm = try realm() { return realm }
    return try administration(needsConfiguration: needsConfiguration).0
  }

  /// Throws an error on a host that belongs to a realm, for a command about the users of one host's store.
  package static func refuseInRealm() throws(AdminError) {
    try requireRoot()
    guard !belongsToRealm else { throw .realm(.localCommand) }
  }
}
