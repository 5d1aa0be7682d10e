/// Functions that limit the time of tasks.
package enum Deadline {
  /// Returns the result of `body`. Cancels it after `limit`, waits until it has ended, and returns nil
  /// unless it has a result all the same.
  package static func limit<Result: Sendable>(
    _ limit: Duration, _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result? {
    try await withThrowingTaskGroup(of: Result?.self) { group in
      group.addTask { try await body() }
      group.addTask {
        do {
          try await Task.sleep(for: limit)
        } catch {
          // The body has ended first.
        }
        return nil
      }
      let first = try await group.next() ?? nil
      group.cancelAll()
      if let first { return first }
      do {
        return try await group.next() ?? nil
      } catch {
        try Task.checkCancellation()
        return nil
      }
    }
  }
}
