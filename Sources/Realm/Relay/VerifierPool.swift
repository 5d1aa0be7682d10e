#if Fleet
import FoundationEssentials
import GRPCCore
import MFARealmTransport
import MFABase

/// The verifiers of the realm.
package struct VerifierPool: Sendable {
  let verifiers: [ConnectedVerifier]
  private let metrics: RelayMetrics
  private let credentials: RealmCredentials.Files
  let health: VerifierHealth

  /// How long a verifier may be silent before it is checked, and how long the check may take.
  private static var patience: Duration { .seconds(1) }
  /// How long a verifier that works may take to decide.
  private static var longestDecision: Duration { .seconds(30) }
  /// How long all verifiers together may be silent.
  private static var longest: Duration { .milliseconds(4500) }
  /// How long they may be silent if no sign-in waits.
  private static var longestWait: Duration { .seconds(15) }
  /// How long all verifiers together may be silent while the relay is offline.
  private static var longestOffline: Duration { .milliseconds(1500) }

  /// The outcome of a call.
  package enum Outcome: Sendable {
    /// A verifier answered with this packet.
    case answered([UInt8])
    case unanswered
    /// A verifier refused the request as malformed.
    case refused
  }

  init(
    _ addresses: [RealmAddress], _ credentials: RealmCredentials, _ metrics: RelayMetrics
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
      configuration.verifiers, try RealmCredentials(configuration.credentials),
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

  /// Calls a method of the first verifier that answers.
  func call(_ method: RealmMethod, _ strings: [[UInt8]]) async throws -> [[UInt8]] {
    var failure = RPCError(code: .unavailable, message: "there is no verifier")
    for verifier in candidates {
      do {
        return try await verifier.call(method, strings, timeout: .seconds(20))
      } catch let error as RPCError {
        failure = error
      }
    }
    throw failure
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

  /// The verifiers in the order in which they are tried: those that work first, each group in random order.
  var candidates: [ConnectedVerifier] {
    verifiers.filter(\.isHealthy).shuffled() + verifiers.filter { !$0.isHealthy }.shuffled()
  }

  /// Has the first verifier that answers decide. While time is left, all are tried again: the connection to a verifier
  /// may just have been replaced. Each gets the same call, so that an attempt is counted once. `canWait` is true if no
  /// sign-in waits for the decision.
  package func decide(_ call: RealmCall, canWait: Bool = false) async -> Outcome {
    let longest =
      health.phase == .offline ? Self.longestOffline : canWait ? Self.longestWait : Self.longest
    let begin = ContinuousClock.now
    let deadline = begin + longest
    var failures: [Failure] = []
    for wait in Self.waits + (canWait ? Self.longWaits : []) {
      guard await Self.sleep(wait, until: deadline) else { break }
      for verifier in candidates {
        let left = deadline - ContinuousClock.now
        guard left > .zero else { break }
        switch await Self.ask(verifier, call, patience: min(Self.patience, left / 2)) {
        case .success(let packet):
          metrics.answer.observe(since: begin)
          verifier.noteAnswer()
          return .answered(packet)
        case .failure(let error):
          failures.append((verifier.address, error.code))
          metrics.unanswered.add(for: verifier.address.text)
          // The check finds out when the verifier works again.
          verifier.noteFailure(error.code)
          guard error.code != .invalidArgument else {
            Self.log(failures)
            return .refused
          }
        }
      }
    }
    Self.log(failures)
    return .unanswered
  }

  /// Has a verifier decide. One that is silent is checked, and given up if nothing answers the check.
  private static func ask(
    _ verifier: ConnectedVerifier, _ call: RealmCall, patience: Duration
  ) async -> Result<[UInt8], RPCError> {
    await withTaskGroup(of: Result<[UInt8], RPCError>?.self) { group in
      group.addTask {
        do {
          let strings = try await verifier.call(
            .decide, call.strings, timeout: longestDecision)
          guard strings.count == 1 else {
            return .failure(RPCError(code: .unavailable, message: "the reply is malformed"))
          }
          return .success(strings[0])
        } catch {
          return .failure(
            error as? RPCError ?? RPCError(code: .unavailable, message: "the connection ended"))
        }
      }
      group.addTask {
        repeat {
          do { try await Task.sleep(for: patience) } catch { return nil }
        } while await !verifier.isSilent(for: patience)
        return .failure(RPCError(code: .deadlineExceeded, message: "the verifier is silent"))
      }
      defer { group.cancelAll() }
      while let result = await group.next() {
        if let result { return result }
      }
      return .failure(RPCError(code: .cancelled, message: "the call was cancelled"))
    }
  }

  /// A verifier that did not answer.
  private typealias Failure = (verifier: RealmAddress, code: RPCError.Code)

  /// How long to wait before each time that all verifiers are tried.
  private static var waits: [Duration] { [.zero, .milliseconds(100), .milliseconds(300)] }

  /// How long to wait before each further time, if no sign-in waits.
  private static var longWaits: [Duration] { [.seconds(1), .seconds(2), .seconds(3)] }

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
    var line = LogLine(errorIn: "relay", reason: "no-verifier")
    for failure in failures.suffix(8) {
      line.add("verifier", escaping: Array(failure.verifier.text.utf8))
      line.add("status", escaping: Array("\(failure.code)".utf8))
    }
    Log.write(.error, line)
  }
}
#endif
