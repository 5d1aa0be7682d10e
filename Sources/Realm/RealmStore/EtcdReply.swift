import FoundationEssentials
import MFAStore

/// What every answer of etcd begins with.
struct EtcdHeader: Decodable, Equatable, Sendable {
  /// The cluster's ID, which is computed from the addresses and the token of its first members.
  @PositiveInteger var cluster: UInt64
  /// The number of changes of the database, which begins with 1.
  @PositiveInteger var revision: Int64

  private enum CodingKeys: String, CodingKey {
    case revision
    case cluster = "cluster_id"
  }
}

/// A key that the cluster has.
struct EtcdEntry: Decodable, Equatable, Sendable {
  let key: [UInt8]
  /// How often the key was written since it was created, from 1.
  let version: Int64
  /// The value; empty if only keys were asked for.
  let value: [UInt8]

  private enum CodingKeys: CodingKey { case key, version, value }

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    key = Array(try members.decode(Data.self, forKey: .key))
    version = try members.decode(PositiveInteger.self, forKey: .version).wrappedValue
    // The gateway leaves out what is empty.
    value = Array(try members.decodeIfPresent(Data.self, forKey: .value) ?? Data())
  }
}

/// The answer to a transaction.
struct EtcdReply: Sendable {
  let header: EtcdHeader
  /// Whether all comparisons held.
  let succeeded: Bool
  /// What each operation returned; nothing for operations that write.
  let results: [[EtcdEntry]]

  /// The answer as the gateway writes it, which leaves out what is false or empty.
  struct Answer: Decodable {
    let header: EtcdHeader
    let succeeded: Bool?
    let responses: [Response]?
  }

  /// What one operation returned.
  struct Response: Decodable {
    let range: Range?
    let put: Written?
    let removal: Written?

    struct Range: Decodable { let kvs: [EtcdEntry]? }
    struct Written: Decodable {}

    private enum CodingKeys: String, CodingKey {
      case range = "response_range"
      case put = "response_put"
      case removal = "response_delete_range"
    }
  }

  init(_ answer: Answer, of transaction: EtcdTransaction) throws(EngineError) {
    header = answer.header
    succeeded = answer.succeeded ?? false
    let operations = succeeded ? transaction.success : transaction.failure
    let responses = answer.responses ?? []
    guard responses.count == operations.count else { throw .refused }
    var results: [[EtcdEntry]] = []
    for (operation, response) in zip(operations, responses) {
      guard (response.range != nil) == (operation.requestRange != nil),
        (response.put != nil) == (operation.requestPut != nil),
        (response.removal != nil) == (operation.requestDeleteRange != nil)
      else { throw .refused }
      results.append(response.range?.kvs ?? [])
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
