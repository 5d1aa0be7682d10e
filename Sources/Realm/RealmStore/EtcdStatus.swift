import MFABase
import MFAStore

/// The state of one member.
struct EtcdStatus: Decodable, Equatable, Sendable {
  private let header: EtcdHeader
  /// The index of the Raft log up to which the member has applied entries.
  @PositiveInteger var applied: Int64
  /// The index of the Raft log up to which the member knows entries as committed.
  @PositiveInteger var committed: Int64

  /// The ID of the member's cluster.
  var cluster: UInt64 { header.cluster }
  /// The number of changes of the database.
  var revision: Int64 { header.revision }

  private enum CodingKeys: String, CodingKey {
    case header
    case applied = "raftAppliedIndex"
    case committed = "raftIndex"
  }

  /// Asks the member of the session's connection, or another one.
  init(of session: EtcdSession, until deadline: EtcdSession.Deadline) throws(EngineError) {
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
  init(of session: EtcdSession, until deadline: EtcdSession.Deadline) throws(EngineError) {
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
  let epoch: UInt64
  let incarnation: [UInt8]
  let fence: Int64
  let fenceIntervals: UInt8
  /// The format in which rows are written, see `RealmState`.
  let format: UInt16

  private static let version: UInt8 = 1

  /// Creates the stored state. The incarnation has at most 255 bytes.
  init(_ state: RealmState) {
    epoch = state.epoch
    incarnation = state.incarnation
    fence = state.fence
    fenceIntervals = state.fenceIntervals
    format = state.format
    var writer = ByteWriter()
    writer.write(Self.version)
    writer.write(epoch)
    writer.write(fence)
    writer.write(fenceIntervals)
    writer.write(format)
    writer.writeShort(incarnation)
    bytes = writer.bytes
  }

  /// Reads stored bytes.
  init(_ bytes: [UInt8]) throws(EngineError) {
    var reader = ByteReader(bytes.span)
    guard reader.read(UInt8.self) == Self.version, let epoch = reader.read(UInt64.self),
      let fence = reader.read(Int64.self), let fenceIntervals = reader.read(UInt8.self),
      let format = reader.read(UInt16.self),
      let incarnation = reader.readShort(), reader.isAtEnd
    else { throw .refused }
    self.bytes = bytes
    self.epoch = epoch
    self.fence = fence
    self.fenceIntervals = fenceIntervals
    self.incarnation = incarnation
    self.format = format
  }

  /// Returns the state for the store.
  func state(configuration: UInt64) -> RealmState {
    RealmState(
      epoch: epoch, incarnation: incarnation, fence: fence, fenceIntervals: fenceIntervals,
      configuration: configuration, format: format)
  }
}

extension EtcdEngine {
  /// Returns the leader and the other members, by their names. How far a member is behind matters to no
  /// request, because each request is agreed on by a majority.
  package func servers() throws(EngineError) -> EngineServers? {
    let deadline = EtcdSession.deadline(after: configuration.loadDeadline)
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
  package func findings() throws(EngineError) -> [String]? { checkCluster().map(\.sentence) }
}
