#if Fleet
import MFARealm
import Synchronization

/// Whether the decision service works. The relays of thousands of hosts ask every few seconds, and one answer serves
/// all that ask within `lifetime`.
final class DecisionHealth: Sendable {
  private let service: DecisionService
  private let state = Mutex(State())

  private struct State {
    var answer: Task<Bool, Never>?
    var begun = ContinuousClock.now
  }

  /// How long an answer is used.
  private static var lifetime: Duration { .seconds(1) }

  init(_ service: DecisionService) { self.service = service }

  /// Whether the service works, or worked less than `lifetime` ago.
  func works() async -> Bool {
    let service = service
    let answer = state.withLock { state in
      if let answer = state.answer, ContinuousClock.now - state.begun < Self.lifetime {
        return answer
      }
      let answer = Task {
        do { return try await service.reply(to: .ping) == .alive } catch { return false }
      }
      state = State(answer: answer, begun: .now)
      return answer
    }
    return await answer.value
  }
}
#endif
