import MFARealmTransport
import Synchronization

/// A reason to check a verifier before the next check is due. A relay that waits for one uses no processor time.
///
/// MUST 1: a reason that arose before anything waited ends the next wait at once, unless it was forgotten.
/// (`CheckReasonTests.early`, `.forgotten`)
/// MUST 2: a wait ends when its time is over, or when its task is cancelled. (`CheckReasonTests.time`, `.cancelled`)
final class CheckReason: Sendable {
  private let reasons = Mutex(newReasons())

  private static func newReasons() -> (
    stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation
  ) {
    AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Ends the present wait, or the next one.
  func arise() { _ = reasons.withLock { $0.continuation.yield() } }

  /// Forgets a reason that arose before: the check that begins now serves it.
  func forget() { reasons.withLock { $0 = Self.newReasons() } }

  /// Waits for a reason. Only one task may wait at a time.
  func wait(atMost duration: Duration) async {
    let stream = reasons.withLock { $0.stream }
    do {
      let isOver: Bool? = try await Deadline.limit(duration) {
        for await _ in stream { return false }
        return true
      }
      // A stream whose task was cancelled has ended.
      if isOver != false { forget() }
    } catch {
      // The task was cancelled.
      forget()
    }
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
