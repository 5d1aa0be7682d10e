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
  /// Clears the failed attempts and remembered sign-ins of a user.
  case unlock([UInt8])
  /// Clears the remembered sign-ins of a user.
  case forget([UInt8])
  /// Removes a factor, or everything if `factor` is empty. An id has 16 bytes.
  case revoke([UInt8], factor: [UInt8])
  /// Creates a ticket or a bypass code for a user.
  case grant([UInt8], AdministrationGrant)
  /// Withdraws a ticket or a bypass code, or all of them if `id` is empty. An id has 4 bytes.
  case withdraw([UInt8], id: [UInt8])
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
    case .newHostTicket, .revokeHost, .unlock, .forget, .revoke, .grant, .withdraw: true
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
    case .unlock: "unlock"
    case .forget: "forget"
    case .revoke: "revoke"
    case .grant: "grant"
    case .withdraw: "withdraw"
    case .auditLog: "audit-log"
    case .auditLogEnd: "audit-log-end"
    case .importUser: "import"
    case .undoImport: "undo-import"
    }
  }
}

/// A ticket or a bypass code that is to be created.
package struct AdministrationGrant: Equatable, Sendable {
  /// The number of the kind: 1 for a ticket, 2 for a bypass code.
  package let kind: UInt8
  /// How long the code is valid, in seconds.
  package let seconds: UInt32
  /// The number of uses.
  package let uses: UInt8
  /// The administrator's reason; empty for none.
  package let reason: [UInt8]

  /// Creates a value.
  package init(kind: UInt8, seconds: UInt32, uses: UInt8, reason: [UInt8]) {
    self.kind = kind
    self.seconds = seconds
    self.uses = uses
    self.reason = reason
  }
}
