import Glibc
import Secrets
import Synchronization

/// Sees to it that the terminal is left as it was found, however the program ends.
///
/// The signals that end or stop a program are taken by the main thread, which does nothing but wait
/// for them, so that what has to be done about them happens in no signal handler. (An asynchronous
/// `main` does not go together with this: what runs it lets all signals through.)
enum TerminalGuard {
  private struct Hidden {
    let descriptor: Int32
    let before: termios
  }

  private static let hidden = Mutex<Hidden?>(nil)
  private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]

  /// Blocks the signals. Call it before any thread starts: threads inherit the blocked signals.
  static func prepare() {
    block(SIG_BLOCK, signals)
  }

  /// Runs `body` while what is typed is not shown.
  static func withoutEcho(on input: Input, _ body: () -> SecretBytes?) -> SecretBytes? {
    hide(input.descriptor)
    let result = body()
    hidden.withLock { hidden in
      reveal(hidden)
      hidden = nil
    }
    return result
  }

  private static func hide(_ descriptor: Int32) {
    hidden.withLock { hidden in
      var attributes = termios()
      // SAFETY: the call writes the attributes, which outlive it.
      guard unsafe tcgetattr(descriptor, &attributes) == 0 else { return }
      hidden = Hidden(descriptor: descriptor, before: attributes)
      hideAgain(hidden)
    }
  }

  private static func hideAgain(_ hidden: Hidden?) {
    guard let hidden else { return }
    var attributes = hidden.before
    attributes.c_lflag &= ~tcflag_t(ECHO)
    // SAFETY: the attributes are read by the call. What was typed too early is thrown away.
    _ = unsafe tcsetattr(hidden.descriptor, TCSAFLUSH, &attributes)
  }

  private static func reveal(_ hidden: Hidden?) {
    guard let hidden else { return }
    var attributes = hidden.before
    // SAFETY: the attributes are read by the call and are those that the terminal had.
    _ = unsafe tcsetattr(hidden.descriptor, TCSANOW, &attributes)
  }

  /// Waits for signals: puts the terminal right, then lets the signal do what it does to a program.
  static func wait() -> Never {
    while true {
      var number: Int32 = 0
      var set = set(signals)
      // SAFETY: both objects outlive the call.
      guard unsafe sigwait(&set, &number) == 0 else { continue }
      hidden.withLock { hidden in
        reveal(hidden)
        if let hidden { Output(descriptor: hidden.descriptor).write("\n") }
        if ends(number) {
          PictureFile.removingUnfinished { deliver(number) }
        } else {
          deliver(number)
        }
        hideAgain(hidden)
      }
    }
  }

  /// Has the signal delivered here, where alone it is not blocked.
  private static func deliver(_ number: Int32) {
    kill(getpid(), number)
    block(SIG_UNBLOCK, [number])
    block(SIG_BLOCK, [number])
  }

  /// Whether the signal ends the program: all do but SIGTSTP, unless whoever started the program has
  /// them ignored, as nohup does.
  private static func ends(_ number: Int32) -> Bool {
    guard number != SIGTSTP else { return false }
    var action = sigaction()
    // SAFETY: the call writes a `sigaction`, which `action` is, and changes nothing.
    guard unsafe sigaction(number, nil, &action) == 0 else { return true }
    // SAFETY: nobody in this program sets a handler of either kind: the field is the plain one. It is
    // compared as a number, for SIG_IGN is the address 1.
    return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) != 1
  }

  private static func block(_ how: Int32, _ signals: [Int32]) {
    var set = set(signals)
    // SAFETY: the set is initialised and outlives the call.
    _ = unsafe pthread_sigmask(how, &set, nil)
  }

  private static func set(_ signals: [Int32]) -> sigset_t {
    var set = sigset_t()
    // SAFETY: the set is initialised by the first call.
    unsafe sigemptyset(&set)
    for signal in signals { unsafe sigaddset(&set, signal) }
    return set
  }
}
