import MFACPOSIX

/// How a program ended.
public enum ProgramEnd: Equatable, Sendable {
  /// The program ended with this exit status.
  case exited(Int32)
  /// A signal ended the program.
  case killed

  /// Interprets a status from waitpid(2): WIFEXITED and WEXITSTATUS.
  init(_ status: Int32) { self = status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed }

  /// Waits for the end of a child process. Throws if other code has already waited for it.
  public static func wait(for process: Int32) throws(SystemError) -> ProgramEnd {
    var status: Int32 = 0
    // A child that ended before it executed the program sends no signal, and only __WALL finds it.
    // SAFETY: the call writes `status`, which outlives it.
    _ = try retrying(.process) { unsafe waitpid(process, &status, Int32(__WALL)) }
    return ProgramEnd(status)
  }

  /// Waits at most `seconds` for the end of a child process, and then kills it. If the process
  /// cannot be watched (pidfd_open(2)), kills it at once. Throws if other code has already waited
  /// for it.
  public static func wait(
    for process: Int32, seconds: Int32
  ) throws(SystemError) -> ProgramEnd {
    let descriptor = cposix_open_process(process)
    var hasEnded = false
    if descriptor >= 0 {
      var end = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let milliseconds = seconds.multipliedReportingOverflow(by: 1000).partialValue
      do throws(SystemError) {
        // SAFETY: one structure, which outlives the call.
        hasEnded = try retrying(.poll) { unsafe poll(&end, 1, milliseconds) } > 0
      } catch {
        hasEnded = false
      }
      close(descriptor)
    }
    if !hasEnded { _ = kill(process, SIGKILL) }
    return try wait(for: process)
  }
}
