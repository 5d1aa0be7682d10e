#if Fleet
import GRPCCore
import MFABase
import MFAModel
import MFARealmTransport
import Synchronization

/// A verifier that the relay has a connection to.
final class ConnectedVerifier: Sendable {
  private typealias Client = GRPCClient<RealmClient.Transport>

  let address: RealmAddress
  /// The place of the verifier in the configuration.
  let number: Int
  private let realm: VerifierHealth
  private let credentials: RealmCredentials
  private let metrics: RelayMetrics
  /// Arises when a connection begins or ends, and when a request finds that the verifier does not work.
  private let reason = CheckReason()
  private let health = Atomic<Bool>(true)
  private let connection = Atomic<Bool>(false)
  private let client: Mutex<Client>
  /// The clients, each of which replaces the one before.
  private let clients: AsyncStream<Client>
  private let nextClients: AsyncStream<Client>.Continuation

  init(
    _ address: RealmAddress, _ credentials: RealmCredentials, _ metrics: RelayMetrics,
    number: Int, realm: VerifierHealth
  ) throws {
    self.address = address
    self.number = number
    self.realm = realm
    self.credentials = credentials
    self.metrics = metrics
    let first = try Self.client(address, credentials, metrics, reason)
    client = Mutex(first)
    (clients, nextClients) = AsyncStream.makeStream(of: Client.self)
    nextClients.yield(first)
  }

  private static func client(
    _ address: RealmAddress, _ credentials: RealmCredentials, _ metrics: RelayMetrics,
    _ reason: CheckReason
  ) throws -> Client {
    try RealmClient.make(to: address, credentials) { event in
      if case .connected = event { metrics.connections.add(for: address.text) }
      reason.arise()
    }
  }

  /// Whether the last request or check succeeded.
  var isHealthy: Bool { health.load(ordering: .relaxed) }

  /// Notes that the verifier answered.
  func noteAnswer() {
    health.store(true, ordering: .relaxed)
    realm.answered(number)
  }

  /// Notes how a request without an answer ended. If the verifier worked before, it is checked now.
  func noteFailure(_ code: RPCError.Code?) {
    let didWork = isHealthy
    noteFailureOfCheck(code)
    if didWork { reason.arise() }
  }

  /// Notes how a check without an answer ended.
  private func noteFailureOfCheck(_ code: RPCError.Code?) {
    health.store(false, ordering: .relaxed)
    realm.failed(number, code)
  }

  /// Whether a check has ever succeeded.
  var isConnected: Bool { connection.load(ordering: .relaxed) }

  /// Calls a method of the verifier.
  func call(
    _ method: RealmMethod, _ strings: [[UInt8]], timeout: Duration
  ) async throws -> [[UInt8]] {
    try await client.withLock { $0 }.call(method, strings, timeout: timeout)
  }

  /// Keeps the connection, until the task is cancelled.
  func connect() async {
    await withDiscardingTaskGroup { group in
      for await client in clients {
        group.addTask {
          do {
            try await client.runConnections()
          } catch {
            // The task was cancelled.
          }
        }
      }
    }
  }

  /// Replaces the connection by one with the present certificate. Requests on the earlier one go on.
  func reconnect() throws {
    let next = try Self.client(address, credentials, metrics, reason)
    nextClients.yield(next)
    let earlier = client.withLock { client in
      defer { client = next }
      return client
    }
    earlier.beginGracefulShutdown()
  }

  private func check(atMost duration: Duration) async throws {
    let metadata: Metadata = [HostMetadata.version: "\(Release.version)"]
    _ = try await client.withLock { $0 }.call(.check, metadata: metadata, timeout: duration)
  }

  /// Returns whether a check is not answered in time. A verifier that is being stopped refuses the check, and still
  /// answers earlier requests.
  func isSilent(for duration: Duration) async -> Bool {
    do {
      try await check(atMost: duration)
      return false
    } catch {
      return (error as? RPCError)?.code == .deadlineExceeded
    }
  }

  /// Returns whether the verifier and its decision service answer a check.
  func answersCheck() async -> Bool {
    do {
      try await check(atMost: Self.patience)
      return true
    } catch {
      return false
    }
  }

  /// The time between two checks of a verifier that works. A request, and the end of a connection, show sooner
  /// that it does not. Thousands of hosts check, and each check takes both ends about a millisecond.
  private static var interval: Duration { .seconds(120) }

  /// The time between two checks of a verifier that works while the relay is not online yet.
  private static var intervalUntilOnline: Duration { .seconds(1) }

  /// How long a connection is used. The verifier ends connections after an hour. The time is random, so that hosts that
  /// connected at the same moment do not connect again at the same moment.
  private static var connectionLife: Duration { .seconds(3600) * Double.random(in: 0.5...0.95) }

  /// How long a verifier may take to answer a check before the relay prefers the others.
  private static var patience: Duration { .seconds(3) }

  /// How long a check waits for its answer. When thousands of hosts come back to a verifier at the same moment, it
  /// answers late. If they gave up and asked again, it would have all the more to do, and would answer none in time.
  private static var longestCheck: Duration { .seconds(60) }

  /// Checks now and then whether the verifier works, so that a request need not find out: after `interval`, and
  /// when there is a reason.
  func watch() async {
    var failures = 0
    var end = ContinuousClock.now + Self.connectionLife
    while !Task.isCancelled {
      if ContinuousClock.now > end {
        end = ContinuousClock.now + Self.connectionLife
        // If no new connection can be made, the present one stays until the verifier ends it.
        do { try reconnect() } catch { Log.writeError(in: "relay", reason: "reconnect") }
      }
      reason.forget()
      do {
        try await LateAnswer.note(every: Self.patience) { [self] in
          noteFailureOfCheck(.deadlineExceeded)
        } during: {
          try await check(atMost: Self.longestCheck)
        }
        noteAnswer()
        connection.store(true, ordering: .relaxed)
        failures = 0
      } catch {
        noteFailureOfCheck((error as? RPCError)?.code)
        failures = min(failures + 1, 6)
      }
      let wait =
        failures > 0
        ? .milliseconds(250) * (1 << failures)
        : realm.phase == .online ? Self.interval : Self.intervalUntilOnline
      // Relays that lost the same verifier must not all come back at the same moment.
      await reason.wait(atMost: wait * Double.random(in: 0.7...1.3))
    }
  }
}
#endif
