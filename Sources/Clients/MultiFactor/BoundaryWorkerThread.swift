import Glibc
import Synchronization

/// A thread that runs jobs one after the other, in the order in which they were added. The thread
/// exists while there are jobs.
///
/// A queue of libdispatch would do the same, but libdispatch writes a line to the system log when its
/// first thread starts in a process that may not raise its priority.
package final class WorkerThread: Sendable {
  private struct State {
    var jobs: [@Sendable () -> Void] = []
    var isRunning = false
  }

  private let state = Mutex(State())

  /// Creates a worker without jobs.
  package init() {}

  /// Adds a job.
  package func add(_ job: @escaping @Sendable () -> Void) {
    let mustStart = state.withLock { state in
      state.jobs.append(job)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if mustStart { start() }
  }

  /// Starts a thread for the jobs. If the system allows no further thread, this one runs them.
  private func start() {
    // SAFETY: the thread takes over the reference that is passed to it.
    let worker = unsafe Unmanaged.passRetained(self)
    // SAFETY: exactly one of the thread and this function takes the reference back.
    if unsafe !start(worker.toOpaque()) { unsafe worker.takeRetainedValue().run() }
  }

  /// Starts a detached thread that takes back the reference `worker`. Returns whether it started.
  private func start(_ worker: UnsafeMutableRawPointer) -> Bool {
    var attributes = pthread_attr_t()
    // SAFETY: the attributes outlive the call, which initialises them.
    guard unsafe pthread_attr_init(&attributes) == 0 else { return false }
    // SAFETY: the attributes are initialised.
    unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    var thread = pthread_t()
    // SAFETY: the attributes are initialised, and the argument is a retained reference.
    let error = unsafe pthread_create(
      &thread, &attributes,
      { worker in
        // SAFETY: the argument is the retained reference, which only this thread takes back.
        unsafe worker.map {
          unsafe Unmanaged<WorkerThread>.fromOpaque($0).takeRetainedValue().run()
        }
        return nil
      }, worker)
    // SAFETY: the attributes are not used again.
    unsafe pthread_attr_destroy(&attributes)
    return error == 0
  }

  private func run() {
    while let job = next() { job() }
  }

  private func next() -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard !state.jobs.isEmpty else {
        state.isRunning = false
        return nil
      }
      return state.jobs.removeFirst()
    }
  }
}
