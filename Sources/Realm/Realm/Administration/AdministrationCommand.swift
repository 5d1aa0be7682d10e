import MFAAttempt

/// What an administrator asks of a realm.
package enum AdministrationCommand: Equatable, Sendable {
  /// Reports on the verifier and its database. Every host may send this command.
  case inspect
  /// Returns hosts, those with names after `after` in order.
  case hosts(after: [UInt8])
  /// Creates a ticket with which a host joins.
  case newHostTicket(host: [UInt8], groups: [[UInt8]])
  /// Revokes all certificates of a host.
  case revokeHost([UInt8])
  /// Returns the verifiers, and the state of the database.
  case realm
  /// Returns users, those with names after `after` in order.
  case users(after: [UInt8])
  /// Returns one user, even without a factor.
  case user([UInt8])
  /// Makes a change of a user.
  case change([UInt8], UserChange)
  /// Moves what the realm has about a user to the user's new name.
  case renameUser([UInt8], to: [UInt8])
  /// Returns lines of the audit log, those with numbers above `after`, and verifies them.
  case auditLog(after: UInt32)
  /// Returns the number of the last line of the audit log.
  case auditLogEnd
  /// Imports a user of the host's local store.
  case importUser(AdministrationImport)
  /// Removes what the host has imported for a user.
  case undoImport(AdministrationUndo)

  /// Whether the command changes the realm. Such a command must not be repeated without need.
  package var isChange: Bool {
    switch self {
    case .inspect, .hosts, .realm, .users, .user, .auditLog, .auditLogEnd: false
    case .newHostTicket, .revokeHost, .change, .renameUser: true
    case .importUser(let user): !user.isTrial
    case .undoImport(let undo): !undo.isTrial
    }
  }

  /// The name of the command, for the system log.
  package var name: StaticString {
    switch self {
    case .inspect: "inspect"
    case .hosts: "hosts"
    case .newHostTicket: "ticket-for-host"
    case .revokeHost: "revoke-host"
    case .realm: "realm"
    case .users: "users"
    case .user: "user"
    case .change(_, let change): change.name
    case .renameUser: "rename-user"
    case .auditLog: "audit-log"
    case .auditLogEnd: "audit-log-end"
    case .importUser: "import"
    case .undoImport: "undo-import"
    }
  }
}
