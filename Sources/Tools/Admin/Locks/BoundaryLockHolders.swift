import MFABase
import MFACPOSIX

/// Finds and ends processes that hold locks in the store, using /proc.
///
/// Locks are read from /proc/PID/fdinfo and not from /proc/locks, which identifies a file by the
/// device and inode of the underlying file system. On overlayfs and btrfs these differ from the
/// ones that stat(2) returns.
package enum LockHolders {
  /// The maximum time to wait for a killed process to end, in milliseconds.
  private static let timeout: Int32 = 5_000

  /// Returns the processes that hold the lock on the file at `path`.
  static func holders(of path: String) -> [LockHolder] { holders { $0 == path } }

  /// Returns the processes that hold a lock in the store and are stopped or frozen.
  package static func stopped() -> [LockHolder] {
    holders { _ in true }.filter { $0.state != .running }
  }

  /// Kills a process if it is still the process that was found and still holds the lock.
  ///
  /// - Returns: whether the process has ended.
  package static func end(_ holder: LockHolder) -> Bool {
    let process = cposix_open_process(holder.process)
    guard process >= 0 else { return isGone(holder) }
    defer { _ = close(process) }
    // The descriptor refers to one process, so the number cannot be reused between check and kill.
    guard files(of: holder.process).contains(holder.file), !isGone(holder) else {
      return isGone(holder)
    }
    return cposix_kill_process(process, timeout) == 1
  }

  private static func isGone(_ holder: LockHolder) -> Bool {
    RunningProcess(holder.process)?.start != holder.start
  }

  private static func holders(_ isMeant: (String) -> Bool) -> [LockHolder] {
    let names = ProcFile.names(in: "/proc")
    var holders: [LockHolder] = []
    for number in names.compactMap({ Int32($0) }).sorted() where number != getpid() {
      for file in files(of: number) where isMeant(file) {
        if let holder = holder(number, file) { holders.append(holder) }
      }
    }
    return holders
  }

  /// Returns the files in the store on which a process holds a lock.
  private static func files(of number: Int32) -> [String] {
    var files: [String] = []
    for name in ProcFile.names(in: "/proc/\(number)/fdinfo") {
      guard let text = ProcFile.text("/proc/\(number)/fdinfo/\(name)"), isLocked(text),
        let path = ProcFile.target("/proc/\(number)/fd/\(name)"), isInStore(path),
        !files.contains(path), isSame("/proc/\(number)/fd/\(name)", path)
      else { continue }
      files.append(path)
    }
    return files
  }

  /// Returns whether the text of a file in /proc/PID/fdinfo lists an exclusive lock (flock(2)).
  package static func isLocked(_ text: String) -> Bool {
    text.split(separator: "\n").contains { line in
      let words = line.split(whereSeparator: \.isWhitespace)
      return words.first == "lock:" && words.contains("FLOCK") && words.contains("WRITE")
    }
  }

  private static func isInStore(_ path: String) -> Bool {
    path == StoreFile.auditLogHead.path || path.hasPrefix("\(StoreFile.attempts.path)/")
  }

  /// Returns whether both paths lead to the same file. In a different mount namespace, a process
  /// can see a different file at the same path.
  private static func isSame(_ first: String, _ second: String) -> Bool {
    var one = stat()
    var other = stat()
    // SAFETY: the paths are lent for the calls, which write `one` and `other`.
    guard unsafe fstatat(AT_FDCWD, first, &one, 0) == 0,
      unsafe fstatat(AT_FDCWD, second, &other, AT_SYMLINK_NOFOLLOW) == 0
    else { return false }
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino
  }

  private static func holder(_ number: Int32, _ file: String) -> LockHolder? {
    guard let process = RunningProcess(number),
      let text = ProcFile.text("/proc/\(number)/stat"),
      let status = ProcFile.text("/proc/\(number)/status"),
      let user = field("Uid:", of: status).flatMap({ UInt32($0) })
    else { return nil }
    return LockHolder(
      process: number, start: process.start, startTime: time(process.start),
      command: field("Name:", of: status) ?? "?", user: user, userName: name(of: user),
      state: isStopped(text) ? .stopped : isFrozen(number) ? .frozen : .running, file: file)
  }

  private static func field(_ name: String, of status: String) -> String? {
    let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
    return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.map { String($0) }
  }

  /// Returns whether the text of /proc/PID/stat says that the process is stopped. The state follows
  /// the program's name, which can contain any character (proc_pid_stat(5)).
  package static func isStopped(_ stat: String) -> Bool {
    guard let end = stat.lastIndex(of: ")") else { return false }
    return ["T", "t"].contains(stat[end...].dropFirst(2).first)
  }

  private static func isFrozen(_ number: Int32) -> Bool {
    guard let groups = ProcFile.text("/proc/\(number)/cgroup") else { return false }
    for line in groups.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      if parts[1].isEmpty {
        let events = ProcFile.text("/sys/fs/cgroup\(parts[2])/cgroup.events") ?? ""
        if events.split(separator: "\n").contains("frozen 1") { return true }
      } else if parts[1] == "freezer" {
        let state = ProcFile.text("/sys/fs/cgroup/freezer\(parts[2])/freezer.state") ?? ""
        if state.hasPrefix("FROZEN") || state.hasPrefix("FREEZING") { return true }
      }
    }
    return false
  }

  private static func name(of user: UInt32) -> [UInt8]? {
    do throws(SystemError) { return try Account.with(uid: user)?.name } catch { return nil }
  }

  /// Converts clock ticks since boot to seconds since the epoch.
  private static func time(_ ticks: UInt64) -> Int64? {
    let perSecond = sysconf(Int32(_SC_CLK_TCK))
    guard perSecond > 0, let ticks = Int64(exactly: ticks) else { return nil }
    do throws(SystemError) {
      return try Clock.now() - Clock.sinceBoot() + ticks / Int64(perSecond)
    } catch {
      return nil
    }
  }
}
