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
