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

  /// Starts a program that goes on after this one, in a session of its own, without a terminal.
  static func startDetached(_ arguments: [String]) throws(SystemError) {
    _ = try ChildProgram.start(arguments, output: nil, errors: nil, isDetached: true)
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
    do throws(ChangeError) {
      for name in try SystemFile.names(in: folder) { try SystemFile.remove(folder + "/" + name) }
    } catch {
      // They end by themselves in a quarter of an hour.
    }
  }
}
