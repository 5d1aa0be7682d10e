import Dispatch

/// Runs an actor's work on a queue of its own, where waiting for the helper holds up nobody else.
final class HelperExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "MultiFactor.HelperExecutor")

  func enqueue(_ job: consuming ExecutorJob) {
    // SAFETY: the job runs once, here, on the executor that it was given to.
    let job = UnownedJob(job)
    let executor = unsafe asUnownedSerialExecutor()
    queue.async { unsafe job.runSynchronously(on: executor) }
  }
}

extension MultiFactor {
  /// The queue of its own that the actor waits for the helper on.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    // SAFETY: the actor owns the executor, which so lives as long as it is referred to.
    unsafe executor.asUnownedSerialExecutor()
  }
}
