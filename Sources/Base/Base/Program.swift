import MFACPOSIX

/// Functions that start another program from a process that may belong to any PAM application. The
/// detached program does not affect that process's signals and children.
package enum Program {
  /// The longest input in bytes: what a pipe accepts at once.
  package static let longestInput = 4096

  /// Returns whether the real user of this process may run a program at `path` (access(2)).
  package static func isThere(_ path: StaticString) -> Bool {
    path.withUTF8Buffer { path in
      guard let base = path.baseAddress else { return false }
      // SAFETY: a literal is NUL-terminated and is never freed.
      return unsafe access(UnsafeRawPointer(base).assumingMemoryBound(to: CChar.self), X_OK) == 0
    }
  }

  /// Starts the program at `path` without arguments, with `input` as its standard input. Waits until
  /// the program is executed, but not for its end. Throws if it cannot be executed.
  package static func startDetached(
    _ path: StaticString, input: [UInt8]
  ) throws(SystemError) {
    let reading = try pipe(holding: input)
    defer { close(reading) }
    let status = path.withUTF8Buffer { path -> Int32 in
      guard let base = path.baseAddress else { return -1 }
      // SAFETY: a literal is NUL-terminated and is never freed.
      return unsafe cposix_start_detached(
        UnsafeRawPointer(base).assumingMemoryBound(to: CChar.self), reading)
    }
    guard status == 0 else { throw SystemError.last(.process) }
  }

  /// Runs the `sendmail` at `path` to deliver `message`, headers first, to `recipient`, for at most
  /// `seconds`. Throws if it could not be run.
  package static func mail(
    _ message: [UInt8], to recipient: [UInt8], with path: StaticString, seconds: Int32
  ) throws(SystemError) -> ProgramEnd {
    let reading = try pipe(holding: message)
    defer { close(reading) }
    var program = ProgramStart(
      path.bytes, arguments: [bytes(of: "sendmail"), bytes(of: "-i"), bytes(of: "--"), recipient])
    program.environment = [bytes(of: "PATH=/usr/sbin:/usr/bin:/sbin:/bin")]
    program.input = reading
    program.hasOneIdentity = true
    return try ProgramEnd.wait(for: try program.start(), seconds: seconds)
  }

  /// Runs the program at `path` without arguments in a session of its own, with `input` as its
  /// standard input, for at most `seconds`. Then kills it and all processes of its group, and returns
  /// nil. If this process ends before, the kernel kills the program. Throws if it could not be run.
  package static func run(
    _ path: [UInt8], input: Span<UInt8>, environment: [[UInt8]], seconds: Int32
  ) throws(SystemError) -> ProgramEnd? {
    let reading = try pipe(holding: input)
    defer { close(reading) }
    var program = ProgramStart(path, arguments: [path])
    program.environment = environment
    program.input = reading
    program.isInNewSession = true
    program.endsWithThisProcess = true
    return try ProgramEnd.wait(forGroup: try program.start(), seconds: seconds)
  }

  private static func pipe(holding input: [UInt8]) throws(SystemError) -> Int32 {
    try pipe(holding: input.span)
  }

  /// Returns the reading end of a pipe that holds `input` and whose writing end is closed.
  private static func pipe(holding input: Span<UInt8>) throws(SystemError) -> Int32 {
    guard input.count <= longestInput else { throw SystemError(.write, number: E2BIG) }
    let ends = try PipeEnds()
    let written = try retrying(.write) {
      // SAFETY: the call reads the bytes of the span. A pipe accepts this much at once, so the call
      // does not block.
      unsafe input.withUnsafeBufferPointer { buffer in
        unsafe write(ends.writeEnd, buffer.baseAddress, buffer.count)
      }
    }
    guard written == input.count else { throw SystemError(.write, number: EIO) }
    return ends.takeReadEnd()
  }
}
