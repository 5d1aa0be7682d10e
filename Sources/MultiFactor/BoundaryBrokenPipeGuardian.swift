import Glibc

/// Keeps SIGPIPE from this thread while it writes to a helper that may have ended: a library must
/// neither die of it nor change what the program does about it.
struct BrokenPipeGuardian: ~Copyable {
  private var before: sigset_t
  private let signal: sigset_t

  init() {
    // SAFETY: the sets are initialised by the calls before they are used.
    var signal = sigset_t()
    unsafe sigemptyset(&signal)
    unsafe sigaddset(&signal, SIGPIPE)
    var before = sigset_t()
    unsafe pthread_sigmask(SIG_BLOCK, &signal, &before)
    self.signal = signal
    self.before = before
  }

  /// Takes the signal away that a failed write has left, unless somebody waits for it.
  func swallow() {
    var signal = signal
    var now = timespec(tv_sec: 0, tv_nsec: 0)
    // SAFETY: all objects are initialised and outlive the call.
    guard unsafe sigismember(&signal, SIGPIPE) == 1 else { return }
    _ = unsafe sigtimedwait(&signal, nil, &now)
  }

  deinit {
    var before = before
    // SAFETY: the set is the one that `init` was given by the system.
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
  }
}
