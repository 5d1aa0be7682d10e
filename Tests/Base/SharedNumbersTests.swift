import Dispatch
import Foundation
import MFABase
import MFACrypto
import MFACSecretsTesting
import MFATestSupport
import Synchronization
import Testing

/// Numbers that processes share.
@Suite("Shared numbers")
struct SharedNumbersTests {
  @Test("numbers begin as zero and are independent of each other")
  func independent() throws {
    let numbers = try #require(SharedNumbers(count: 2000))
    for index in 0..<2000 { #expect(numbers[index] == 0) }
    numbers[0] = .max
    numbers[1999] = 7
    #expect(numbers[0] == .max && numbers[1] == 0 && numbers[1998] == 0 && numbers[1999] == 7)
    #expect(numbers.add(3, at: 1999) == 10)
    #expect(numbers.add(-10, at: 1999) == 0)
    #expect(numbers.add(1, at: 0) == 0)
  }

  @Test("an index that does not exist is zero and cannot be set")
  func bounds() throws {
    let numbers = try #require(SharedNumbers(count: 3))
    for index in [-1, 3, .min, .max] {
      numbers[index] = 5
      #expect(numbers[index] == 0)
      #expect(numbers.add(5, at: index) == 0)
    }
    #expect((0..<3).allSatisfy { numbers[$0] == 0 })
  }

  @Test("a count without memory has no numbers")
  func count() {
    for count in [0, -1, .min, .max, .max / 4, 1 << 60] {
      #expect(SharedNumbers(count: count) == nil, "\(count)")
    }
  }

  @Test("additions of several processes are not lost, and each process sees them")
  func processes() async {
    await #expect(processExitsWith: .success) {
      let numbers = try #require(SharedNumbers(count: 2))
      var copies: [Int32] = []
      for _ in 0..<4 {
        switch try WorkerProcess.start() {
        case .copy(let process): copies.append(process)
        case .thisProcess:
          for _ in 0..<50_000 { numbers.add(1, at: 0) }
          numbers.add(1, at: 1)
          WorkerProcess.leave(0)
        }
      }
      for process in copies { #expect(WorkerProcessTests.end(of: process) == 0) }
      #expect(numbers[0] == 200_000 && numbers[1] == 4)
    }
  }
}

@Suite("Contended Mutex")
struct ContendedMutexTests {
  @Test("a value that threads wait for is counted right, and is no data race for ThreadSanitizer")
  func contention() {
    let counts = Mutex([Int: Int]())
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      for _ in 0..<500 {
        counts.withLock { counts in
          sched_yield()
          counts[number % 2, default: 0] += 1
        }
      }
    }
    #expect(counts.withLock { $0 } == [0: 2000, 1: 2000])
  }
}

/// libcrypto is loaded by the first call that needs it, or that call fails. Each test runs in a
/// separate process, because the library is loaded only once.
@Suite struct LoadingTests {
  /// Runs mfa-loading-probe, which is built beside the tests.
  private static func probe(_ argument: String) throws -> [String] {
    let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path
    return try Command.succeed(["\(folder)/mfa-loading-probe", argument])
      .split(separator: "\n").map(String.init)
  }

  @Test func libcryptoIsLoadedOnDemand() throws {
    #expect(
      try Self.probe("on-demand") == [
        "after base32 and a comparison (true): not loaded", "after random bytes (done): loaded",
      ])
  }

  @Test func withoutLibcryptoOperationsFail() throws {
    #expect(
      try Self.probe("no-files") == [
        "files are forbidden: true", "cryptography, cryptography, cryptography, cryptography",
        "opened: false, equal: true", "files are allowed: true",
        "before the next call: not loaded", "after random bytes (done): loaded",
      ])
  }

  @Test func fromManyThreadsAtOnce() async {
    await #expect(processExitsWith: .success) {
      // The test library does not record failures on foreign threads, so the threads return 1 for
      // success.
      let succeeded = testing_in_threads(32) { number in
        let key = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 20)
        do throws(SystemError) {
          var authentication = try HMAC(algorithm: .sha256, key: key.span)
          let first = try authentication.tag(of: key.span)
          var again = try HMAC(algorithm: .sha256, key: key.span)
          let second = try again.tag(of: key.span)
          return first.revealed == second.revealed ? 1 : 0
        } catch {
          return 0
        }
      }
      #expect(succeeded == 32)
    }
  }
}
