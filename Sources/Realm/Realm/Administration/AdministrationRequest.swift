import MFAAttempt
import MFABase
import MFAWire

/// The first and only packet that `mfa-admin` sends to the relay of its host, which forwards it to a
/// verifier. The answer is one `AdministrationReply`. PROTOCOL.md defines the encoding.
///
/// MUST 1: an encoded request parses to an equal value, and no other bytes parse.
/// (`AdministrationRequestTests`)
/// MUST 2: the secrets of an import are held only in `SecretBytes`.
package struct AdministrationRequest: Equatable, Sendable {
  /// The name of the administrator's account on the host, as the host states it.
  package let administrator: [UInt8]
  /// The terminal of the administrator; empty for none.
  package let terminal: [UInt8]
  /// What the administrator asks.
  package let command: AdministrationCommand

  /// The version of the encoding.
  package static let version: UInt8 = 1
  /// The kind of the message. The kinds of the module and the helper are below.
  static let kind: UInt8 = 0x21

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

  private enum CommandKind {
    static let inspect: UInt8 = 1
    static let hosts: UInt8 = 2
    static let newHostTicket: UInt8 = 3
    static let revokeHost: UInt8 = 4
    static let realm: UInt8 = 5
    static let users: UInt8 = 6
    static let user: UInt8 = 7
    static let change: UInt8 = 8
    static let renameUser: UInt8 = 9
    static let auditLog: UInt8 = 10
    static let auditLogEnd: UInt8 = 11
    static let importUser: UInt8 = 12
    static let undoImport: UInt8 = 13
  }

  // MARK: Writing

  /// Returns a packet with the request, or nil if a field is too long.
  package func packet() -> SecretBytes? {
    var writer = PacketWriter()
    writer.begin(Self.kind)
    writer.field(Self.version)
    writer.field(administrator)
    writer.field(terminal)
    Self.write(command, to: &writer)
    writer.end()
    return writer.finish()
  }

  private static func write(_ command: AdministrationCommand, to writer: inout PacketWriter) {
    switch command {
    case .inspect: writer.field(CommandKind.inspect)
    case .hosts(let after):
      writer.field(CommandKind.hosts)
      writer.field(after)
    case .newHostTicket(let host, let groups):
      writer.field(CommandKind.newHostTicket)
      writer.field(host)
      writer.field(UInt8(clamping: groups.count))
      for group in groups { writer.field(group) }
    case .revokeHost(let host):
      writer.field(CommandKind.revokeHost)
      writer.field(host)
    case .realm: writer.field(CommandKind.realm)
    case .users(let after):
      writer.field(CommandKind.users)
      writer.field(after)
    case .user(let user):
      writer.field(CommandKind.user)
      writer.field(user)
    case .change(let user, let change):
      writer.field(CommandKind.change)
      writer.field(user)
      writer.field(change)
    case .renameUser(let user, let next):
      writer.field(CommandKind.renameUser)
      writer.field(user)
      writer.field(next)
    case .auditLog(let after):
      writer.field(CommandKind.auditLog)
      writer.field(after)
    case .auditLogEnd: writer.field(CommandKind.auditLogEnd)
    case .importUser(let user):
      writer.field(CommandKind.importUser)
      writer.field(user)
    case .undoImport(let undo):
      writer.field(CommandKind.undoImport)
      writer.field(undo)
    }
  }

  // MARK: Reading

  /// Reads a packet that contains one request.
  ///
  /// - Throws: `.unknownKind` with the number of a command that this version does not have.
  package init(_ packet: Span<UInt8>) throws(PacketError) {
    var reader = PacketReader(packet)
    guard try reader.next() == Self.kind, try reader.number(UInt8.self) == Self.version else {
      throw .malformed
    }
    administrator = try reader.bytes(longest: Self.longestName)
    terminal = try reader.bytes(longest: Self.longestTerminal)
    command = try Self.command(&reader)
    guard try reader.next() == nil else { throw .malformed }
  }

  @_lifetime(reader: copy reader)
  private static func command(
    _ reader: inout PacketReader
  ) throws(PacketError) -> AdministrationCommand {
    switch try reader.number(UInt8.self) {
    case CommandKind.inspect: return .inspect
    case CommandKind.hosts: return .hosts(after: try reader.bytes(longest: longestName))
    case CommandKind.newHostTicket:
      let host = try name(&reader)
      let count = Int(try reader.number(UInt8.self))
      guard count <= mostGroups else { throw .malformed }
      var groups: [[UInt8]] = []
      for _ in 0..<count { groups.append(try name(&reader)) }
      return .newHostTicket(host: host, groups: groups)
    case CommandKind.revokeHost: return .revokeHost(try name(&reader))
    case CommandKind.realm: return .realm
    case CommandKind.users: return .users(after: try reader.bytes(longest: longestName))
    case CommandKind.user: return .user(try name(&reader))
    case CommandKind.change:
      let user = try name(&reader)
      return .change(user, try reader.userChange())
    case CommandKind.renameUser:
      let user = try name(&reader)
      return .renameUser(user, to: try name(&reader))
    case CommandKind.auditLog: return .auditLog(after: try reader.number(UInt32.self))
    case CommandKind.auditLogEnd: return .auditLogEnd
    case CommandKind.importUser:
      let user = try name(&reader)
      return .importUser(try reader.userImport(named: user))
    case CommandKind.undoImport:
      let user = try name(&reader)
      return .undoImport(try reader.importUndo(named: user))
    case let kind: throw .unknownKind(kind)
    }
  }

  @_lifetime(reader: copy reader)
  private static func name(_ reader: inout PacketReader) throws(PacketError) -> [UInt8] {
    let name = try reader.bytes(longest: longestName)
    guard !name.isEmpty else { throw .malformed }
    return name
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
}
