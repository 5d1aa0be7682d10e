#if Fleet
import GRPCCore
import MFAFactors
import MFAFleetService
import MFAFleetTransport
import Synchronization

/// A verifier that the relay has a connection to.
final class ConnectedVerifier: Sendable {
  private typealias Client = GRPCClient<FleetClient.Transport>

  let address: FleetAddress
  private let credentials: FleetCredentials
  private let health = Atomic<Bool>(true)
  private let client: Mutex<Client>
  /// The clients, each of which replaces the one before.
  private let clients: AsyncStream<Client>
  private let nextClients: AsyncStream<Client>.Continuation

  init(_ address: FleetAddress, _ credentials: FleetCredentials) throws {
    self.address = address
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

  private func check() async throws {
    var options = CallOptions.defaults
    options.timeout = .seconds(3)
    let metadata: Metadata = [HostMetadata.version: "\(Release.version)"]
    _ = try await service.check(FleetCheckRequest(), metadata: metadata, options: options)
  }

  /// Returns whether the verifier and its decision service answer a check.
  func answersCheck() async -> Bool {
    do {
      try await check()
      return true
    } catch {
      return false
    }
  }

  /// Checks every few seconds whether the verifier works, so that a conversation need not find out.
  func watch() async {
    var failures = 0
    while !Task.isCancelled {
      do {
        try await check()
        isHealthy = true
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
