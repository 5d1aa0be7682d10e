import MFABase

/// The process that starts the workers and replaces those that end. It touches no connection, no key
/// and no record.
///
/// MUST 1: a worker that ends, for whatever reason, is replaced. (`Served.killedWorkers`)
/// MUST 2: a process that could not be started is started later. (`SupervisorTests.startsLater`)
/// MUST 3: when the service is stopped, each worker finishes its request first, unless that
/// takes longer than `patience`. (`Served.stoppedInRequest`)
package struct Supervisor<Worker: PoolWorker> {
  private var pools: [Pool]
  private let attention: Attention

  /// How long the workers may take to finish when the service is stopped, in seconds.
  private static var patience: Int64 { 5 }

  /// How many workers are started in a second at most. If each worker ends at once, because of a fault,
  /// the host must not be kept busy with starting them.
  private static var startsPerSecond: Int { 200 }

  /// The workers of one listener.
  private struct Pool {
    let worker: Worker
    /// The process in each slot, or 0.
    var processes = [Int32](repeating: 0, count: WorkerShare.maximumProcesses)

    /// Starts processes until enough of them wait for a connection, `most` at most. Returns false if
    /// a process could not be started.
    mutating func fill(most: inout Int) -> Bool {
      while most > 0, worker.share.idleProcesses < WorkerShare.spareProcesses,
        let slot = processes.prefix(worker.share.most).firstIndex(of: 0)
      {
        most -= 1
        worker.share.started(in: slot)
        do throws(SystemError) {
          switch try WorkerProcess.start() {
          case .copy(let process): processes[slot] = process
          case .thisProcess:
            worker.share.slot = slot
            worker.run()
            WorkerProcess.leave(0)
          }
        } catch {
          worker.share.ended(in: slot)
          return false
        }
      }
      return true
    }

    /// Records that a process has ended, if it is one of these workers.
    mutating func remove(_ process: Int32) {
      guard let slot = processes.firstIndex(of: process) else { return }
      processes[slot] = 0
      worker.share.ended(in: slot)
    }

    var isEmpty: Bool { processes.allSatisfy { $0 == 0 } }

    /// Has the workers end: those that serve nobody at once, the others when they have finished.
    func stop() {
      worker.share.isStopping = true
      for slot in processes.indices where processes[slot] != 0 && worker.share.isDispensable(slot) {
        WorkerProcess.stop(processes[slot])
      }
    }

    /// Ends all workers at once.
    func end() { for process in processes where process != 0 { WorkerProcess.end(process) } }
  }

  /// Creates a supervisor of pools, one for each worker.
  package init(_ workers: [Worker]) throws(SystemError) {
    attention = try Attention()
    pools = workers.map { Pool(worker: $0) }
  }

  /// Supervises the workers until the service is stopped.
  package mutating func run() throws(SystemError) {
    let needs = pools.map { $0.worker.share.need }
    var second: Int64 = 0
    var startsLeft = 0
    var mustRetry = false
    repeat {
      removeEnded()
      let now = try Clock.sinceBoot()
      if now != second { (second, startsLeft) = (now, Self.startsPerSecond) }
      // After a failure, such as a lack of memory, nothing else may cause another attempt.
      mustRetry = false
      for index in pools.indices where !pools[index].fill(most: &startsLeft) { mustRetry = true }
    } while try !attention.wait(for: needs, seconds: startsLeft > 0 && !mustRetry ? nil : 1)
    for pool in pools { pool.stop() }
    let deadline = try Clock.sinceBoot() &+ Self.patience
    while true {
      removeEnded()
      if pools.allSatisfy({ $0.isEmpty }) { return }
      guard try Clock.sinceBoot() < deadline else { break }
      _ = try attention.wait(for: needs, seconds: 1)
    }
    for pool in pools { pool.end() }
  }

  private mutating func removeEnded() {
    while let process = WorkerProcess.nextEnded() {
      for index in pools.indices { pools[index].remove(process) }
    }
  }
}
