import MFACPOSIX
import MFASystem

/// Runs other programs of the host as root.
enum Tool {
  /// The exit status and the combined output of a program.
  struct Result: Equatable {
    /// The exit status, or -1 if a signal ended the program.
    let status: Int32
    let output: String

    var isSuccess: Bool { status == 0 }

    /// The last line of output that is not empty, for messages.
    var lastLine: String {
      let line = output.split(separator: "\n").last.map { String($0) }
      return VisibleText.escaping(line ?? "exit status \(status)")
    }
  }

  /// The maximum number of output bytes that are kept.
  private static let longest = 1 << 20

  /// Returns whether an executable program exists at a path.
  static func isThere(_ path: String) -> Bool {
    // SAFETY: the string is valid during the call.
    unsafe access(path, X_OK) == 0
  }

  /// Whether systemd manages this machine (sd_booted(3)).
  static var isUnderSystemd: Bool {
    var status = stat()
    // SAFETY: the string is valid during the call, which writes `status`.
    return unsafe lstat("/run/systemd/system", &status) == 0
      && Int32(bitPattern: status.st_mode) & S_IFMT == S_IFDIR
  }

  /// Runs a program with no input and waits until it ends.
  static func run(_ arguments: [String]) throws(SystemError) -> Result {
    let (reading, writing) = try ChildProgram.pipe()
    defer { _ = close(reading) }
    let process: pid_t
    do throws(SystemError) {
      process = try ChildProgram.start(arguments, output: writing, errors: writing)
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
    return Result(
      status: ChildProgram.wait(for: process) ?? -1, output: String(decoding: output, as: UTF8.self)
    )
  }

  /// Starts a program in a new session without a terminal. It continues after this process ends.
  static func startDetached(_ arguments: [String]) throws(SystemError) {
    _ = try ChildProgram.start(arguments, output: nil, errors: nil, isDetached: true)
  }

  // MARK: Waiting

  /// Waits until the machine has run for `sinceBoot` seconds, including time in suspend.
  static func sleep(until sinceBoot: Int64) {
    var time = timespec(tv_sec: Int(sinceBoot), tv_nsec: 0)
    // SAFETY: `time` outlives the call. TIMER_ABSTIME is 1.
    while unsafe clock_nanosleep(CLOCK_BOOTTIME, 1, &time, nil) == EINTR {}
  }

  /// Detaches from the terminal and closes inherited descriptors.
  static func detach() {
    cposix_ignore_hang_up()
    _ = cposix_close_from(3)
    // SAFETY: a literal is NUL-terminated.
    _ = unsafe chdir("/")
  }

  /// The inode and modification time of a file, which change when the file is rewritten.
  struct Version: Equatable {
    let file: UInt64
    let seconds: Int
    let nanoseconds: Int
  }

  /// Returns the current version of a file, or nil if the file does not exist.
  static func version(of path: String) -> Version? {
    var status = stat()
    // SAFETY: the string is valid during the call, which writes `status`.
    guard unsafe lstat(path, &status) == 0 else { return nil }
    return Version(
      file: UInt64(status.st_ino), seconds: status.st_mtim.tv_sec,
      nanoseconds: status.st_mtim.tv_nsec)
  }

  /// Waits at most `seconds` until a file exists whose version differs from `old`. Returns whether
  /// it does.
  static func waitForVersion(of path: String, after old: Version?, seconds: Int) -> Bool {
    for _ in 0..<(seconds * 100) {
      if let present = version(of: path), present != old { return true }
      var pause = timespec(tv_sec: 0, tv_nsec: 10_000_000)
      // SAFETY: `pause` outlives the call. An interrupted pause is shorter, which is harmless.
      _ = unsafe nanosleep(&pause, nil)
    }
    return false
  }

  /// Sends a process SIGHUP, which makes it reload its settings.
  static func hangUp(_ process: Int32) throws(SystemError) {
    guard kill(process, SIGHUP) == 0 else { throw SystemError(.process, number: cposix_errno()) }
  }

  /// Clears sudo's timestamps, which were granted without a code.
  static func forgetSudoTimestamps() {
    let folder = "/run/sudo/ts"
    do throws(ChangeError) {
      for name in try SystemFile.names(in: folder) { try SystemFile.remove(folder + "/" + name) }
    } catch {
      // Timestamps expire after 15 minutes.
    }
  }
}
