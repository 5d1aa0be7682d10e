import Synchronization

/// The places for requests at the decision service, which hosts share.
///
/// MUST 1: no more requests have a place than there are places, and no host has more than half of
/// them, rounded up. (`DecisionPlacesTests`)
package final class DecisionPlaces: Sendable {
  private let state: Mutex<State>
  private let most: Int
  private let mostPerHost: Int

  private struct State {
    var taken = 0
    var takenByHost: [String: Int] = [:]
    var waiting: [Waiting] = []
    var lastNumber = 0
  }

  private struct Waiting {
    let number: Int
    let host: String
    let continuation: CheckedContinuation<Bool, Never>
  }

  /// Creates this number of places.
  package init(_ most: Int) {
    self.most = most
    mostPerHost = max((most + 1) / 2, 1)
    state = Mutex(State())
  }

  /// The number of places that are taken.
  package var taken: Int { state.withLock { $0.taken } }

  /// Waits for a place for a host. Returns false if the task is cancelled first.
  package func take(for host: String) async -> Bool {
    let number = state.withLock { state -> Int in
      state.lastNumber += 1
      return state.lastNumber
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> Bool? in
          guard !Task.isCancelled else { return false }
          guard !claim(host, in: &state) else { return true }
          state.waiting.append(Waiting(number: number, host: host, continuation: continuation))
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let waiting = state.withLock { state -> Waiting? in
        guard let index = state.waiting.firstIndex(where: { $0.number == number }) else {
          return nil
        }
        return state.waiting.remove(at: index)
      }
      waiting?.continuation.resume(returning: false)
    }
  }

  /// Gives back a place of a host. The first host that waits and may have it gets it.
  package func giveBack(by host: String) {
    let next = state.withLock { state -> Waiting? in
      state.taken -= 1
      let left = (state.takenByHost[host] ?? 1) - 1
      state.takenByHost[host] = left > 0 ? left : nil
      guard let index = state.waiting.firstIndex(where: { claim($0.host, in: &state) }) else {
        return nil
      }
      return state.waiting.remove(at: index)
    }
    next?.continuation.resume(returning: true)
  }

  private func claim(_ host: String, in state: inout State) -> Bool {
    let own = state.takenByHost[host] ?? 0
    guard state.taken < most, own < mostPerHost else { return false }
    state.taken += 1
    state.takenByHost[host] = own + 1
    return true
  }
}
