import MFAAttempt
import MFABase
import MFAWire

/// The answer to a request of an administrator. PROTOCOL.md defines the encoding.
///
/// A list that does not fit into one packet ends early. The next request continues after its last element.
///
/// MUST 1: an encoded reply parses to an equal value, and no other bytes parse.
/// (`AdministrationReplyTests`)
/// MUST 2: a ticket or a bypass code is held only in `SecretBytes`.
package enum AdministrationReply: ~Copyable {
  /// The request was not carried out.
  case failed(AdministrationFailure, detail: [UInt8])
  /// The report of the verifier.
  case inspection(VerifierInspection)
  /// Hosts, and whether there are no more.
  case hosts([AdministeredHost], isEnd: Bool)
  /// The ticket with which a host joins.
  case hostTicket(SecretBytes)
  /// The change was made. The checkpoint is that of its entry in the audit log.
  case done(checkpoint: [UInt8])
  /// The state of the realm.
  case realm(AdministeredRealm)
  /// Users, and whether there are no more.
  case users([AdministeredRealmUser], isEnd: Bool)
  /// The effect of a change of a user. The checkpoint is empty if there was nothing to change.
  case changed(UserChange.Effect, checkpoint: [UInt8])
  /// Lines of the audit log, and whether there are no more.
  case auditLog([AdministeredLogLine], isEnd: Bool)
  /// The number of the last line of the audit log; 0 if there is none.
  case auditLogEnd(UInt32)
  /// What an import, or its undo, did or would do.
  case imported(AdministeredImport)

  private enum Kind {
    static let failed: UInt8 = 0xA1
    static let inspection: UInt8 = 0xA2
    static let hosts: UInt8 = 0xA3
    static let hostTicket: UInt8 = 0xA4
    static let done: UInt8 = 0xA5
    static let realm: UInt8 = 0xA6
    static let users: UInt8 = 0xA7
    static let changed: UInt8 = 0xA8
    static let auditLog: UInt8 = 0xA9
    static let auditLogEnd: UInt8 = 0xAA
    static let imported: UInt8 = 0xAB
  }

  /// The most bytes of list elements in one reply.
  package static let longestList = 60_000
  /// The largest number of list elements in one reply.
  package static let mostElements = 1000
  /// The longest ticket of a host in bytes.
  package static let longestCode = 64

  // MARK: Writing

  /// Why the request was not carried out, or nil if it was.
  package var failure: AdministrationFailure? {
    switch self {
    case .failed(let failure, _): failure
    default: nil
    }
  }

  /// Returns a packet with the reply, or nil if a field is too long.
  package consuming func packet() -> SecretBytes? {
    var writer = PacketWriter()
    switch consume self {
    case .failed(let failure, let detail):
      writer.begin(Kind.failed)
      writer.field(failure.rawValue)
      writer.field(detail)
    case .inspection(let inspection):
      writer.begin(Kind.inspection)
      writer.field(inspection.version)
      writer.field(inspection.isAdministering)
      writer.list(inspection.findings) { writer, finding in writer.field(finding) }
      writer.field(inspection.certificateEnd)
    case .hosts(let hosts, let isEnd):
      writer.begin(Kind.hosts)
      writer.field(isEnd)
      writer.list(hosts) { writer, host in Self.write(host, to: &writer) }
    case .hostTicket(let code):
      writer.begin(Kind.hostTicket)
      writer.field(code.span)
    case .done(let checkpoint):
      writer.begin(Kind.done)
      writer.field(checkpoint)
    case .realm(let realm):
      writer.begin(Kind.realm)
      Self.write(realm, to: &writer)
    case .users(let users, let isEnd):
      writer.begin(Kind.users)
      writer.field(isEnd)
      writer.list(users) { writer, user in writer.field(user) }
    case .changed(let effect, let checkpoint):
      writer.begin(Kind.changed)
      writer.field(effect)
      writer.field(checkpoint)
    case .auditLog(let lines, let isEnd):
      writer.begin(Kind.auditLog)
      writer.field(isEnd)
      writer.list(lines) { writer, line in
        writer.field(line.number)
        writer.field(line.text)
        writer.field(line.checkpoint)
      }
    case .auditLogEnd(let number):
      writer.begin(Kind.auditLogEnd)
      writer.field(number)
    case .imported(let user):
      writer.begin(Kind.imported)
      writer.field(user.factors)
      writer.field(user.recoveryCodes.rawValue)
      writer.field(user.recoveryCodeMark)
      writer.field(user.failuresBefore)
      writer.field(user.failures)
      writer.field(user.checkpoint)
    }
    writer.end()
    return writer.finish()
  }

  private static func write(_ host: AdministeredHost, to writer: inout PacketWriter) {
    writer.field(host.name)
    writer.list(host.groups) { writer, group in writer.field(group) }
    writer.field(host.joinedAt)
    writer.field(host.revokedAt)
    writer.field(host.version)
    writer.field(host.seenAt)
    writer.field(host.certificateEnd)
    writer.field(host.failures)
    writer.field(host.mostFailures)
  }

  private static func write(_ realm: AdministeredRealm, to writer: inout PacketWriter) {
    writer.list(realm.verifiers) { writer, verifier in
      writer.field(verifier.name)
      writer.field(verifier.version)
      writer.field(verifier.seenAt)
    }
    writer.field(realm.epoch)
    writer.field(realm.fence)
    writer.field(realm.primary)
    writer.list(realm.members) { writer, member in writer.field(member) }
    writer.field(realm.lag != nil)
    if let lag = realm.lag { writer.field(lag) }
  }

  // MARK: Reading

  /// Reads a packet that contains one reply.
  package static func read(_ packet: Span<UInt8>) throws(PacketError) -> AdministrationReply {
    var reader = PacketReader(packet)
    let reply = try reply(&reader)
    guard try reader.next() == nil else { throw .malformed }
    return reply
  }

  @_lifetime(reader: copy reader)
  private static func reply(
    _ reader: inout PacketReader
  ) throws(PacketError) -> AdministrationReply {
    guard let kind = try reader.next() else { throw .malformed }
    switch kind {
    case Kind.failed:
      guard let failure = AdministrationFailure(rawValue: try reader.number(UInt8.self)) else {
        throw .malformed
      }
      return .failed(failure, detail: try reader.bytes())
    case Kind.inspection:
      return .inspection(
        VerifierInspection(
          version: try reader.bytes(), isAdministering: try reader.flag(),
          findings: try byteStrings(&reader),
          certificateEnd: try reader.number(Int64.self)))
    case Kind.hosts:
      let isEnd = try reader.flag()
      var hosts: [AdministeredHost] = []
      for _ in 0..<(try count(&reader)) { hosts.append(try host(&reader)) }
      return .hosts(hosts, isEnd: isEnd)
    case Kind.hostTicket: return .hostTicket(try reader.secret(longest: longestCode))
    case Kind.done: return .done(checkpoint: try reader.bytes())
    case Kind.realm: return .realm(try realm(&reader))
    case Kind.users:
      let isEnd = try reader.flag()
      var users: [AdministeredRealmUser] = []
      for _ in 0..<(try count(&reader)) { users.append(try reader.realmUser()) }
      return .users(users, isEnd: isEnd)
    case Kind.changed:
      let effect = try reader.userChangeEffect()
      return .changed(effect, checkpoint: try reader.bytes())
    case Kind.auditLog:
      let isEnd = try reader.flag()
      var lines: [AdministeredLogLine] = []
      for _ in 0..<(try count(&reader)) {
        lines.append(
          AdministeredLogLine(
            number: try reader.number(UInt32.self), text: try reader.bytes(),
            checkpoint: try reader.bytes()))
      }
      return .auditLog(lines, isEnd: isEnd)
    case Kind.auditLogEnd: return .auditLogEnd(try reader.number(UInt32.self))
    case Kind.imported: return .imported(try reader.administeredImport())
    case let kind: throw .unknownKind(kind)
    }
  }

  @_lifetime(reader: copy reader)
  private static func count(_ reader: inout PacketReader) throws(PacketError) -> Int {
    let count = Int(try reader.number(UInt16.self))
    guard count <= mostElements else { throw .malformed }
    return count
  }

  @_lifetime(reader: copy reader)
  private static func byteStrings(_ reader: inout PacketReader) throws(PacketError) -> [[UInt8]] {
    var strings: [[UInt8]] = []
    for _ in 0..<(try count(&reader)) { strings.append(try reader.bytes()) }
    return strings
  }

  @_lifetime(reader: copy reader)
  private static func host(_ reader: inout PacketReader) throws(PacketError) -> AdministeredHost {
    let name = try reader.bytes()
    let groups = try byteStrings(&reader)
    var host = AdministeredHost(
      name: name, groups: groups, joinedAt: try reader.number(Int64.self),
      revokedAt: try reader.number(Int64.self))
    host.version = try reader.bytes()
    host.seenAt = try reader.number(Int64.self)
    host.certificateEnd = try reader.number(Int64.self)
    host.failures = try reader.number(UInt32.self)
    host.mostFailures = try reader.number(UInt32.self)
    return host
  }

  @_lifetime(reader: copy reader)
  private static func realm(_ reader: inout PacketReader) throws(PacketError) -> AdministeredRealm {
    var verifiers: [AdministeredVerifier] = []
    for _ in 0..<(try count(&reader)) {
      verifiers.append(
        AdministeredVerifier(
          name: try reader.bytes(), version: try reader.bytes(),
          seenAt: try reader.number(Int64.self)))
    }
    return AdministeredRealm(
      verifiers: verifiers, epoch: try reader.number(UInt64.self),
      fence: try reader.number(Int64.self), primary: try reader.bytes(),
      members: try byteStrings(&reader),
      lag: try reader.flag() ? try reader.number(UInt64.self) : nil)
  }
}

extension PacketWriter {
  /// Appends the number of elements, as two bytes, and the elements.
  mutating func list<Element>(
    _ elements: [Element], _ write: (inout PacketWriter, Element) -> Void
  ) {
    field(UInt16(clamping: elements.count))
    for element in elements { write(&self, element) }
  }
}

/// Why a request of an administrator was not carried out. The raw values are sent.
package enum AdministrationFailure: UInt8, CaseIterable, Sendable {
  /// No group of the host has `administering = on`.
  case notPermitted = 1
  /// The realm has no such host, the host was revoked, or its certificate was replaced.
  case hostRefused = 2
  /// The verifier does not know the command: it is older than the host.
  case unknownCommand = 3
  /// The verifier cannot read the request.
  case malformed = 4
  /// The store of the realm cannot be used. The detail is the part, a colon and the reason.
  case store = 5
  /// The realm has no such user, factor, grant or host. Nothing was changed.
  case notFound = 6
  /// The configuration of the verifiers has no such group of hosts. The detail is its name.
  case unknownGroup = 7
  /// The name of the host is not possible.
  case badHostName = 8
  /// The user already has the largest number of tickets and bypass codes.
  case tooManyGrants = 9
  /// The duration, the number of uses or the reason of a grant is not possible.
  case badGrant = 10
  /// The policy of the realm cannot be read.
  case policy = 11
  /// The process that sent the request does not act as root. The relay sends this.
  case notRoot = 12
  /// No verifier answered, and nothing was changed. The relay sends this.
  case noVerifier = 13
  /// The verifier did not answer in time. The change may have been made. The relay sends this.
  case uncertain = 14
  /// No group of the host has `importing = on`, or none that has the user. The detail is the user's name.
  case importNotPermitted = 15
  /// The realm has factors or codes of another user with the new name. The detail is the name.
  case nameTaken = 16
}
