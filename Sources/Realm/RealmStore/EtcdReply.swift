import MFAStore

/// What every answer of etcd begins with.
struct EtcdHeader: Equatable, Sendable {
  /// The cluster's ID, which is computed from the addresses and the token of its first members.
  let cluster: UInt64
  /// The number of changes of the database, which begins with 1.
  let revision: Int64

  /// Reads the header of an answer.
  init(_ answer: JSONValue) throws(EngineError) {
    guard let header = answer["header"],
      let cluster = header["cluster_id"]?.integer(as: UInt64.self),
      let revision = header["revision"]?.integer(as: Int64.self), cluster != 0, revision > 0
    else { throw .refused }
    self.cluster = cluster
    self.revision = revision
  }
}

/// A key that the cluster has.
struct EtcdEntry: Equatable, Sendable {
  let key: [UInt8]
  /// How often the key was written since it was created, from 1.
  let version: Int64
  /// The value; empty if only keys were asked for.
  let value: [UInt8]

  init(_ json: JSONValue) throws(EngineError) {
    guard let key = json["key"]?.bytes, let version = json["version"]?.integer(as: Int64.self),
      version > 0
    else { throw .refused }
    self.key = key
    self.version = version
    // The gateway leaves out what is empty.
    guard let value = json["value"] else {
      self.value = []
      return
    }
    guard let bytes = value.bytes else { throw .refused }
    self.value = bytes
  }
}

/// The answer to a transaction.
struct EtcdReply: Sendable {
  let header: EtcdHeader
  /// Whether all comparisons held.
  let succeeded: Bool
  /// What each operation returned; nothing for operations that write.
  let results: [[EtcdEntry]]

  init(_ answer: JSONValue, of transaction: EtcdTransaction) throws(EngineError) {
    header = try EtcdHeader(answer)
    // The gateway leaves out what is false or empty.
    switch answer["succeeded"] {
    case .boolean(let value): succeeded = value
    case nil: succeeded = false
    default: throw .refused
    }
    let operations = succeeded ? transaction.success : transaction.failure
    let responses = answer["responses"]?.elements ?? []
    guard responses.count == operations.count else { throw .refused }
    var results: [[EtcdEntry]] = []
    for (operation, response) in zip(operations, responses) {
      switch operation {
      case .get, .range, .last:
        guard let range = response["response_range"] else { throw .refused }
        var entries: [EtcdEntry] = []
        for entry in range["kvs"]?.elements ?? [] { entries.append(try EtcdEntry(entry)) }
        results.append(entries)
      case .put:
        guard response["response_put"] != nil else { throw .refused }
        results.append([])
      case .remove:
        guard response["response_delete_range"] != nil else { throw .refused }
        results.append([])
      }
    }
    self.results = results
  }

  /// Returns the key that an operation asked for, or nil if the cluster does not have it.
  func entry(_ index: Int, _ key: [UInt8]) throws(EngineError) -> EtcdEntry? {
    guard results.indices.contains(index) else { throw .refused }
    guard let entry = results[index].first else { return nil }
    guard results[index].count == 1, entry.key == key else { throw .refused }
    return entry
  }
}
