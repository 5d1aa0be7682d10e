import Glibc

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
