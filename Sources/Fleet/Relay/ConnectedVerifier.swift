#if Fleet
import GRPCCore
import MFAFleetService
import MFAFleetTransport
import Synchronization

/// A verifier that the relay has a connection to.
final class ConnectedVerifier: Sendable {
  private typealias Client = GRPCClient<FleetClient.Transport>

  let address: FleetAddress
  private let credentials: FleetCredentials
  private let metrics: RelayMetrics
  private let health = Atomic<Bool>(true)
  private let connection = Atomic<Bool>(false)
  private let client: Mutex<Client>
  /// The clients, each of which replaces the one before.
  private let clients: AsyncStream<Client>
  private let nextClients: AsyncStream<Client>.Continuation

  init(
    _ address: FleetAddress, _ credentials: FleetCredentials, _ metrics: RelayMetrics
  ) throws {
    self.address = address
    self.credentials = credentials
    self.metrics = metrics
    let first = try Self.client(address, credentials, metrics)
    client = Mutex(first)
    (clients, nextClients) = AsyncStream.makeStream(of: Client.self)
    nextClients.yield(first)
  }

  private static func client(
    _ address: FleetAddress, _ credentials: FleetCredentials, _ metrics: RelayMetrics
  ) throws -> Client {
    try FleetClient.make(to: address, credentials) { metrics.connected(to: address) }
  }

  /// Whether the last conversation or check succeeded.
  var isHealthy: Bool {
    get { health.load(ordering: .relaxed) }
    set { health.store(newValue, ordering: .relaxed) }
  }

  /// Whether a check has ever succeeded.
  var isConnected: Bool { connection.load(ordering: .relaxed) }

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
    let next = try Self.client(address, credentials, metrics)
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
        isHealthy = true
        connection.store(true, ordering: .relaxed)
        failures = 0
      } catch {
        isHealthy = false
        failures = min(failures + 1, 6)
      }
      let wait = failures == 0 ? Duration.seconds(10) : .milliseconds(250) * (1 << failures)
      // Relays that lost the same verifier must not all come back at the same moment.
      do {
        try await Task.sleep(for: wait * Double.random(in: 0.7...1.3))
      } catch {
        return
      }
    }
  }
}
#endif
