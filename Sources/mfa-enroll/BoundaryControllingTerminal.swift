import Glibc

/// The terminal that the program runs at, wherever its standard streams lead.
struct ControllingTerminal {
  let input: Input
  let output: Output

  /// Nil when there is none.
  static func open() -> ControllingTerminal? {
    // SAFETY: the string lives until the call returns.
    let descriptor = unsafe Glibc.open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    return ControllingTerminal(
      input: Input(descriptor: descriptor), output: Output(descriptor: descriptor))
  }
}
