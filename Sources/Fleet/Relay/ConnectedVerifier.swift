#if Fleet
import GRPCCore
import MFAFleetService
import MFAFleetTransport
import Synchronization

/// A verifier that the relay has a connection to.
final class ConnectedVerifier: Sendable {
  private typealias Client = GRPCClient<FleetClient.Transport>

  let address: FleetAddress
  /// The place of the verifier in the configuration.
  let number: Int
  private let realm: VerifierHealth
  private let credentials: FleetCredentials
  private let health = Atomic<Bool>(true)
  private let client: Mutex<Client>
  /// The clients, each of which replaces the one before.
  private let clients: AsyncStream<Client>
  private let nextClients: AsyncStream<Client>.Continuation

  init(
    _ address: FleetAddress, _ credentials: FleetCredentials, number: Int, realm: VerifierHealth
  ) throws {
    self.address = address
    self.number = number
    self.realm = realm
    self.credentials = credentials
    let first = try FleetClient.make(to: address, credentials)
    client = Mutex(first)
    (clients, nextClients) = AsyncStream.makeStream(of: Client.self)
    nextClients.yield(first)
  }

  /// Whether the last conversation or check succeeded.
  var isHealthy: Bool {
    get { health.load(ordering: .relaxed) }
    set { health.store(newValue, ordering: .relaxed) }
  }

  /// Notes that the verifier answered.
  func noteAnswer() {
    isHealthy = true
    realm.answered(number)
  }

  /// Notes how a request without an answer ended.
  func noteFailure(_ code: RPCError.Code?) {
    isHealthy = false
    realm.failed(number, code)
  }

  /// The service for the time in which no verifier answers.
  var offline: FleetOffline.Client<FleetClient.Transport> {
    FleetOffline.Client(wrapping: client.withLock { $0 })
  }

  /// The service at the other end.
  var service: FleetVerifier.Client<FleetClient.Transport> {
    FleetVerifier.Client(wrapping: client.withLock { $0 })
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

  /// Replaces the connection by one with the present certificate. Conversations on the earlier one go on.
  func reconnect() throws {
    let next = try FleetClient.make(to: address, credentials)
    nextClients.yield(next)
    let earlier = client.withLock { client in
      defer { client = next }
      return client
    }
    earlier.beginGracefulShutdown()
  }

  /// Checks every few seconds whether the verifier works, so that a conversation need not find out.
  func watch() async {
    var failures = 0
    while !Task.isCancelled {
      do {
        var options = CallOptions.defaults
        options.timeout = .seconds(3)
        _ = try await service.check(FleetCheckRequest(), options: options)
        noteAnswer()
        failures = 0
      } catch {
        noteFailure((error as? RPCError)?.code)
        failures = min(failures + 1, 6)
      }
      let wait = failures == 0 ? Duration.seconds(10) : .milliseconds(250) * (1 << failures)
      // Relays that lost the same verifier must not all come back at the same moment.
      guard await sleep(wait * Double.random(in: 0.7...1.3)) else { return }
    }
  }

  /// Sleeps, but wakes up if a conversation finds that the verifier does not work. Returns false if the task was
  /// cancelled.
  private func sleep(_ duration: Duration) async -> Bool {
    let wasHealthy = isHealthy
    var left = duration
    while left > .zero, isHealthy || !wasHealthy {
      let part = min(left, .seconds(1))
      do { try await Task.sleep(for: part) } catch { return false }
      left -= part
    }
    return true
  }
}
#endif
