#if Fleet
import FoundationEssentials
import GRPCCore
import MFARealmTransport
import MFABase

/// The verifiers of the realm.
package struct VerifierPool: Sendable {
  let verifiers: [ConnectedVerifier]
  private let metrics: RelayMetrics
  private let credentials: FleetCredentials.Files
  let health: VerifierHealth

  /// How long one verifier may take to send its first packet.
  private static var patience: Duration { .seconds(2) }
  /// How long all verifiers together may take, and a user waits at most for the reply to a request.
  private static var longest: Duration { .milliseconds(4500) }
  /// How long all verifiers together may take while the relay is offline.
  private static var longestOffline: Duration { .milliseconds(1500) }

  /// How a conversation ended.
  package enum Outcome: Sendable {
    /// A verifier answered. The flag says whether its last message allowed the sign-in.
    case answered(isAllowed: Bool)
    case unanswered
    /// A verifier refused the request as malformed.
    case refused
  }

  init(
    _ addresses: [FleetAddress], _ credentials: FleetCredentials, _ metrics: RelayMetrics
  ) throws {
    self.metrics = metrics
    self.credentials = credentials.files
    let health = VerifierHealth(verifiers: addresses.count)
    self.health = health
    verifiers = try addresses.enumerated().map { number, address in
      try ConnectedVerifier(address, credentials, metrics, number: number, realm: health)
    }
  }

  /// Creates the pool of a relay with this configuration.
  package init(_ configuration: RelayConfiguration) throws {
    try self.init(
      configuration.verifiers, try FleetCredentials(configuration.credentials),
      RelayMetrics(configuration.verifiers))
  }

  /// The number of verifiers that the relay has reached and that work.
  package var working: Int { verifiers.count { $0.isHealthy && $0.isConnected } }

  /// Keeps the connections, until the task is cancelled.
  package func connect() async {
    await withDiscardingTaskGroup { group in
      for verifier in verifiers {
        group.addTask { await verifier.connect() }
        group.addTask { await verifier.watch() }
      }
    }
  }

  /// Replaces all connections by ones with the present certificate.
  func reconnect() throws { for verifier in verifiers { try verifier.reconnect() } }

  /// Has a verifier renew the certificate of this host.
  func renew(_ request: FleetRenewRequest) async throws -> FleetCertificateReply {
    var options = CallOptions.defaults
    options.timeout = .seconds(20)
    return try await withAnswer { [options] in
      try await $0.service.renew(request, options: options)
    }
  }

  /// Why no verifier can accept the certificate of this host; empty if it has not expired.
  var expiry: String {
    do {
      let present = try IssuedCredentials(file: credentials.own)
      guard let own = present.chain.first, own.notValidAfter < .now else { return "" }
      return "the certificate of this host has expired"
    } catch {
      return "the certificate of this host cannot be read"
    }
  }

  /// Calls `body` with the verifiers in turn, until one answers.
  func withAnswer<Result: Sendable>(
    _ body: (ConnectedVerifier) async throws -> Result
  ) async throws -> Result {
    var failure = RPCError(code: .unavailable, message: "there is no verifier")
    for verifier in candidates {
      do {
        return try await body(verifier)
      } catch let error as RPCError {
        failure = error
      }
    }
    throw failure
  }

  /// The verifiers in the order in which they are tried: those that work first, each group in random order.
  var candidates: [ConnectedVerifier] {
    verifiers.filter(\.isHealthy).shuffled() + verifiers.filter { !$0.isHealthy }.shuffled()
  }

  /// Runs a conversation with the first verifier that answers. While time is left, all are tried again: the
  /// connection to a verifier may just have been replaced.
  package func run(_ channel: PacketChannel, _ start: FleetStart) async -> Outcome {
    let longest = health.phase == .offline ? Self.longestOffline : Self.longest
    let begin = ContinuousClock.now
    let deadline = begin + longest
    var failures: [Failure] = []
    for wait in Self.waits {
      guard await Self.sleep(wait, until: deadline) else { break }
      for verifier in candidates {
        let left = deadline - ContinuousClock.now
        guard left > .zero else { break }
        let attempt = ConversationAttempt(channel, start) {
          metrics.answered(after: ContinuousClock.now - begin)
        }
        switch await attempt.run(at: verifier, limit: min(Self.patience, left)) {
        case .ended:
          verifier.noteAnswer()
          return .answered(isAllowed: attempt.isAllowed)
        case .unanswered(let code):
          failures.append(Failure(verifier: verifier.address, code: code))
          metrics.unanswered(by: verifier.address)
          // The check finds out when the verifier works again.
          verifier.noteFailure(code)
        }
        guard failures.last?.code != .invalidArgument else {
          Self.log(failures)
          return .refused
        }
      }
    }
    Self.log(failures)
    return .unanswered
  }

  /// A verifier that sent no packet.
  private struct Failure {
    let verifier: FleetAddress
    let code: RPCError.Code?
  }

  /// How long to wait before each time that all verifiers are tried.
  private static var waits: [Duration] { [.zero, .milliseconds(100), .milliseconds(300)] }

  /// Waits for about this time. Returns false if the deadline would be over, or if the task was cancelled.
  private static func sleep(
    _ wait: Duration, until deadline: ContinuousClock.Instant
  ) async -> Bool {
    guard wait > .zero else { return true }
    guard ContinuousClock.now + wait * 2 < deadline else { return false }
    do {
      try await Task.sleep(for: wait * Double.random(in: 0.5...1.5))
      return true
    } catch {
      return false
    }
  }

  private static func log(_ failures: [Failure]) {
    var line = FleetLog.failure("relay", "no-verifier")
    for failure in failures.suffix(8) {
      line.add("verifier", escaping: Array(failure.verifier.text.utf8))
      line.add("status", escaping: Array((failure.code.map { "\($0)" } ?? "none").utf8))
    }
    FleetLog.write(line)
  }
}
#endif
