import MFABase
import MFARealm
import MFAStore
import MFAWire

/// The way from this host to its realm: the relay.
package struct RealmConnection {
  private let path: [UInt8]
  private let owner: UInt32

  /// How long the relay may take to answer, in seconds. It waits for each verifier for 20 seconds.
  private static var patience: Int64 { 90 }

  /// Uses the socket at a path, whose listener must have been created by `owner`.
  package init(to path: [UInt8] = InstalledPath.residentRootSocket.bytes, owner: UInt32 = 0) {
    self.path = path
    self.owner = owner
  }

  /// Sends a request, and returns the reply, which is not a failure.
  package func reply(
    to command: AdministrationCommand
  ) throws(AdminError) -> AdministrationReply {
    let request = AdministrationRequest(
      administrator: Array(Console.actor.prefix(AdministrationRequest.longestName)),
      terminal: Array(Console.terminal.prefix(AdministrationRequest.longestTerminal)), command)
    guard let packet = request.packet() else { throw .otherVersion }
    let answer = try exchange(packet)
    let reply: AdministrationReply
    do throws(PacketError) { reply = try AdministrationReply(answer.span) } catch {
      throw .otherVersion
    }
    switch reply {
    case .failed(let failure, let detail): throw .refused(failure, VisibleText.escaping(detail))
    case let reply: return reply
    }
  }

  private func exchange(_ packet: borrowing SecretBytes) throws(AdminError) -> SecretBytes {
    var owner = owner
    let received: PacketConnection.Received
    do throws(SystemError) {
      let connection = try PacketConnection(to: path)
      owner = try connection.peer().user
      guard owner == self.owner else { throw SystemError.forbidden(.connect) }
      try connection.send(packet.span)
      received = try connection.receive(seconds: Self.patience)
    } catch {
      guard owner == self.owner else { throw .untrustedRelay(owner) }
      throw .noRelay(error)
    }
    switch consume received {
    case .packet(let answer): return answer
    case .silent: throw .silentRelay
    default: throw .otherVersion
    }
  }
}

/// The lines of a realm's audit log that were read, one after the other.
struct RealmLogReading {
  /// The number of the line that is expected next.
  private var next: UInt32
  /// The last verified entry.
  private(set) var lastEntry: AuditLogEntry?
  /// The number of the first line that is not verified, or nil.
  private var broken: UInt32?

  /// Begins after a line.
  init(after number: UInt32) { next = number == .max ? .max : number + 1 }

  /// Consumes the next line, and returns its entry.
  mutating func take(_ line: AdministeredLogLine) -> AuditLogEntry {
    let entry = AuditLogEntry(line)
    if line.number != next || entry.mark == nil, broken == nil { broken = next }
    next = line.number == .max ? .max : line.number + 1
    if broken == nil { lastEntry = entry }
    return entry
  }

  /// What is wrong, or nil.
  var problem: AuditLogProblem? { broken.map { .realm(line: $0, last: lastEntry) } }
}

extension ThisHost {
  /// Whether the factors of this host's users are kept by a realm.
  package static var belongsToRealm: Bool { Directory.mayExist(InstalledPath.realm.bytes) }

  /// Says on a host of a realm that its own configuration does not decide.
  package static func noteRealmPolicy() {
    guard belongsToRealm else { return }
    Console.printError(
      "note: this host belongs to a realm, whose configuration decides about sign-ins")
  }

  /// Returns the way to the realm of this host, or nil if the host belongs to none.
  package static func realm() throws(AdminError) -> RealmAdministrator? {
    try requireRoot()
    guard belongsToRealm else { return nil }
    let connection = RealmConnection()
    return RealmAdministrator(
      accounts: .system, now: try now(), actor: Console.actor, log: { Log.write($0, $1) }
    ) { command throws(AdminError) in try connection.reply(to: command) }
  }

  /// Returns the way to the realm of this host.
  package static func requiredRealm() throws(AdminError) -> RealmAdministrator {
    guard let realm = try realm() else { throw .noRealm }
    return realm
  }

  /// Returns the administrator of the users of this host's store, or of its realm.
  package static func userAdministrator(
    needsConfiguration: Bool
  ) throws(AdminError) -> any UserAdministrator {
    if let realm = try realm() { return realm }
    return try administration(needsConfiguration: needsConfiguration).0
  }

  /// Returns the administration of this host's store, on a host that belongs to no realm.
  package static func localAdministration(
    needsConfiguration: Bool
  ) throws(AdminError) -> Administration {
    try refuseInRealm()
    return try administration(needsConfiguration: needsConfiguration).0
  }

  /// Throws an error on a host that belongs to a realm, for a command about the users of one host's store.
  package static func refuseInRealm() throws(AdminError) {
    try requireRoot()
    guard !belongsToRealm else { throw .localCommand }
  }
}
