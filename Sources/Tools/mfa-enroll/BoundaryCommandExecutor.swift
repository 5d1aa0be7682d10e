import MultiFactor

/// An executor that runs a command on a thread of its own.
final class CommandExecutor: TaskExecutor {
  private let thread = WorkerThread()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // SAFETY: the task keeps its executor alive.
    let executor = unsafe asUnownedTaskExecutor()
    // SAFETY: the job runs once, on the executor that it was given to.
    thread.add { unsafe job.runSynchronously(on: executor) }
  }
}
