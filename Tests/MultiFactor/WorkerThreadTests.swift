import Synchronization
import Testing

@testable import MultiFactor

@Suite struct WorkerThreadTests {
  /// The numbers of the jobs that have run.
  private final class Record: Sendable {
    private let numbers = Mutex<[Int]>([])
    func add(_ number: Int) { numbers.withLock { $0.append(number) } }
    var all: [Int] { numbers.withLock { $0 } }
  }

  @Test("jobs run in the order in which they were added, one at a time")
  func order() async {
    let worker = WorkerThread()
    let record = Record()
    for number in 0..<1000 { worker.add { record.add(number) } }
    await withCheckedContinuation { done in worker.add { done.resume() } }
    #expect(record.all == Array(0..<1000))
  }

  @Test("a job can add another, and a worker without jobs starts again")
  func again() async {
    let worker = WorkerThread()
    let record = Record()
    for number in 0..<100 {
      await withCheckedContinuation { done in
        worker.add {
          record.add(number)
          worker.add { done.resume() }
        }
      }
    }
    #expect(record.all == Array(0..<100))
  }

  @Test("no job is lost when many threads add jobs")
  func manyThreads() async {
    let worker = WorkerThread()
    let record = Record()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask {
          await withCheckedContinuation { done in
            worker.add {
              record.add(number)
              done.resume()
            }
          }
        }
      }
    }
    #expect(record.all.sorted() == Array(0..<200))
  }
}
