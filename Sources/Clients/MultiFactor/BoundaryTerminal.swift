public import MFABase
import Glibc

extension SecretBytes {
  /// Writes the bytes to standard output, after everything that the program printed before. Leaves no
  /// copy in memory.
  ///
  /// Waits until a reader or a terminal that is stopped (Ctrl-S) takes the bytes.
  ///
  /// - Parameter terminator: what to write after the bytes.
  /// - Returns: whether everything was written. It was not if standard output is closed or its disk is
  ///   full, for example. The user then has not seen the bytes.
  public func print(terminator: String = "\n") -> Bool {
    // Flushes the buffers of all output streams.
    fflush(nil)
    let signalBlock = BrokenPipeSignalBlock()
    do throws(SystemError) {
      try Channel().send(span, seconds: nil)
      try Channel().send(Array(terminator.utf8).span, seconds: nil)
      return true
    } catch {
      signalBlock.discardPendingSignal()
      return false
    }
  }

  /// Asks the user a question at the terminal of the process, and returns the answer without the
  /// newline. Nothing of the answer stays in other memory of the process.
  ///
  /// Ctrl-C raises SIGINT in the calling thread, after the terminal's settings are restored, and so
  /// does Ctrl-\ with SIGQUIT, at the end of the line. That ends the program, unless it handles or
  /// ignores the signal: the answer is then nil. Ctrl-Z suspends the program, which asks again when it
  /// continues. Blocks the calling thread until the user has answered.
  ///
  /// - Parameters:
  ///   - question: the question, which is written to the terminal even if standard output is a file.
  ///   - echo: whether the answer may be visible while it is typed.
  /// - Returns: the answer, at most 512 bytes, or nil if the process has no terminal, or if the user
  ///   typed more, ended the input (Ctrl-D) or interrupted the program.
  public static func ask(_ question: String, echo: Bool = false) -> SecretBytes? {
    guard let dialog = TerminalDialog() else { return nil }
    while true {
      switch dialog.answer(to: question, echo: echo) {
      case .typed(let answer): return answer
      case .ended: return nil
      case .signal(let signal):
        raiseUnblocked(signal)
        guard signal == SIGTSTP else { return nil }
      }
    }
  }

  /// Raises a signal in this thread even if the thread blocks it, as the threads of Swift's executor
  /// do.
  private static func raiseUnblocked(_ signal: Int32) {
    var signals = sigset_t()
    // SAFETY: the call initialises the set.
    unsafe sigemptyset(&signals)
    // SAFETY: the set is initialised.
    unsafe sigaddset(&signals, signal)
    var before = sigset_t()
    // SAFETY: the call reads the initialised set, and initialises the other one.
    unsafe pthread_sigmask(SIG_UNBLOCK, &signals, &before)
    raise(signal)
    // SAFETY: the set is the one that the system returned.
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
  }
}

/// One question at the controlling terminal. Destroying the value closes the terminal.
private struct TerminalDialog: ~Copyable {
  enum Answer: ~Copyable {
    case typed(SecretBytes)
    case ended
    /// The user typed the key of this signal.
    case signal(Int32)
  }

  /// The longest answer in bytes: PAM_MAX_RESP_SIZE.
  private static var longestAnswer: Int { 512 }

  private let terminal: Int32

  init?() {
    // SAFETY: the path is a NUL-terminated string that outlives the call.
    terminal = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard terminal >= 0 else { return nil }
  }

  deinit { if terminal >= 0 { close(terminal) } }

  borrowing func answer(to question: String, echo: Bool) -> Answer {
    var before = termios()
    // SAFETY: the call initialises the structure, which outlives it.
    guard unsafe tcgetattr(terminal, &before) == 0 else { return .ended }
    var during = before
    if !echo { during.c_lflag = during.c_lflag & ~tcflag_t(ECHO) | tcflag_t(ECHONL) }
    // The keys of signals arrive as characters instead, so that nothing happens before the settings
    // are restored. Two of them can also end the line.
    during.c_lflag &= ~tcflag_t(ISIG)
    let (interrupt, quit, suspend) = (before.c_cc.0, before.c_cc.1, before.c_cc.10)
    during.c_cc.11 = interrupt  // VEOL
    during.c_cc.16 = suspend  // VEOL2
    // SAFETY: the structure is initialised and outlives the call.
    guard unsafe tcsetattr(terminal, TCSAFLUSH, &during) == 0 else { return .ended }
    write(question)
    var line = readLine()
    // SAFETY: the structure is the one that the system returned. This also discards the rest of a
    // line that is too long.
    unsafe tcsetattr(terminal, TCSAFLUSH, &before)
    guard let last = line.popLast() else {
      write("\n")
      return .ended
    }
    // The value 0 stands for no key.
    if quit != 0, line.contains(quit) { return signal(SIGQUIT) }
    switch last {
    case UInt8(ascii: "\n"): return .typed(line.take())
    case interrupt: return signal(SIGINT)
    case suspend: return signal(SIGTSTP)
    case _: return .ended
    }
  }

  private func signal(_ signal: Int32) -> Answer {
    write("\n")
    return .signal(signal)
  }

  private func write(_ text: String) {
    let bytes = Array(text.utf8)
    // SAFETY: the call reads at most as many bytes as the array has.
    _ = unsafe bytes.withUnsafeBufferPointer {
      unsafe Glibc.write(terminal, $0.baseAddress, $0.count)
    }
  }

  /// Reads one line with the character that ended it. In canonical mode one call returns one line.
  private func readLine() -> Line {
    var bytes = SecretBytes(count: Self.longestAnswer + 1)
    let terminal = terminal
    do throws(SystemError) {
      let count = try retrying(.read) {
        bytes.withMutableSpan { bytes in
          // SAFETY: the call writes at most the span.
          unsafe bytes.withUnsafeMutableBufferPointer {
            unsafe read(terminal, $0.baseAddress, $0.count)
          }
        }
      }
      return Line(bytes: bytes, count: count)
    } catch {
      return Line(bytes: bytes, count: 0)
    }
  }

  private struct Line: ~Copyable {
    let bytes: SecretBytes
    var count: Int

    mutating func popLast() -> UInt8? {
      guard count > 0 else { return nil }
      count -= 1
      return bytes.span[count]
    }

    borrowing func contains(_ byte: UInt8) -> Bool {
      for index in 0..<count where bytes.span[index] == byte { return true }
      return false
    }

    consuming func take() -> SecretBytes { bytes.prefix(count) }
  }
}
