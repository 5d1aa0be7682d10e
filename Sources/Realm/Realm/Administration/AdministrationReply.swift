import MFAAttempt
import MFABase
import MFAWire

/// The answer to a request of an administrator. PROTOCOL.md defines the encoding.
///
/// A list that does not fit into one packet ends early. The next request continues after its last element.
///
/// MUST 1: an encoded reply parses to an equal value, and no other bytes parse.
/// (`RealmMessageTests.repliesToAdministrators`)
/// MUST 2: a ticket or a bypass code is held only in memory that is wiped.
package enum AdministrationReply: WireMessage, Sendable {
  /// The request was not carried out.
  case failed(AdministrationFailure, detail: [UInt8])
  /// The report of the verifier.
  case inspection(VerifierInspection)
  /// Hosts, and whether there are no more.
  case hosts([AdministeredHost], isEnd: Bool)
  /// The ticket with which a host joins.
  case hostTicket(PrivateText)
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

  /// The most bytes of list elements in one reply.
  package static let longestList = 60_000
  /// The largest number of list elements in one reply.
  package static let mostElements = 1000
  /// The longest ticket of a host in bytes.
  package static let longestCode = 64

  /// Why the request was not carried out, or nil if it was.
  package var failure: AdministrationFailure? {
    switch self {
    case .failed(let failure, _): failure
    default: nil
    }
  }

  // MARK: Encoding

  package static var kind: UInt8 { 0x84 }

  private static let forms: [AdministrationReply] = [
    .failed(.malformed, detail: []), .inspection(.placeholder), .hosts([], isEnd: false),
    .hostTicket(PrivateText(SecretBytes(count: 0))), .done(checkpoint: []),
    .realm(.placeholder), .users([], isEnd: false),
    .changed(.forgotten(remembered: 0), checkpoint: []), .auditLog([], isEnd: false),
    .auditLogEnd(0), .imported(.placeholder),
  ]

  /// Creates a reply whose fields are read next.
  package init() { self = .auditLogEnd(0) }

  /// Reads or writes each field.
  package mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.form(&self, of: Self.forms)
    switch self {
    case .failed(var failure, var detail):
      try coder.constant(1)
      try coder.choice(&failure)
      try coder.bytes(&detail)
      self = .failed(failure, detail: detail)
    case .inspection(var inspection):
      try coder.constant(2)
      try inspection.fields(&coder)
      self = .inspection(inspection)
    case .hosts(var hosts, var isEnd):
      try coder.constant(3)
      try coder.flag(&isEnd)
      try coder.values(&hosts, most: Self.mostElements)
      self = .hosts(hosts, isEnd: isEnd)
    case .hostTicket(var code):
      try coder.constant(4)
      try coder.text(&code, longest: Self.longestCode)
      self = .hostTicket(code)
    case .done(var checkpoint):
      try coder.constant(5)
      try coder.bytes(&checkpoint)
      self = .done(checkpoint: checkpoint)
    case .realm(var realm):
      try coder.constant(6)
      try realm.fields(&coder)
      self = .realm(realm)
    case .users(var users, var isEnd):
      try coder.constant(7)
      try coder.flag(&isEnd)
      try coder.values(&users, most: Self.mostElements)
      self = .users(users, isEnd: isEnd)
    case .changed(var effect, var checkpoint):
      try coder.constant(8)
      try effect.fields(&coder)
      try coder.bytes(&checkpoint)
      self = .changed(effect, checkpoint: checkpoint)
    case .auditLog(var lines, var isEnd):
      try coder.constant(9)
      try coder.flag(&isEnd)
      try coder.values(&lines, most: Self.mostElements)
      self = .auditLog(lines, isEnd: isEnd)
    case .auditLogEnd(var number):
      try coder.constant(10)
      try coder.number(&number)
      self = .auditLogEnd(number)
    case .imported(var user):
      try coder.constant(11)
      try user.fields(&coder)
      self = .imported(user)
    }
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
