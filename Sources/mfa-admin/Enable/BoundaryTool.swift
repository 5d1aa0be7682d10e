import CPOSIX
import System

/// Other programs of the host's, run by root.
enum Tool {
  /// How a program ended, and what it wrote to both outputs.
  struct Result: Equatable {
    /// The exit status; -1 where a signal ended it.
    let status: Int32
    let output: String

    var isSuccess: Bool { status == 0 }

    /// The last line that says something, for messages.
    var lastLine: String {
      let line = output.split(separator: "\n").last.map { String($0) }
      return VisibleText.escaping(line ?? "exit status \(status)")
    }
  }

  /// The longest output that is kept, in bytes.
  private static let longest = 1 << 20

  /// Whether a program is there.
  static func isThere(_ path: String) -> Bool {
    // SAFETY: the string is lent for the call.
    unsafe access(path, X_OK) == 0
  }

  /// Whether systemd runs this machine (sd_booted(3)).
  static var isUnderSystemd: Bool {
    var status = stat()
    // SAFETY: the string is lent for the call, which writes `status`.
    return unsafe lstat("/run/systemd/system", &status) == 0
      && Int32(bitPattern: status.st_mode) & S_IFMT == S_IFDIR
  }

  /// Runs a program to its end, with nothing to read.
  static func run(_ arguments: [String]) throws(SystemError) -> Result {
    var ends: [Int32] = [-1, -1]
    // SAFETY: the call writes two numbers.
    let made = unsafe ends.withUnsafeMutableBufferPointer { ends -> Int32 in
      guard let base = ends.baseAddress else { return -1 }
      return unsafe cposix_pipe(base, O_CLOEXEC)
    }
    guard made == 0 else { throw SystemError(.process, number: cposix_errno()) }
    let (reading, writing) = (ends[0], ends[1])
    defer { _ = close(reading) }
    let process: pid_t
    do throws(SystemError) {
      process = try start(arguments, output: writing, isDetached: false)
    } catch {
      _ = close(writing)
      throw error
    }
    _ = close(writing)
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      // SAFETY: the call writes at most as many bytes as the buffer has.
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe read(reading, $0.baseAddress, $0.count)
      }
      if count < 0, cposix_errno() == EINTR { continue }
      guard count > 0 else { break }
      if output.count < longest { output += buffer[..<count] }
    }
    var status: Int32 = 0
    // SAFETY: `status` is written by the call and outlives it.
    while unsafe waitpid(process, &status, 0) < 0 {
      guard cposix_errno() == EINTR else {
        throw SystemError(.process, number: cposix_errno())
      }
    }
    let code = status & 0x7F == 0 ? (status >> 8) & 0xFF : -1
    return Result(status: code, output: String(decoding: output, as: UTF8.self))
  }

  /// Starts a program that goes on after this one, in a session of its own, without a terminal.
  static func startDetached(_ arguments: [String]) throws(SystemError) {
    _ = try start(arguments, output: nil, isDetached: true)
  }

  private static func start(
    _ arguments: [String], output: Int32?, isDetached: Bool
  ) throws(SystemError) -> pid_t {
    // SAFETY: both are initialised before they are used, and destroyed at the end.
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
    // SAFETY: the literals are copied by the calls.
    var result = unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0)
    for descriptor in [1, 2] as [Int32] where result == 0 {
      result =
        if let output {
          unsafe posix_spawn_file_actions_adddup2(&actions, output, descriptor)
        } else {
          unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
    }
    if isDetached, result == 0 {
      // POSIX_SPAWN_SETSID
      result = unsafe posix_spawnattr_setflags(&attributes, 0x80)
    }
    guard result == 0 else { throw SystemError(.process, number: result) }
    var process: pid_t = 0
    let environment = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C"]
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

  /// Lends strings as C's vectors of arguments are.
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

  // MARK: Waiting

  /// Waits until the machine has run for so many seconds, the time that it slept included.
  static func sleep(until sinceBoot: Int64) {
    var time = timespec(tv_sec: Int(sinceBoot), tv_nsec: 0)
    // SAFETY: `time` outlives the call. TIMER_ABSTIME is 1.
    while unsafe clock_nanosleep(CLOCK_BOOTTIME, 1, &time, nil) == EINTR {}
  }

  /// Goes on after the terminal, and without descriptors that were inherited.
  static func detach() {
    cposix_ignore_hang_up()
    _ = cposix_close_from(3)
    // SAFETY: a literal is NUL-terminated.
    _ = unsafe chdir("/")
  }

  /// What tells one writing of a file from another; nil where there is none.
  struct Version: Equatable {
    let file: UInt64
    let seconds: Int
    let nanoseconds: Int
  }

  /// The present version of a file.
  static func version(of path: String) -> Version? {
    var status = stat()
    // SAFETY: the string is lent for the call, which writes `status`.
    guard unsafe lstat(path, &status) == 0 else { return nil }
    return Version(
      file: UInt64(status.st_ino), seconds: status.st_mtim.tv_sec,
      nanoseconds: status.st_mtim.tv_nsec)
  }

  /// Waits until a file is there that is another than `old`, for at most `seconds`; whether it is.
  static func waitForVersion(of path: String, after old: Version?, seconds: Int) -> Bool {
    for _ in 0..<(seconds * 100) {
      if let present = version(of: path), present != old { return true }
      var pause = timespec(tv_sec: 0, tv_nsec: 10_000_000)
      // SAFETY: `pause` outlives the call; an interrupted pause is simply shorter.
      _ = unsafe nanosleep(&pause, nil)
    }
    return false
  }

  /// Sends a process the signal to read its settings anew.
  static func hangUp(_ process: Int32) throws(SystemError) {
    guard kill(process, SIGHUP) == 0 else { throw SystemError(.process, number: cposix_errno()) }
  }

  /// Has sudo forget whom it has asked: that was without a code.
  static func forgetSudoTimestamps() {
    let folder = "/run/sudo/ts"
    // SAFETY: the string is lent for the call; the stream is open until closedir.
    guard let stream = unsafe opendir(folder) else { return }
    defer { _ = unsafe closedir(stream) }
    while let entry = unsafe cposix_next_entry(stream) {
      // SAFETY: the name ends with a NUL, and lives until the next entry is read.
      let name = unsafe String(cString: cposix_entry_name(entry))
      guard name != ".", name != ".." else { continue }
      _ = unsafe unlink(folder + "/" + name)
    }
  }
}
