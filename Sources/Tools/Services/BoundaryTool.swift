import MFAAdmin
import MFABase
import MFACPOSIX

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

  /// Returns the identity of a file, which changes when the file is rewritten, or nil if it does not exist.
  static func version(of path: String) -> FileIdentity? {
    do throws(SystemError) { return try FileIdentity.of(Array(path.utf8)) } catch { return nil }
  }

  /// Waits at most `seconds` until a file exists whose version differs from `old`. Returns whether
  /// it does.
  static func waitForVersion(of path: String, after old: FileIdentity?, seconds: Int) -> Bool {
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
    do throws(AdminError) {
      for name in try SystemFile.names(in: folder) { try SystemFile.remove(folder + "/" + name) }
    } catch {
      // Ignore the error: timestamps expire after 15 minutes by default.
    }
  }
}

/// Folder operations for change records that the System module does not have.
enum ChangeFolder {
  /// Creates a folder of root's in an existing folder. Keeps a folder that already exists.
  static func make(_ path: String, permissions: UInt32 = 0o700) throws(SystemError) {
    // SAFETY: the string is valid during the call.
    guard unsafe mkdir(path, permissions) != 0 else { return }
    let number = cposix_errno()
    guard number == EEXIST else { throw SystemError(.open, number: number) }
  }

  /// Moves a file within the same file system.
  static func move(_ path: String, to other: String) throws(SystemError) {
    // SAFETY: the strings are valid during the call.
    guard unsafe rename(path, other) == 0 else {
      throw SystemError(.rename, number: cposix_errno())
    }
  }

  /// Gives a file a second name. A symbolic link is not followed: the link itself gets the name.
  static func link(_ path: String, as other: String) throws(SystemError) {
    // SAFETY: the strings are valid during the call.
    guard unsafe MFACPOSIX.link(path, other) == 0 else {
      throw SystemError(.rename, number: cposix_errno())
    }
  }
}

/// The effective user ID of a process of root.
enum EffectiveUser {
  /// Calls `body` with the rights of `user`. The real and the saved user ID stay root's. Throws if
  /// the rights cannot be changed; a process that could not restore its own rights ends.
  static func acting(
    as user: UInt32, _ body: () throws(SystemError) -> Void
  ) throws(SystemError) {
    guard cposix_set_identities(.max, user, .max) == 0 else {
      throw SystemError(.identity, number: cposix_errno())
    }
    defer { if cposix_set_identities(.max, 0, .max) != 0 { exit(1) } }
    try body()
  }
}
