/// An executor that runs an actor's work on its own thread, so that waiting for the helper blocks no
/// other task.
final class HelperExecutor: SerialExecutor {
  private let thread = WorkerThread()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // SAFETY: the executor belongs to the actor, which the job keeps alive.
    let executor = unsafe asUnownedSerialExecutor()
    // SAFETY: the job runs once, on the executor that it was given to.
    thread.add { unsafe job.runSynchronously(on: executor) }
  }
}

extension MultiFactor {
  /// The actor's own thread, on which it waits for the helper.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    // SAFETY: the actor owns the executor and keeps it alive.
    unsafe executor.asUnownedSerialExecutor()
  }
}
