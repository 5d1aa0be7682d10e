import MFACPOSIX

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
            has_one_identity: hasOneIdentity ? 1 : 0,
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
