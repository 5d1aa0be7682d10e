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

/// A program to start in a child process, and what the program gets from this process.
///
/// This is how every part of the project starts a program. The module uses the same steps with one
/// process more between the application and the program (`SupervisedProgram`,
/// `Program.startDetached`).
///
/// MUST: the program inherits no descriptor, variable, working directory or signal setting, except
/// the descriptors and variables that the properties name. (`ProgramStartTests`)
package struct ProgramStart: Sendable {
  /// The file to execute.
  package let path: [UInt8]
  /// The arguments, beginning with argument 0.
  package let arguments: [[UInt8]]
  /// The environment, as `NAME=VALUE`.
  package var environment: [[UInt8]] = []
  /// The descriptor that becomes the standard input. Nil stands for /dev/null.
  package var input: Int32?
  /// The descriptor that becomes the standard output. Nil stands for /dev/null.
  package var output: Int32?
  /// The descriptor that becomes the standard error. Nil stands for /dev/null.
  package var errors: Int32?
  /// Whether the program runs in a new session, without a terminal.
  package var isInNewSession = false
  /// Whether the program runs in a new process group. A key such as Ctrl-C then sends it no signal.
  package var isInNewGroup = false
  /// Whether the program keeps only this process's effective identity (program.h in CPOSIX).
  package var hasOneIdentity = false
  /// Whether the kernel kills the program when this process ends. Processes that the program has
  /// started are not killed.
  package var endsWithThisProcess = false

  /// Creates the description of a program. Starts nothing.
  package init(_ path: [UInt8], arguments: [[UInt8]]) {
    self.path = path
    self.arguments = arguments
  }

  /// Starts the program. Throws if the program cannot be executed.
  ///
  /// - Returns: the process ID of the child, which `ProgramEnd.wait(for:)` waits for.
  package func start() throws(SystemError) -> Int32 {
    var process: pid_t = -1
    let path = cString(path)
    // SAFETY: the path ends with a NUL, and the path and both vectors outlive the call.
    let failure = unsafe path.withUnsafeBufferPointer { path in
      unsafe Self.withVector(arguments) { arguments in
        unsafe Self.withVector(environment) { environment -> Int32 in
          guard let path = path.baseAddress else { return EINVAL }
          var program = unsafe cposix_program(
            path: path, arguments: arguments, environment: environment, input: input ?? -1,
            output: output ?? -1, errors: errors ?? -1, is_in_new_session: isInNewSession ? 1 : 0,
            is_in_new_group: isInNewGroup ? 1 : 0, has_one_identity: hasOneIdentity ? 1 : 0,
            parent: endsWithThisProcess ? getpid() : 0)
          return unsafe cposix_start(&program, &process)
        }
      }
    }
    guard failure == 0, process > 0 else { throw SystemError(.process, number: failure) }
    return process
  }

  /// Calls `body` with the strings as a C vector, which ends with null.
  private static func withVector(
    _ strings: [[UInt8]], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Int32
  ) -> Int32 {
    var text: [CChar] = []
    var starts: [Int] = []
    for string in strings {
      starts.append(text.count)
      text += cString(string)
    }
    // SAFETY: each pointer points to a string in `text`, which ends with a NUL and does not move
    // while the closure runs.
    return unsafe text.withUnsafeMutableBufferPointer { text in
      var vector = unsafe starts.map { start in
        unsafe text.baseAddress.map { unsafe $0 + start }
      }
      unsafe vector.append(nil)
      return unsafe vector.withUnsafeBufferPointer { vector in
        guard let base = vector.baseAddress else { return EINVAL }
        return unsafe body(base)
      }
    }
  }
}
