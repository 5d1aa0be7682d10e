import MFARealm
import MFAStore
import MFAWire

/// The state of one member.
struct EtcdStatus: Decodable, Equatable, Sendable {
  private let header: EtcdHeader
  /// The index of the Raft log up to which the member has applied entries.
  @PositiveInteger var applied: Int64
  /// The index of the Raft log up to which the member knows entries as committed.
  @PositiveInteger var committed: Int64

  /// The ID of the member's cluster.
  var cluster: UInt64 { header.cluster }

  private enum CodingKeys: String, CodingKey {
    case header
    case applied = "raftAppliedIndex"
    case committed = "raftIndex"
  }

  /// Asks the member of the session's connection, or another one.
  init(of session: EtcdSession, until deadline: EngineDeadline) throws(EngineError) {
    self = try session.call(
      "maintenance/status", EtcdSession.nothing, until: deadline, repeatable: true)
  }
}

/// The members of a cluster.
struct EtcdMembers: Decodable {
  let members: [Member]

  /// A member, without the properties that are empty.
  struct Member: Decodable {
    @PositiveInteger var id: UInt64
    let name: String?
    let isLearner: Bool?

    private enum CodingKeys: String, CodingKey {
      case id = "ID"
      case name, isLearner
    }
  }

  /// Asks the member of the session's connection, or another one.
  init(of session: EtcdSession, until deadline: EngineDeadline) throws(EngineError) {
    self = try session.call(
      "cluster/member/list", EtcdSession.nothing, until: deadline, repeatable: true)
  }
}

/// A random number at the beginning of a value, by which a commit recognises what it has written.
enum Token {
  static let length = 8

  /// Returns a new token.
  static func random() -> [UInt8] { EtcdKeys.big(UInt64.random(in: 0...UInt64.max)) }

  /// Returns a value without its token.
  static func stripped(_ value: [UInt8]) throws(EngineError) -> [UInt8] {
    guard value.count >= length else { throw .refused }
    return Array(value[length...])
  }
}

/// The number of failures of a host in a period.
struct EtcdFailures: Equatable, Sendable {
  let key: [UInt8]
  /// How often the key was written.
  let version: Int64
  let count: UInt32

  init(key: [UInt8], version: Int64, count: UInt32) {
    self.key = key
    self.version = version
    self.count = count
  }

  init(_ key: [UInt8], _ entry: EtcdEntry?) throws(EngineError) {
    guard let entry else {
      self.init(key: key, version: 0, count: 0)
      return
    }
    guard entry.value.count == 4 else { throw .refused }
    self.init(
      key: key, version: entry.version, count: entry.value.reduce(0) { $0 << 8 | UInt32($1) })
  }
}

/// The end of the audit log.
struct EtcdLogEnd: Equatable, Sendable {
  /// How often the key was written.
  let version: Int64
  /// The number of the last line; 0 before the first one.
  let number: UInt32
  /// The sealed end.
  let end: [UInt8]

  init(_ entry: EtcdEntry?) throws(EngineError) {
    guard let entry else {
      (version, number, end) = (0, 0, [])
      return
    }
    let content = try Token.stripped(entry.value)
    guard content.count >= 4 else { throw .refused }
    version = entry.version
    number = content[..<4].reduce(0) { $0 << 8 | UInt32($1) }
    end = Array(content[4...])
  }
}

/// The stored state of a realm, without the fingerprint of its configuration.
struct EtcdRealm: Equatable, Sendable {
  /// The stored bytes. Two realms have the same bytes only if one commit wrote them, because an
  /// incarnation has a random part.
  let bytes: [UInt8]
  /// The state, with 0 as the fingerprint of the configuration.
  private let state: RealmState

  var epoch: UInt64 { state.epoch }
  var incarnation: [UInt8] { state.incarnation }

  /// Creates the stored state. The incarnation has at most 255 bytes.
  init(_ state: RealmState) {
    var state = state
    state.configuration = 0
    self.state = state
    bytes = state.encoded()
  }

  /// Reads stored bytes.
  init(_ bytes: [UInt8]) throws(EngineError) {
    guard let state = RealmState(bytes.span) else { throw .refused }
    self.bytes = bytes
    self.state = state
  }

  /// Returns the state for the store.
  func state(configuration: UInt64) -> RealmState {
    var state = state
    state.configuration = configuration
    return state
  }
}

extension RealmState: EncodedValue {
  /// A state whose fields are read next.
  package static var placeholder: RealmState {
    RealmState(epoch: 0, incarnation: [], fence: 0, fenceIntervals: 0, configuration: 0)
  }

  /// Reads or writes each field except the fingerprint of the configuration, which has a key of its own.
  package mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.constant(1)
    try coder.number(&epoch)
    try coder.number(&fence)
    try coder.number(&fenceIntervals)
    try coder.number(&format)
    try coder.short(&incarnation)
  }
}

extension EtcdEngine {
  /// Returns the leader and the other members, by their names. How far a member is behind matters to no
  /// request, because each request is agreed on by a majority.
  package func servers() throws(EngineError) -> EngineServers? {
    let deadline = EngineDeadline.after(configuration.loadDeadline)
    let status: Leader = try session.call(
      "maintenance/status", EtcdSession.nothing, until: deadline, repeatable: true)
    var servers = EngineServers(primary: "", others: [], lag: nil)
    for member in try EtcdMembers(of: session, until: deadline).members {
      let name = member.name ?? ""
      if member.id == status.leader {
        servers.primary = name
      } else {
        servers.others.append(member.isLearner == true ? "\(name) learner" : name)
      }
    }
    return servers
  }

  private struct Leader: Decodable { @PositiveInteger var leader: UInt64 }

  /// Returns a sentence for each finding of `checkCluster`.
  package func findings() throws(EngineError) -> [String] { checkCluster().map(\.sentence) }
}
