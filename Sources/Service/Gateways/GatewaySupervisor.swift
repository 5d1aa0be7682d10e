import MFABase

/// The process that starts the workers of the gateway service, and replaces those that end.
///
/// MUST 1: a gateway that hangs delays only the messages of its own worker.
/// (`GatewayServiceTests.hangingGateway`)
/// MUST 2: when the service is stopped, or this process is killed, each worker finishes its message
/// first, with the limits of a gateway. (`GatewayServiceTests.stoppedService`, `.killedSupervisor`)
struct GatewaySupervisor {
  private let worker: GatewayWorker
  private let attention: Attention
  /// The process of each worker, or 0.
  private var processes = [Int32](repeating: 0, count: Self.workers)

  /// The number of messages that are sent at the same time.
  static var workers: Int { 8 }

  /// How long the workers may take to finish when the service is stopped, in seconds: the time in which
  /// a client hands over its message, and two runs of a gateway.
  private static var patience: Int64 { 22 }

  init(_ worker: GatewayWorker) throws(SystemError) {
    self.worker = worker
    attention = try Attention()
  }

  /// How many workers are started in a second at most. If each worker ends at once, because of a
  /// fault, the host must not be kept busy with starting them.
  private static var startsPerSecond: Int { 2 &* workers }

  /// Supervises the workers until the service is stopped and they have finished.
  mutating func run() throws(SystemError) {
    var second: Int64 = 0
    var startsLeft = 0
    while true {
      removeEnded()
      let now = try Clock.sinceBoot()
      if now != second { (second, startsLeft) = (now, Self.startsPerSecond) }
      let isComplete = start(most: &startsLeft)
      if try attention.wait(for: [], seconds: isComplete ? nil : 1) { return try stop() }
    }
  }

  /// Stops the workers, and waits until they have ended, `patience` at most.
  private mutating func stop() throws(SystemError) {
    for process in processes where process != 0 { WorkerProcess.stop(process) }
    let deadline = try Clock.sinceBoot() &+ Self.patience
    while true {
      removeEnded()
      guard processes.contains(where: { $0 != 0 }), try Clock.sinceBoot() < deadline else { return }
      _ = try attention.wait(for: [], seconds: 1)
    }
  }

  private mutating func removeEnded() {
    while let ended = WorkerProcess.nextEnded() {
      for index in processes.indices where processes[index] == ended { processes[index] = 0 }
    }
  }

  /// Starts the missing workers, `most` at most. Returns whether all of them could be started.
  private mutating func start(most: inout Int) -> Bool {
    for index in processes.indices where processes[index] == 0 {
      guard most > 0 else { return false }
      most &-= 1
      do throws(SystemError) {
        switch try WorkerProcess.start(whenThisEnds: .stops) {
        case .copy(let process): processes[index] = process
        case .thisProcess:
          worker.run()
          WorkerProcess.leave(0)
        }
      } catch {
        return false
      }
    }
    return true
  }
}
