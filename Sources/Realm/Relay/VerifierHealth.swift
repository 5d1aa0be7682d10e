#if Fleet
import GRPCCore
import MFARealm
import Synchronization

/// Whether the verifiers of the realm answer this relay, as its requests and checks find out.
final class VerifierHealth: Sendable {
  private let state: Mutex<RelayState>
  private let beginning = ContinuousClock.now

  init(verifiers: Int) { state = Mutex(RelayState(verifiers: verifiers, at: 0)) }

  /// The state.
  var phase: RelayState.Phase { state.withLock { $0.phase } }

  private var now: Double { (ContinuousClock.now - beginning) / .seconds(1) }

  /// Notes that a verifier answered.
  func answered(_ verifier: Int) {
    let time = now
    state.withLock { $0.answered(verifier, at: time) }
  }

  /// Notes how a request without an answer ended. A verifier that refuses a request has answered.
  func failed(_ verifier: Int, _ code: RPCError.Code?) {
    switch code {
    case .invalidArgument, .permissionDenied, .resourceExhausted, .unauthenticated, .unimplemented:
      answered(verifier)
    case _:
      let time = now
      state.withLock { $0.failed(verifier, at: time) }
    }
  }
}
#endif
