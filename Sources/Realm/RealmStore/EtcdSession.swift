import MFAStore

/// Requests to the members of a cluster, of which one is used until it fails.
///
/// MUST 1: a request that could change something is sent once
/// (`EtcdSessionTests.lostRequestIsNotRepeated`).
/// MUST 2: no call takes longer than its deadline (`EtcdFaultTests.pausedMemberIsReplaced`,
/// `EtcdSessionTests.silentServerMissesTheDeadline`).
final class EtcdSession {
  private let endpoints: [String]
  private let credentials: HTTPConnection.Credentials
  private var connection: HTTPConnection?
  private var index: Int
  /// A number that rises whenever a connection is opened; 0 before the first one.
  private(set) var generation: UInt64 = 0
  /// The message of etcd or libcurl about the last error; empty if there was none.
  private(set) var message = ""
  /// The time by the clock of the member that answered last, in seconds since the epoch; 0 if it tells none.
  private(set) var time: Int64 = 0
  /// Whether the last request named a lease that the cluster does not have. Nothing was changed.
  private(set) var isLeaseMissing = false

  /// The member that the next request is sent to.
  var endpoint: String? { endpoints.indices.contains(index) ? endpoints[index] : nil }

  /// Creates a session without a connection, which begins with one of the endpoints.
  init(_ configuration: EtcdConfiguration) {
    endpoints = configuration.endpoints
    credentials = HTTPConnection.Credentials(
      certificate: configuration.certificate, key: configuration.key,
      authority: configuration.authority)
    index = endpoints.isEmpty ? 0 : Int.random(in: 0..<endpoints.count)
  }

  /// Sends a transaction. Only one that changes nothing may be `repeatable`.
  func send(
    _ transaction: EtcdTransaction, until deadline: EngineDeadline, repeatable: Bool
  ) throws(EngineError) -> EtcdReply {
    let answer: EtcdReply.Answer = try call(
      "kv/txn", transaction, until: deadline, repeatable: repeatable)
    return try EtcdReply(answer, of: transaction)
  }

  /// The request of a method without parameters.
  static let nothing: [String: String] = [:]

  /// Calls a method of the gateway. With `repeatable`, members that fail are replaced by the next one.
  func call<Answer: Decodable>(
    _ method: StaticString, _ request: some Encodable, until deadline: EngineDeadline,
    repeatable: Bool
  ) throws(EngineError) -> Answer {
    (message, isLeaseMissing) = ("", false)
    let content = try EtcdJSON.encoded(request)
    var triesLeft = endpoints.count
    while true {
      let left = deadline.milliseconds
      guard left > 0 else { throw .deadline }
      triesLeft -= 1
      // The other members get the rest of the time.
      let part = triesLeft > 0 ? max(left / 2, 1) : left
      switch post(method, content, milliseconds: repeatable ? part : left, connecting: part) {
      case .answered(let answer):
        do throws(EngineError) { return try Self.checked(answer) { message = $0 } } catch {
          isLeaseMissing = answer.status == 404 && message.contains("requested lease not found")
          guard error == .unreachable else { throw error }
          // The member has no leader, or stops.
          advance()
          guard repeatable, triesLeft > 0 else { throw error }
        }
      case .notSent(let reason):
        advance()
        message = reason
        guard triesLeft > 0 else { throw .unreachable }
      case .lost(let reason, let error):
        advance()
        message = reason
        guard repeatable, triesLeft > 0 else { throw error }
      }
    }
  }

  /// Uses the next member, over a new connection.
  private func advance() {
    connection = nil
    index = endpoints.isEmpty ? 0 : (index + 1) % endpoints.count
  }

  private func post(
    _ method: StaticString, _ content: [UInt8], milliseconds: Int, connecting: Int
  ) -> HTTPConnection.Outcome {
    guard endpoints.indices.contains(index) else { return .notSent("no endpoint") }
    if connection?.isOfThisProcess != true { connection = HTTPConnection(credentials) }
    guard let connection else { return .notSent("libcurl cannot be used") }
    let outcome = connection.post(
      "\(endpoints[index])/v3/\(method)", content, milliseconds: milliseconds,
      connecting: connecting)
    if case .answered(let answer) = outcome {
      if answer.isNewConnection { generation += 1 }
      time = answer.time
    }
    return outcome
  }

  /// What the gateway reports instead of an answer.
  private struct Problem: Decodable {
    let message: String?
    let error: String?
  }

  /// Returns the answer, or throws the error that the gateway reports.
  private static func checked<Answer: Decodable>(
    _ answer: HTTPConnection.Answer, onFailure failure: (String) -> Void
  ) throws(EngineError) -> Answer {
    guard answer.status == 200, let value: Answer = EtcdJSON.decoded(answer.body) else {
      let problem: Problem? = EtcdJSON.decoded(answer.body)
      let message = problem?.message ?? problem?.error ?? ""
      if message.contains("database space exceeded") {
        failure("\(message): the alarm NOSPACE is raised, and etcd refuses all changes")
        throw .refused
      }
      let unexplained =
        answer.status == 200 ? "the answer is not etcd's" : "HTTP status \(answer.status)"
      failure(message.isEmpty ? unexplained : message)
      // 503: the cluster has no leader or lost it, or the time for a quorum was over.
      throw answer.status == 503 ? .unreachable : .refused
    }
    return value
  }
}
