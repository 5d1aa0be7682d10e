import CPOSIX
import Secrets
import System

/// The terminal, standard output and error, and what else surrounds the process.
enum Console {
  /// Whether the process is root's.
  static var isRoot: Bool { geteuid() == 0 }

  /// Whether somebody is there to be asked.
  static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  /// The columns of the terminal that standard output is, or nil.
  static var columns: Int? {
    guard isatty(STDOUT_FILENO) == 1 else { return nil }
    var size = winsize()
    // SAFETY: `size` is written by the call and outlives it.
    guard unsafe cposix_window_size(STDOUT_FILENO, &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Who makes the change: whoever called sudo, or else root.
  static var actor: [UInt8] {
    // SAFETY: no other thread changes the environment; the string is copied at once.
    guard let name = unsafe getenv("SUDO_USER") else { return Array("root".utf8) }
    let length = unsafe strnlen(name, 256)
    return unsafe Array(UnsafeRawBufferPointer(start: name, count: length))
  }

  /// The terminal of the process, as `pts/3`; empty where it has none.
  static var terminal: [UInt8] {
    for descriptor in [STDIN_FILENO, STDERR_FILENO] {
      var path = [CChar](repeating: 0, count: 64)
      // SAFETY: the call writes at most so many bytes, and a NUL among them.
      guard unsafe ttyname_r(descriptor, &path, path.count) == 0 else { continue }
      let name = path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      return Array(name.dropFirst("/dev/".utf8.count))
    }
    return []
  }

  /// Writes to standard output.
  static func write(_ text: String) throws(AdminError) {
    do throws(SystemError) {
      try write(text, to: STDOUT_FILENO)
    } catch {
      throw .output(error)
    }
  }

  /// Writes to standard output.
  static func write(_ text: [UInt8]) throws(AdminError) {
    do throws(SystemError) {
      try write(text, to: STDOUT_FILENO)
    } catch {
      throw .output(error)
    }
  }

  /// Shows a grant that was just made, with its code.
  static func write(_ made: MadeGrant, asJSON: Bool) throws(AdminError) {
    let code = made.code.written()
    if asJSON {
      let text = JSON.object(made.report.members + [("code", .string(""))]).text
      // The code comes last, between the two quotation marks of an empty string.
      try write(String(text.dropLast(3)))
      try write(secret: code)
      try write("\"\n}\n")
    } else {
      try write(secret: code)
      try write("\n")
      try write(made.explanation)
    }
    if let warning = made.warning { complain("warning: \(warning)") }
  }

  private static func write(secret: borrowing SecretBytes) throws(AdminError) {
    do throws(SystemError) {
      // SAFETY: the buffer is used within the closure alone.
      try unsafe secret.span.withUnsafeBufferPointer { buffer throws(SystemError) in
        try unsafe write(UnsafeRawBufferPointer(buffer), to: STDOUT_FILENO)
      }
    } catch {
      throw .output(error)
    }
  }

  /// Says what went wrong, and what to do next.
  static func report(_ error: AdminError) {
    complain("error: " + error.message)
    complain("hint: " + error.hint)
  }

  /// A line on standard error.
  static func complain(_ line: String) {
    // There is nowhere left to complain that it cannot be written.
    do throws(SystemError) { try write("mfa-admin: \(line)\n", to: STDERR_FILENO) } catch {}
  }

  /// How far something has come, on standard error where that is a terminal.
  static var progress: Progress {
    guard isatty(STDERR_FILENO) == 1 else { return .silent }
    return Progress(
      seconds: { do throws(SystemError) { return try Clock.sinceBoot() } catch { return nil } },
      show: { text in
        do throws(SystemError) { try write(text, to: STDERR_FILENO) } catch {}
      })
  }

  /// Asks for a yes at the terminal.
  static func confirms(_ question: String) -> Bool {
    do throws(SystemError) { try write(question + " [y/N] ", to: STDERR_FILENO) } catch {
      return false
    }
    guard let answer = readLine() else { return false }
    return ["y", "yes"].contains(answer.lowercased())
  }

  /// Ends the process.
  static func end(_ status: AdminStatus) -> Never { exit(status.rawValue) }

  private static func write(_ text: String, to descriptor: Int32) throws(SystemError) {
    try write(Array(text.utf8), to: descriptor)
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
    // SAFETY: the buffer is used within the closure alone.
    try unsafe bytes.span.withUnsafeBufferPointer { buffer throws(SystemError) in
      try unsafe write(UnsafeRawBufferPointer(buffer), to: descriptor)
    }
  }

  private static func write(
    _ buffer: UnsafeRawBufferPointer, to descriptor: Int32
  ) throws(SystemError) {
    var written = 0
    while written < buffer.count {
      // SAFETY: the call reads at most the rest of the buffer.
      let count = unsafe CPOSIX.write(
        descriptor, buffer.baseAddress.map { unsafe $0 + written }, buffer.count - written)
      if count < 0 {
        let number = cposix_errno()
        guard number == EINTR else { throw SystemError(.write, number: number) }
        continue
      }
      guard count > 0 else { throw SystemError(.write, number: EIO) }
      written += count
    }
  }
}
