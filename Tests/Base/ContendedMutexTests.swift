import Dispatch
import Foundation
import Synchronization
import Testing

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
