import MFAStore
import MFATestSupport
import Testing

@testable import MFARealmStore

/// Requests to servers that fail.
@Suite("etcd session", .privateMachine)
struct EtcdSessionTests {
  private static let empty = EtcdTransaction()

  private static func session(_ servers: [FailingServer]) -> EtcdSession {
    EtcdSession(EtcdConfiguration(endpoints: servers.map(\.endpoint)))
  }

  private static func send(
    _ session: EtcdSession, _ deadline: Duration = .seconds(20), repeatable: Bool = false
  ) throws(EngineError) {
    _ = try session.send(
      empty, until: EtcdSession.deadline(after: deadline), repeatable: repeatable)
  }

  @Test func silentServerMissesTheDeadline() throws {
    let server = try FailingServer("silent")
    let session = Self.session([server])
    #expect(throws: EngineError.deadline) { try Self.send(session, .milliseconds(300)) }
    #expect(throws: EngineError.deadline) {
      try Self.send(session, .milliseconds(300), repeatable: true)
    }
    #expect(throws: EngineError.deadline) { try Self.send(session, .zero) }
    #expect(try server.requests() == 2)
  }

  @Test func lostRequestIsNotRepeated() throws {
    let servers = [try FailingServer("lost"), try FailingServer("lost")]
    let session = Self.session(servers)
    #expect(throws: EngineError.unreachable) { try Self.send(session) }
    #expect(try servers[0].requests() + servers[1].requests() == 1)
    #expect(throws: EngineError.unreachable) { try Self.send(session, repeatable: true) }
    #expect(try servers[0].requests() + servers[1].requests() == 3)
  }

  @Test func serverThatCannotBeReachedIsReplaced() throws {
    let server = try FailingServer("lost-later")
    // Nothing listens on these addresses.
    let session = EtcdSession(
      EtcdConfiguration(
        endpoints: ["http://127.63.0.1:2379", "http://127.63.0.2:2379", server.endpoint]))
    try Self.send(session)
    #expect(try server.requests() == 1)
    #expect(session.endpoint == server.endpoint)
  }

  /// libcurl repeats a request over a new connection if the old one is closed before an answer.
  @Test func connectionThatIsReplacedInARequestIsCounted() throws {
    let server = try FailingServer("lost-later")
    let session = Self.session([server])
    try Self.send(session)
    #expect(session.generation == 1)
    try Self.send(session)
    #expect(session.generation == 2)
    #expect(try server.requests() == 3)
  }

  @Test func redirectionIsNotFollowed() throws {
    let target = try FailingServer("lost-later")
    let server = try FailingServer("redirect", redirectingTo: target.endpoint + "/v3/kv/txn")
    let session = Self.session([server])
    #expect(throws: EngineError.refused) { try Self.send(session) }
    #expect(session.message == "HTTP status 307")
    #expect(try target.requests() == 0)
  }

  @Test func longAnswerIsRefused() throws {
    let server = try FailingServer("long")
    let session = Self.session([server])
    #expect(throws: EngineError.unreachable) { try Self.send(session) }
    #expect(session.message == "the answer is too long")
    #expect(try server.requests() == 1)
  }

  @Test func answerThatIsNotJSONIsRefused() throws {
    let server = try FailingServer("broken")
    let session = Self.session([server])
    #expect(throws: EngineError.refused) { try Self.send(session) }
    #expect(session.message == "the answer is not etcd's")
    #expect(try server.requests() == 1)
  }
}
