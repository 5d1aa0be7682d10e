import MFACPOSIX

/// How a program ended.
package enum ProgramEnd: Equatable, Sendable {
  /// The program ended with this exit status.
  case exited(Int32)
  /// A signal ended the program.
  case killed

  /// Interprets a status from waitpid(2): WIFEXITED and WEXITSTATUS.
  init(_ status: Int32) { self = status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed }

  /// Waits for the end of a child process. Throws if other code has already waited for it.
  package static func wait(for process: Int32) throws(SystemError) -> ProgramEnd {
    var status: Int32 = 0
    // A child that ended before it executed the program sends no signal, and only __WALL finds it.
    // SAFETY: the call writes `status`, which outlives it.
    _ = try retrying(.process) { unsafe waitpid(process, &status, Int32(__WALL)) }
    return ProgramEnd(status)
  }

  /// Waits at most `seconds` for the end of a child process, and then kills it. If the process
  /// cannot be watched (pidfd_open(2)), kills it at once. Throws if other code has already waited
  /// for it.
  package static func wait(
    for process: Int32, seconds: Int32
  ) throws(SystemError) -> ProgramEnd {
    if !hasEnded(process, within: seconds) { _ = kill(process, SIGKILL) }
    return try wait(for: process)
  }

  /// Waits at most `seconds` for the end of a child process that leads a process group, and then
  /// kills the group. Returns nil if it was killed.
  static func wait(forGroup process: Int32, seconds: Int32) throws(SystemError) -> ProgramEnd? {
    let hasEnded = hasEnded(process, within: seconds)
    // The leader has not been waited for, so that its ID still names this group.
    if !hasEnded { _ = kill(-process, SIGKILL) }
    let end = try wait(for: process)
    return hasEnded ? end : nil
  }

  /// Waits at most `seconds` for the end of a child process, and returns whether it has ended. Does
  /// not wait if the process cannot be watched.
  private static func hasEnded(_ process: Int32, within seconds: Int32) -> Bool {
    let descriptor = cposix_open_process(process)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var end = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let milliseconds = seconds.multipliedReportingOverflow(by: 1000).partialValue
    do throws(SystemError) {
      // SAFETY: one structure, which outlives the call.
      return try retrying(.poll) { unsafe poll(&end, 1, milliseconds) } > 0
    } catch {
      return false
    }
  }
}
