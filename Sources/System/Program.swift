import CPOSIX

/// Another program, started from a process that may be somebody else's: neither its signals nor its
/// children are touched.
public enum Program {
  /// The longest input in bytes: what a pipe takes at once.
  public static let longestInput = 4096

  /// Whether there is a program at `path` that this process may start.
  public static func isThere(_ path: StaticString) -> Bool {
    path.withUTF8Buffer { path in
      guard let base = path.baseAddress else { return false }
      // SAFETY: a literal is NUL-terminated and lives for ever.
      return unsafe access(UnsafeRawPointer(base).assumingMemoryBound(to: CChar.self), X_OK) == 0
    }
  }

  /// Starts the program at `path` without arguments, with `input` to read. Nobody waits for it.
  public static func startDetached(
    _ path: StaticString, input: [UInt8]
  ) throws(SystemError) {
    let reading = try pipe(holding: input)
    defer { close(reading) }
    let status = path.withUTF8Buffer { path -> Int32 in
      guard let base = path.baseAddress else { return -1 }
      // SAFETY: a literal is NUL-terminated and lives for ever.
      return unsafe cposix_start_detached(
        UnsafeRawPointer(base).assumingMemoryBound(to: CChar.self), reading)
    }
    guard status == 0 else { throw SystemError.last(.process) }
  }

  /// Has the `sendmail` at `path` deliver `message`, headers first, to `recipient`, for at most
  /// `seconds`.
  ///
  /// - Returns: its exit status; 126 or 127 where it could not be run, and -1 where it was killed.
  public static func mail(
    _ message: [UInt8], to recipient: [UInt8], with path: StaticString, seconds: Int32
  ) throws(SystemError) -> Int32 {
    let reading = try pipe(holding: message)
    defer { close(reading) }
    let user = recipient.map { CChar(bitPattern: $0) } + [0]
    return path.withUTF8Buffer { path -> Int32 in
      guard let base = path.baseAddress else { return -1 }
      // SAFETY: both are NUL-terminated, and they live until the call returns.
      return unsafe cposix_mail(
        UnsafeRawPointer(base).assumingMemoryBound(to: CChar.self), user, reading,
        seconds.multipliedReportingOverflow(by: 1000).partialValue)
    }
  }

  /// The reading end of a pipe with `input` in it and nobody at the other end.
  private static func pipe(holding input: [UInt8]) throws(SystemError) -> Int32 {
    guard input.count <= longestInput else { throw SystemError(.write, number: E2BIG) }
    var ends: [Int32] = [-1, -1]
    // SAFETY: the call writes two numbers.
    let made = unsafe ends.withUnsafeMutableBufferPointer { ends -> Int32 in
      guard let base = ends.baseAddress else { return -1 }
      return unsafe cposix_pipe(base, O_CLOEXEC)
    }
    guard made == 0, let reading = ends.first, let writing = ends.last else {
      throw SystemError.last(.process)
    }
    defer { close(writing) }
    // SAFETY: the call reads the array. A pipe takes as much at once, so that nothing waits.
    let written = unsafe input.withUnsafeBufferPointer {
      unsafe write(writing, $0.baseAddress, $0.count)
    }
    guard written == input.count else {
      close(reading)
      throw SystemError.last(.write)
    }
    return reading
  }
}
