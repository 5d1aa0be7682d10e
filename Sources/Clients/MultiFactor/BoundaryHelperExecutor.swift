import Dispatch

/// An executor that runs an actor's work on its own queue, so that waiting for the helper blocks no
/// other task.
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
  /// The actor's own queue, on which it waits for the helper.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    // SAFETY: the actor owns the executor and keeps it alive.
    unsafe executor.asUnownedSerialExecutor()
  }
}
