import MFACPOSIX
import MFASystem

/// Starts programs of the host, without standard input and without this process's environment.
enum ChildProgram {
  /// Creates a pipe for the output of a program.
  static func pipe() throws(SystemError) -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    // SAFETY: the call writes two numbers.
    let made = unsafe ends.withUnsafeMutableBufferPointer { ends -> Int32 in
      guard let base = ends.baseAddress else { return -1 }
      return unsafe cposix_pipe(base, O_CLOEXEC)
    }
    guard made == 0 else { throw SystemError(.process, number: cposix_errno()) }
    return (ends[0], ends[1])
  }

  /// Starts the program whose path is the first of `arguments`.
  ///
  /// Its output goes to the descriptors `output` and `errors`, or to /dev/null if nil. With
  /// `isDetached`, it runs in a new session.
  static func start(
    _ arguments: [String], output: Int32?, errors: Int32?, isDetached: Bool = false
  ) throws(SystemError) -> pid_t {
    // SAFETY: both are initialised before use, and destroyed when the function returns.
    var actions = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    guard unsafe posix_spawn_file_actions_init(&actions) == 0 else {
      throw SystemError(.process, number: ENOMEM)
    }
    defer { _ = unsafe posix_spawn_file_actions_destroy(&actions) }
    guard unsafe posix_spawnattr_init(&attributes) == 0 else {
      throw SystemError(.process, number: ENOMEM)
    }
    defer { _ = unsafe posix_spawnattr_destroy(&attributes) }
    var result: Int32 = 0
    for (number, target) in [(0, nil), (1, output), (2, errors)] as [(Int32, Int32?)]
    where result == 0 {
      // SAFETY: the literal is copied by the call.
      result =
        if let target {
          unsafe posix_spawn_file_actions_adddup2(&actions, target, number)
        } else {
          unsafe posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
        }
    }
    if isDetached, result == 0 {
      // SAFETY: `attributes` was initialised above. The flag is POSIX_SPAWN_SETSID.
      result = unsafe posix_spawnattr_setflags(&attributes, 0x80)
    }
    guard result == 0 else { throw SystemError(.process, number: result) }
    var process: pid_t = 0
    let environment = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8"]
    // SAFETY: the strings live until both closures return; the vectors end with a null pointer.
    result = unsafe withVector(arguments) { arguments in
      unsafe withVector(environment) { environment in
        guard let path = unsafe arguments[0] else { return EINVAL }
        return unsafe posix_spawn(&process, path, &actions, &attributes, arguments, environment)
      }
    }
    guard result == 0 else { throw SystemError(.process, number: result) }
    return process
  }

  /// Calls `body` with the strings as a null-terminated C argument vector.
  private static func withVector(
    _ strings: [String],
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32
  ) -> Int32 {
    // SAFETY: the copies are freed when `body` has returned.
    var vector = unsafe strings.map { unsafe strdup($0) }
    defer { unsafe vector.forEach { unsafe free($0) } }
    unsafe vector.append(nil)
    return unsafe vector.withUnsafeMutableBufferPointer { vector in
      guard let base = vector.baseAddress else { return EINVAL }
      return unsafe body(base)
    }
  }

  /// Waits for a program to end. Returns its exit status, or nil if a signal ended it.
  static func wait(for process: pid_t) -> Int32? {
    var status: Int32 = 0
    var ended: pid_t = -1
    repeat {
      // SAFETY: `status` is written by the call and outlives it.
      ended = unsafe waitpid(process, &status, 0)
    } while ended < 0 && cposix_errno() == EINTR
    // WIFEXITED and WEXITSTATUS.
    guard ended == process, status & 0x7F == 0 else { return nil }
    return (status >> 8) & 0xFF
  }
}
