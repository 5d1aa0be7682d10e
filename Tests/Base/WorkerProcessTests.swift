import Foundation
import Glibc
import MFABase
import MFATestSupport
import Testing

/// Copies of a process. Each test runs in a separate process, because a copy of the test process would
/// lack its threads. An alarm ends a copy that does not end as expected.
@Suite("Copies of a process")
struct WorkerProcessTests {
  /// The steps that a copy has taken, in memory that it shares.
  static let steps = 0

  /// Starts a copy that calls `body` and ends with its status. Returns the ID of the copy.
  static func start(_ body: () -> Int32) throws -> Int32 {
    switch try WorkerProcess.start() {
    case .copy(let process): return process
    case .thisProcess:
      Alarm.set(seconds: 20)
      WorkerProcess.leave(body())
    }
  }

  /// Waits for the end of a copy. Returns its status if it ended by itself, and otherwise the negated
  /// number of the signal that ended it.
  static func end(of process: Int32) -> Int32 {
    switch ExitStatus.ofChild(process) {
    case .exited(let status): status
    case .killed(let signal): -signal
    case nil: .min
    }
  }

  /// Returns the blocked signals of this process, as in /proc.
  static func blockedSignals() -> UInt64? {
    let text = FileManager.default.contents(atPath: "/proc/self/status") ?? Data()
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
    return lines.first { $0.hasPrefix("SigBlk:\t") }.flatMap { UInt64($0.dropFirst(8), radix: 16) }
  }

  /// Waits until a copy has taken this step, at most 20 seconds.
  static func wait(for step: UInt32, _ numbers: SharedNumbers) {
    Alarm.set(seconds: 20)
    while numbers[steps] < step { Clock.pause(milliseconds: 1) }
    Alarm.set(seconds: 0)
  }

  /// Takes a step inside `stoppable`, and waits for a signal.
  static func waitForStop(_ numbers: SharedNumbers) -> Int32 {
    do throws(SystemError) {
      try WorkerProcess.stoppable { () throws(SystemError) in
        numbers.add(1, at: steps)
        while true { pause() }
      }
    } catch {}
    return 1
  }

  @Test("a copy has its status, and is reported once when it has ended")
  func status() async {
    await #expect(processExitsWith: .success) {
      #expect(WorkerProcess.nextEnded() == nil)
      let first = try WorkerProcessTests.start { 7 }
      #expect(WorkerProcessTests.end(of: first) == 7)
      #expect(WorkerProcess.nextEnded() == nil)
      let second = try WorkerProcessTests.start { 0 }
      var ended: Int32?
      while ended == nil { ended = WorkerProcess.nextEnded() }
      #expect(ended == second)
      #expect(WorkerProcess.nextEnded() == nil)
    }
  }

  @Test("a copy that waits is stopped at once")
  func stoppedWhileWaiting() async {
    await #expect(processExitsWith: .success) {
      let numbers = try #require(SharedNumbers(count: 1))
      let process = try WorkerProcessTests.start { WorkerProcessTests.waitForStop(numbers) }
      WorkerProcessTests.wait(for: 1, numbers)
      WorkerProcess.stop(process)
      #expect(WorkerProcessTests.end(of: process) == -SIGTERM)
    }
  }

  @Test("a copy that works is stopped only when it waits, before and after its first wait")
  func stoppedAfterWork() async {
    await #expect(processExitsWith: .success) {
      for hasWaited in [false, true] {
        let numbers = try #require(SharedNumbers(count: 2))
        let process = try WorkerProcessTests.start {
          do throws(SystemError) {
            if hasWaited { try WorkerProcess.stoppable { () throws(SystemError) in } }
          } catch {
            return 1
          }
          numbers.add(1, at: WorkerProcessTests.steps)
          // The test has sent the signal.
          while numbers[1] == 0 { Clock.pause(milliseconds: 1) }
          numbers.add(1, at: WorkerProcessTests.steps)
          return WorkerProcessTests.waitForStop(numbers)
        }
        WorkerProcessTests.wait(for: 1, numbers)
        WorkerProcess.stop(process)
        numbers[1] = 1
        #expect(WorkerProcessTests.end(of: process) == -SIGTERM)
        // The copy finished its work, and did not begin to wait.
        #expect(numbers[WorkerProcessTests.steps] == 2)
      }
    }
  }

  @Test("an error of the waiting function leaves the copy working")
  func failedWait() async {
    await #expect(processExitsWith: .success) {
      let numbers = try #require(SharedNumbers(count: 2))
      let process = try WorkerProcessTests.start {
        do throws(SystemError) {
          try WorkerProcess.stoppable { () throws(SystemError) in throw .notFound(.open) }
        } catch {
          numbers.add(1, at: WorkerProcessTests.steps)
        }
        while numbers[1] == 0 { Clock.pause(milliseconds: 1) }
        return 9
      }
      WorkerProcessTests.wait(for: 1, numbers)
      WorkerProcess.stop(process)
      numbers[1] = 1
      #expect(WorkerProcessTests.end(of: process) == 9)
    }
  }

  @Test("a copy that works can be ended at once")
  func ended() async {
    await #expect(processExitsWith: .success) {
      let numbers = try #require(SharedNumbers(count: 1))
      let process = try WorkerProcessTests.start {
        numbers.add(1, at: WorkerProcessTests.steps)
        while true { pause() }
      }
      WorkerProcessTests.wait(for: 1, numbers)
      WorkerProcess.end(process)
      #expect(WorkerProcessTests.end(of: process) == -SIGKILL)
    }
  }

  @Test("a copy has only the stop signal blocked, whatever its starter blocks")
  func signals() async {
    await #expect(processExitsWith: .success) {
      _ = try Attention()
      let process = try WorkerProcessTests.start {
        // Signal 1 is bit 0.
        WorkerProcessTests.blockedSignals() == 1 << UInt64(SIGTERM - 1) ? 0 : 1
      }
      #expect(WorkerProcessTests.end(of: process) == 0)
    }
  }

  @Test("a copy does not outlive the process that started it")
  func starterEnds() async {
    await #expect(processExitsWith: .success) {
      let numbers = try #require(SharedNumbers(count: 2))
      let ends = try PipeEnds()
      let starter = try WorkerProcessTests.start {
        do {
          _ = try WorkerProcessTests.start {
            numbers.add(1, at: WorkerProcessTests.steps)
            sleep(2)
            numbers[1] = 1
            return 0
          }
        } catch {
          return 1
        }
        WorkerProcessTests.wait(for: 1, numbers)
        return 0
      }
      let reading = FileHandle(fileDescriptor: ends.takeReadEnd(), closeOnDealloc: true)
      #expect(WorkerProcessTests.end(of: starter) == 0)
      // The pipe ends with the copy, which holds its other end.
      #expect(try reading.readToEnd()?.isEmpty ?? true)
      #expect(numbers[1] == 0)
    }
  }

  @Test("an alarm ends a process, unless it is switched off")
  func alarm() async {
    await #expect(processExitsWith: .success) {
      let numbers = try #require(SharedNumbers(count: 1))
      let process = try WorkerProcessTests.start {
        Alarm.set(seconds: 1)
        return WorkerProcessTests.waitForStop(numbers)
      }
      #expect(WorkerProcessTests.end(of: process) == -SIGALRM)
      let other = try WorkerProcessTests.start {
        Alarm.set(seconds: 1000)
        Alarm.set(seconds: 0)
        return Int32(Glibc.alarm(0))
      }
      #expect(WorkerProcessTests.end(of: other) == 0)
    }
  }
}
