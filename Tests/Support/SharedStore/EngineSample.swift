import Foundation
import MFAStore
import Synchronization

@testable import MFARealmStore

/// Shorthands for tests of engines.
package enum EngineSample {
  /// Returns the key of a user's row.
  package static func key(_ name: String = "alice") -> EngineKey {
    guard let key = EngineKey(.user, Array(name.utf8)) else {
      preconditionFailure("\(name) is no id")
    }
    return key
  }

  /// Returns a change of a row in the first epoch.
  package static func change(
    _ name: String = "alice", version: UInt64, _ attempts: String = "attempts"
  ) -> EngineChange {
    var change = EngineChange(epoch: 1)
    change.row = row(name, version: version, attempts)
    return change
  }

  /// Returns a change of a row.
  package static func row(
    _ name: String = "alice", version: UInt64, _ attempts: String = "attempts"
  ) -> EngineRowChange {
    EngineRowChange(
      key(name), version: version, record: Array("record of \(name)".utf8),
      attempts: Array(attempts.utf8))
  }

  /// Returns a change that counts a failure of a host, or depends on its failures.
  package static func failure(
    _ name: String, host: [UInt8] = [9], period: Int64 = 5, limit: UInt32 = 2,
    isFailure: Bool = true
  ) -> EngineChange {
    var change = change(name, version: 0)
    change.budget = HostBudget(host: host, period: period, limit: limit, isFailure: isFailure)
    return change
  }

  /// Returns a change that stores an answer.
  package static func answering(
    _ name: String, nonce: UInt8, expires: Int64 = 4_000_000_000
  ) -> EngineChange {
    var change = change(name, version: 0)
    change.answer = EngineAnswer(
      nonce: [UInt8](repeating: nonce, count: 16), answer: Array("answer of \(name)".utf8),
      expires: expires)
    return change
  }

  /// Returns the error of a call.
  package static func error(_ body: () throws(EngineError) -> Void) -> EngineError? {
    do throws(EngineError) { try body() } catch { return error }
    return nil
  }

  /// Returns the error that a value throws.
  package static func error<Value>(
    of value: @autoclosure () throws(EngineError) -> Value
  ) -> EngineError? {
    do throws(EngineError) { _ = try value() } catch { return error }
    return nil
  }

  /// Returns the line after a log's end: the number of the line, and a checksum over all lines.
  package static func line(_ text: String, after end: [UInt8]) -> EngineLogLine {
    let number = end.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) } + 1
    var sum = end.dropFirst(4).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    for byte in text.utf8 { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
    let next =
      (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
      + (0..<8).map { UInt8(truncatingIfNeeded: sum >> (56 - 8 * $0)) }
    return EngineLogLine(number: number, text: Array(text.utf8), end: next)
  }

  /// Calls a function in threads that all begin at the same time, and returns the results.
  package static func inThreads<Result: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) -> Result
  ) -> [Result] {
    let results = Results<Result>()
    let ready = DispatchSemaphore(value: 0)
    let start = DispatchSemaphore(value: 0)
    let end = DispatchGroup()
    for index in 0..<count {
      end.enter()
      Thread {
        ready.signal()
        start.wait()
        let result = body(index)
        results.all.withLock { $0.append(result) }
        end.leave()
      }.start()
    }
    for _ in 0..<count { ready.wait() }
    for _ in 0..<count { start.signal() }
    end.wait()
    return results.all.withLock { $0 }
  }

  private final class Results<Result: Sendable>: Sendable { let all = Mutex<[Result]>([]) }
}

extension StoreEngine {
  /// Commits the sample of a change.
  package func commit(_ name: String = "alice", version: UInt64) throws(EngineError) {
    try commit(EngineSample.change(name, version: version), entering: nil)
  }
}
