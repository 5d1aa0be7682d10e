import MFARealmTransport
import Synchronization

/// A reason to check a verifier before the next check is due. A relay that waits for one uses no processor time.
///
/// MUST 1: a reason that arose before anything waited ends the next wait at once, unless it was forgotten.
/// (`CheckReasonTests.early`, `.forgotten`)
/// MUST 2: a wait ends when its time is over, or when its task is cancelled. (`CheckReasonTests.time`, `.cancelled`)
final class CheckReason: Sendable {
  private let state = Mutex(State())

  private struct State {
    var hasArisen = false
    /// The task that waits.
    var waiter: CheckedContinuation<Void, Never>?
  }

  /// Ends the present wait, or the next one.
  func arise() {
    state.withLock { $0.hasArisen = true }
    wake()
  }

  /// Forgets a reason that arose before: the check that begins now serves it.
  func forget() { state.withLock { $0.hasArisen = false } }

  /// Waits for a reason. Only one task may wait at a time.
  func wait(atMost duration: Duration) async {
    do {
      _ = try await Deadline.limit(duration) { await self.wait() }
    } catch {
      // The task was cancelled.
    }
  }

  private func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waits = state.withLock { state -> Bool in
          guard !state.hasArisen, state.waiter == nil, !Task.isCancelled else { return false }
          state.waiter = continuation
          return true
        }
        if !waits { continuation.resume() }
      }
    } onCancel: {
      wake()
    }
  }

  private func wake() {
    let waiter = state.withLock { state in
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }
}

/// Functions for an answer that may come late, and is waited for all the same.
///
/// MUST 1: once the function has returned, nothing more is noted: it would follow what the caller notes about the
/// answer. (`LateAnswerTests.end`)
enum LateAnswer {
  /// Runs `body`. Each time that `patience` is over, calls `note`.
  static func note(
    every patience: Duration, _ note: @escaping @Sendable () -> Void,
    during body: () async throws -> Void
  ) async throws {
    let clock = Task {
      while true {
        try await Task.sleep(for: patience)
        note()
      }
    }
    func stop() async {
      clock.cancel()
      _ = await clock.result
    }
    do {
      try await body()
    } catch {
      await stop()
      throw error
    }
    await stop()
  }
}
