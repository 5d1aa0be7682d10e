#if Fleet
import FoundationEssentials
import GRPCCore
import MFAFleetCertificates
import MFAFleetService
import MFAFleetTransport
import MFASystem

/// The verifiers of the realm.
struct VerifierPool: Sendable {
  let verifiers: [ConnectedVerifier]
  private let credentials: FleetCredentials.Files

  /// How long one verifier may take to send its first packet.
  private static var patience: Duration { .seconds(2) }
  /// How long all verifiers together may take. The module waits 5 seconds.
  private static var longest: Duration { .milliseconds(4500) }

  init(_ addresses: [FleetAddress], _ credentials: FleetCredentials) throws {
    self.credentials = credentials.files
    verifiers = try addresses.map { address in
      try ConnectedVerifier(address, credentials)
    }
  }

  /// Keeps the connections, until the task is cancelled.
  func connect() async {
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
    var failure = RPCError(code: .unavailable, message: "there is no verifier")
    for verifier in candidates {
      var options = CallOptions.defaults
      options.timeout = .seconds(20)
      do {
        return try await verifier.service.renew(request, options: options)
      } catch let error as RPCError {
        failure = error
      }
    }
    throw failure
  }

  /// Why no verifier can accept the certificate of this host; empty if it has not expired.
  var expiry: String {
    do {
      let present = try IssuedCredentials(
        pem: try FleetFile(credentials.own).read(isSecret: true), path: credentials.own)
      guard let own = present.chain.first, own.notValidAfter < .now else { return "" }
      return "the certificate of this host has expired"
    } catch {
      return "the certificate of this host cannot be read"
    }
  }

  /// The verifiers in the order in which they are tried: those that work first, each group in random order.
  var candidates: [ConnectedVerifier] {
    verifiers.filter(\.isHealthy).shuffled() + verifiers.filter { !$0.isHealthy }.shuffled()
  }

  /// Runs a conversation with the first verifier that answers. While time is left, all are tried again: the
  /// connection to a verifier may just have been replaced. Returns whether one answered.
  func run(_ channel: PacketChannel, _ start: FleetStart) async -> Bool {
    let deadline = ContinuousClock.now + Self.longest
    var failures: [Failure] = []
    for wait in Self.waits {
      guard await Self.sleep(wait, until: deadline) else { break }
      for verifier in candidates {
        let left = deadline - ContinuousClock.now
        guard left > .zero else { break }
        let attempt = ConversationAttempt(channel, start)
        switch await attempt.run(at: verifier, limit: min(Self.patience, left)) {
        case .ended:
          verifier.isHealthy = true
          return true
        case .unanswered(let code):
          failures.append(Failure(verifier: verifier.address, code: code))
          // The check finds out when the verifier works again.
          verifier.isHealthy = false
        }
        guard failures.last?.code != .invalidArgument else {
          Self.log(failures)
          return false
        }
      }
    }
    Self.log(failures)
    return false
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
