import Glibc

/// A scope in which SIGPIPE is blocked in this thread, for writes to a helper that may have ended.
/// A library must neither let the signal end the program nor change how the program handles it.
struct BrokenPipeSignalBlock: ~Copyable {
  private var before: sigset_t
  private let signal: sigset_t
  /// Whether a SIGPIPE was pending before, which is the program's own.
  private let wasPending: Bool

  init() {
    var signal = sigset_t()
    // SAFETY: the call initialises the set.
    unsafe sigemptyset(&signal)
    // SAFETY: the set is initialised.
    unsafe sigaddset(&signal, SIGPIPE)
    var before = sigset_t()
    // SAFETY: the call reads the initialised set, and initialises the other one.
    unsafe pthread_sigmask(SIG_BLOCK, &signal, &before)
    var pending = sigset_t()
    // SAFETY: the call initialises the set.
    unsafe sigpending(&pending)
    // SAFETY: the set is initialised.
    wasPending = unsafe sigismember(&pending, SIGPIPE) == 1
    self.signal = signal
    self.before = before
  }

  /// Discards the SIGPIPE that a failed write left pending in this thread. A signal that was
  /// pending before stays pending.
  func discardPendingSignal() {
    guard !wasPending else { return }
    var signal = signal
    var now = timespec(tv_sec: 0, tv_nsec: 0)
    // SAFETY: both objects are initialised and outlive the call.
    _ = unsafe sigtimedwait(&signal, nil, &now)
  }

  deinit {
    var before = before
    // SAFETY: the set is the one that the system returned in `init`.
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
  }
}
