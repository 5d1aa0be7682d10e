import CPOSIX
import System

/// The processes that hold locks in the store, as /proc tells of them.
///
/// The lines of a file's locks are read from /proc/PID/fdinfo, where the kernel writes what it writes to
/// /proc/locks: there the device and inode are those of the file system below, which for overlayfs and
/// btrfs are not the ones that stat(2) tells.
enum LockHolders {
  /// How long a process that was killed may take to end, in milliseconds.
  private static let patience: Int32 = 5_000

  /// The processes that hold the lock on the file at `path`.
  static func holders(of path: String) -> [LockHolder] { holders { $0 == path } }

  /// The processes that hold a lock in the store and cannot go on.
  static func stopped() -> [LockHolder] {
    holders { _ in true }.filter { $0.state != .running }
  }

  /// Kills a process, if it is still the one that was found and still holds the lock. Returns whether
  /// it has ended.
  static func end(_ holder: LockHolder) -> Bool {
    let process = cposix_open_process(holder.process)
    guard process >= 0 else { return isGone(holder) }
    defer { _ = close(process) }
    // The descriptor names one process: what is found now is true of that one.
    guard files(of: holder.process).contains(holder.file), !isGone(holder) else {
      return isGone(holder)
    }
    return cposix_kill_process(process, patience) == 1
  }

  private static func isGone(_ holder: LockHolder) -> Bool {
    RunningProcess(holder.process)?.start != holder.start
  }

  private static func holders(_ isMeant: (String) -> Bool) -> [LockHolder] {
    let names: [String]
    do throws(ChangeError) { names = try SystemFile.names(in: "/proc") } catch { return [] }
    var holders: [LockHolder] = []
    for number in names.compactMap({ Int32($0) }).sorted() where number != getpid() {
      for file in files(of: number) where isMeant(file) {
        if let holder = holder(number, file) { holders.append(holder) }
      }
    }
    return holders
  }

  /// The files of the store's that a process holds a lock on.
  private static func files(of number: Int32) -> [String] {
    let names: [String]
    do throws(ChangeError) { names = try SystemFile.names(in: "/proc/\(number)/fdinfo") } catch {
      return []
    }
    var files: [String] = []
    for name in names {
      guard let text = ProcessTable.text("/proc/\(number)/fdinfo/\(name)"), isLocked(text),
        let path = ProcessTable.target("/proc/\(number)/fd/\(name)"), isInStore(path),
        !files.contains(path), isSame("/proc/\(number)/fd/\(name)", path)
      else { continue }
      files.append(path)
    }
    return files
  }

  /// Whether the text of a file in /proc/PID/fdinfo names an exclusive lock (flock(2)).
  static func isLocked(_ text: String) -> Bool {
    text.split(separator: "\n").contains { line in
      let words = line.split(whereSeparator: \.isWhitespace)
      return words.first == "lock:" && words.contains("FLOCK") && words.contains("WRITE")
    }
  }

  private static func isInStore(_ path: String) -> Bool {
    path == "/var/lib/mfa/ledger.head" || path.hasPrefix("/var/lib/mfa/attempts/")
  }

  /// Whether both paths lead to the same file. A process can see another file under the same path.
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
      let text = ProcessTable.text("/proc/\(number)/stat"),
      let status = ProcessTable.text("/proc/\(number)/status"),
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

  /// The state stands behind the name of the program, which may hold anything (proc_pid_stat(5)).
  static func isStopped(_ stat: String) -> Bool {
    guard let end = stat.lastIndex(of: ")") else { return false }
    return ["T", "t"].contains(stat[end...].dropFirst(2).first)
  }

  private static func isFrozen(_ number: Int32) -> Bool {
    guard let groups = ProcessTable.text("/proc/\(number)/cgroup") else { return false }
    for line in groups.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      if parts[1].isEmpty {
        let events = ProcessTable.text("/sys/fs/cgroup\(parts[2])/cgroup.events") ?? ""
        if events.split(separator: "\n").contains("frozen 1") { return true }
      } else if parts[1] == "freezer" {
        let state = ProcessTable.text("/sys/fs/cgroup/freezer\(parts[2])/freezer.state") ?? ""
        if state.hasPrefix("FROZEN") || state.hasPrefix("FREEZING") { return true }
      }
    }
    return false
  }

  private static func name(of user: UInt32) -> [UInt8]? {
    do throws(SystemError) { return try Account.with(uid: user)?.name } catch { return nil }
  }

  /// A time in clock ticks since the machine was started, in seconds since the epoch.
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
