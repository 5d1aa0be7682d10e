import Glibc
import MFABase
import Synchronization

/// A guard that restores the terminal's settings and screen when a signal ends or stops the program,
/// and draws the screen again when its size changes or the program continues.
///
/// The main thread receives the signals that end or stop the program. It does nothing but wait for
/// them, so no work is done in a signal handler. (An asynchronous `main` cannot be used: its
/// executor does not keep the signals blocked.)
enum TerminalGuard {
  /// What was changed of a terminal.
  private struct Change {
    let descriptor: Int32
    let before: termios
    /// The screen that is shown, or nil if only the echo is off.
    let screen: KeyScreen?
  }

  /// What is said when a signal ends the program.
  private struct LastMessage {
    let text: String
    let output: Output
  }

  private static let change = Mutex<Change?>(nil)
  private static let lastMessage = Mutex<LastMessage?>(nil)
  private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH]

  /// Blocks the signals. Call this before any thread starts, because threads inherit the signal
  /// mask.
  static func prepare() {
    block(SIG_BLOCK, signals)
  }

  /// Runs `body` while terminal input is not echoed.
  static func withoutEcho(on input: Input, _ body: () -> SecretBytes?) -> SecretBytes? {
    begin(input.descriptor, nil)
    let result = body()
    end()
    return result
  }

  /// Shows a screen, whose input is read key by key and not echoed.
  static func show(_ screen: KeyScreen, on input: Input) { begin(input.descriptor, screen) }

  /// Hides the screen that is shown.
  static func hideScreen() { end() }

  /// Writes `text` if a signal ends the program, after the terminal is restored.
  static func whenEnded(write text: String, to output: Output) {
    lastMessage.withLock { $0 = LastMessage(text: text, output: output) }
  }

  /// Writes nothing if a signal ends the program.
  static func withdrawLastMessage() { lastMessage.withLock { $0 = nil } }

  private static func begin(_ descriptor: Int32, _ screen: KeyScreen?) {
    change.withLock { change in
      var attributes = termios()
      // SAFETY: the call writes the attributes, which outlive it.
      guard unsafe tcgetattr(descriptor, &attributes) == 0 else { return }
      change = Change(descriptor: descriptor, before: attributes, screen: screen)
      apply(change)
    }
  }

  private static func end() {
    change.withLock { change in
      undo(change)
      change = nil
    }
  }

  private static func apply(_ change: Change?) {
    guard let change else { return }
    var attributes = change.before
    attributes.c_lflag &= ~tcflag_t(change.screen == nil ? ECHO : ECHO | ICANON | IEXTEN)
    // SAFETY: the call reads the attributes. It discards input that was typed too early.
    _ = unsafe tcsetattr(change.descriptor, TCSAFLUSH, &attributes)
    if change.screen != nil { Output(descriptor: change.descriptor).write(KeyScreen.enter) }
  }

  private static func undo(_ change: Change?) {
    guard let change else { return }
    var attributes = change.before
    if change.screen != nil { Output(descriptor: change.descriptor).write(KeyScreen.leave) }
    // SAFETY: the call reads the attributes, which are those that the terminal had before.
    _ = unsafe tcsetattr(change.descriptor, TCSANOW, &attributes)
  }

  /// Waits for signals. Restores the terminal before each signal takes effect. Shows a screen's time
  /// left.
  static func wait() -> Never {
    while true {
      var set = set(signals)
      var patience = timespec(tv_sec: 10, tv_nsec: 0)
      // SAFETY: the objects outlive the call.
      let number = unsafe sigtimedwait(&set, nil, &patience)
      guard number > 0 else {
        change.withLock { $0?.screen?.drawLine() }
        continue
      }
      change.withLock { change in
        guard number != SIGWINCH else {
          change?.screen?.draw()
          return
        }
        undo(change)
        if let change, change.screen == nil {
          Output(descriptor: change.descriptor).write("\n")
        }
        if ends(number) {
          writeLastMessage(endingLine: change == nil)
          PictureFile.removingUnfinished { deliver(number) }
        } else {
          deliver(number)
        }
        apply(change)
        change?.screen?.draw()
      }
    }
  }

  private static func writeLastMessage(endingLine: Bool) {
    lastMessage.withLock { message in
      guard let message else { return }
      message.output.write("\(endingLine ? "\n" : "")\(message.text)\n")
    }
  }

  /// Delivers the signal to this thread, the only one that unblocks it.
  private static func deliver(_ number: Int32) {
    kill(getpid(), number)
    block(SIG_UNBLOCK, [number])
    block(SIG_BLOCK, [number])
  }

  /// Returns whether the signal ends the program: true except for SIGTSTP, and for signals that
  /// were already ignored when the program started, as under nohup.
  private static func ends(_ number: Int32) -> Bool {
    guard number != SIGTSTP else { return false }
    var action = sigaction()
    // SAFETY: the call writes a `sigaction`, which `action` is, and changes nothing.
    guard unsafe sigaction(number, nil, &action) == 0 else { return true }
    // SAFETY: this program installs no signal handler, so the union holds `sa_handler`. The handler
    // is compared as a number because SIG_IGN is the address 1.
    return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) != 1
  }

  private static func block(_ how: Int32, _ signals: [Int32]) {
    var set = set(signals)
    // SAFETY: the set is initialised and outlives the call.
    _ = unsafe pthread_sigmask(how, &set, nil)
  }

  private static func set(_ signals: [Int32]) -> sigset_t {
    var set = sigset_t()
    // SAFETY: the first call initialises the set.
    unsafe sigemptyset(&set)
    // SAFETY: the set is initialised.
    for signal in signals { unsafe sigaddset(&set, signal) }
    return set
  }
}

/// The terminal that the program runs in, even if its standard streams are redirected.
struct TerminalStreams {
  let input: Input
  let output: Output

  /// Opens the terminal. Returns nil if the program has none.
  static func open() -> TerminalStreams? {
    // SAFETY: the string outlives the call.
    let descriptor = unsafe Glibc.open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    return TerminalStreams(
      input: Input(descriptor: descriptor), output: Output(descriptor: descriptor))
  }
}
