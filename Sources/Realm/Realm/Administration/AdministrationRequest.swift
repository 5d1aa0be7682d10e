import MFAAttempt
import MFABase
import MFAWire

/// The first and only packet that `mfa-admin` sends to the relay of its host, which forwards it to a
/// verifier. The answer is one `AdministrationReply`. PROTOCOL.md defines the encoding.
///
/// MUST 1: an encoded request parses to an equal value, and no other bytes parse.
/// (`RealmMessageTests.requestsOfAdministrators`)
/// MUST 2: the secrets of an import are held only in `SecretBytes`.
package struct AdministrationRequest: WireMessage, Equatable, Sendable {
  /// The name of the administrator's account on the host, as the host states it.
  package private(set) var administrator: [UInt8]
  /// The terminal of the administrator; empty for none.
  package private(set) var terminal: [UInt8]
  /// What the administrator asks.
  package private(set) var command: AdministrationCommand

  package static var kind: UInt8 { 0x44 }

  /// The longest name of a user, a group or a host, in bytes.
  package static let longestName = 255
  /// The longest name of a terminal in bytes.
  package static let longestTerminal = 64
  /// The largest number of groups of a host.
  package static let mostGroups = 16

  /// Creates a request.
  package init(administrator: [UInt8], terminal: [UInt8], _ command: AdministrationCommand) {
    self.administrator = administrator
    self.terminal = terminal
    self.command = command
  }

  /// Returns whether a packet begins like a request of an administrator.
  package static func begins(_ packet: Span<UInt8>) -> Bool {
    packet.count > 0 && packet[0] == kind
  }

  // MARK: Encoding

  /// Creates a request whose fields are read next. Reading throws `.unknownKind` with the number of a command that
  /// this version does not have.
  package init() { self.init(administrator: [], terminal: [], .inspect) }

  /// Reads or writes each field.
  package mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.bytes(&administrator, longest: Self.longestName)
    try coder.bytes(&terminal, longest: Self.longestTerminal)
    try command.fields(&coder)
  }
}

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

  private static let forms: [AdministrationCommand] = [
    .inspect, .hosts(after: []), .newHostTicket(host: [], groups: []), .revokeHost([]), .realm,
    .users(after: []), .user([]), .change([], .unlock), .renameUser([], to: []),
    .auditLog(after: 0), .auditLogEnd, .importUser(.placeholder), .undoImport(.placeholder),
  ]

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    let longest = AdministrationRequest.longestName
    try coder.form(&self, of: Self.forms)
    switch self {
    case .inspect: try coder.constant(1)
    case .hosts(var after):
      try coder.constant(2)
      try coder.bytes(&after, longest: longest)
      self = .hosts(after: after)
    case .newHostTicket(var host, var groups):
      try coder.constant(3)
      try coder.name(&host)
      let most = UInt8(AdministrationRequest.mostGroups)
      try coder.list(&groups, most: most, placeholder: []) {
        (group: inout [UInt8], coder: inout Coder) throws(PacketError) in try coder.name(&group)
      }
      self = .newHostTicket(host: host, groups: groups)
    case .revokeHost(var host):
      try coder.constant(4)
      try coder.name(&host)
      self = .revokeHost(host)
    case .realm: try coder.constant(5)
    case .users(var after):
      try coder.constant(6)
      try coder.bytes(&after, longest: longest)
      self = .users(after: after)
    case .user(var user):
      try coder.constant(7)
      try coder.name(&user)
      self = .user(user)
    case .change(var user, var change):
      try coder.constant(8)
      try coder.name(&user)
      try change.fields(&coder)
      self = .change(user, change)
    case .renameUser(var user, var next):
      try coder.constant(9)
      try coder.name(&user)
      try coder.name(&next)
      self = .renameUser(user, to: next)
    case .auditLog(var after):
      try coder.constant(10)
      try coder.number(&after)
      self = .auditLog(after: after)
    case .auditLogEnd: try coder.constant(11)
    case .importUser(var user):
      try coder.constant(12)
      try user.fields(&coder)
      self = .importUser(user)
    case .undoImport(var undo):
      try coder.constant(13)
      try undo.fields(&coder)
      self = .undoImport(undo)
    }
  }
}
