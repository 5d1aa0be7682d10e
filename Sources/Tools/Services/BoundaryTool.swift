import MFAAdmin
import MFACPOSIX
import MFABase

/// Operations on programs and processes of the host.
enum Tool {
  /// Returns whether an executable program exists at a path.
  static func isThere(_ path: String) -> Bool {
    // SAFETY: the string is valid during the call.
    unsafe access(path, X_OK) == 0
  }

  /// Whether systemd manages this machine (sd_booted(3)).
  static var isUnderSystemd: Bool {
    guard let path = TrustedPath("/run/systemd/system") else { return false }
    do throws(SystemError) {
      _ = try path.lastDirectory()
      return true
    } catch {
      return false
    }
  }

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
      // Ignore the error: timestamps expire after 15 minutes by default.
    }
  }
}
