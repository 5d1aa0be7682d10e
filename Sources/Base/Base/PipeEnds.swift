import MFACPOSIX

/// The two ends of a new pipe. Destroying the value closes both ends.
///
/// Programs do not inherit the ends, and neither end takes the number of a standard stream, even if
/// this process has closed its standard streams.
///
/// Public, because Embedded Swift 6.3 does not see the `deinit` of a `package` type of another target.
public struct PipeEnds: ~Copyable {
  /// The end to read from.
  package private(set) var readEnd: Int32 = -1
  /// The end to write to.
  package private(set) var writeEnd: Int32 = -1

  /// Creates a pipe.
  package init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    // SAFETY: the call writes two numbers.
    guard unsafe cposix_pipe(&ends, O_CLOEXEC) == 0 else { throw SystemError.last(.process) }
    readEnd = ends[0]
    writeEnd = ends[1]
    readEnd = try Self.raised(readEnd)
    writeEnd = try Self.raised(writeEnd)
  }

  deinit {
    if readEnd >= 0 { close(readEnd) }
    if writeEnd >= 0 { close(writeEnd) }
  }

  /// Returns the end to read from, which the caller must close. Closes the other end.
  package consuming func takeReadEnd() -> Int32 {
    let end = readEnd
    readEnd = -1
    return end
  }

  /// Returns the end to write to, which the caller must close. Closes the other end.
  package consuming func takeWriteEnd() -> Int32 {
    let end = writeEnd
    writeEnd = -1
    return end
  }

  private static func raised(_ descriptor: Int32) throws(SystemError) -> Int32 {
    guard descriptor <= STDERR_FILENO else { return descriptor }
    let raised = cposix_duplicate(descriptor, STDERR_FILENO + 1)
    guard raised >= 0 else { throw SystemError.last(.process) }
    close(descriptor)
    return raised
  }
}
