import MFACPOSIX

/// What tells one version of a file or folder from every other: the file itself, its size, and the
/// times of its last change. Two versions that were written within one tick of the file system's clock
/// can have the same identity, so an identity is trusted only when it has become old.
package struct FileIdentity: Equatable, Sendable {
  private let device: UInt64
  private let number: UInt64
  private let mode: UInt32
  private let owner: UInt32
  private let size: Int64
  private let written: Int64
  private let changed: Int64

  /// How long after the last change an identity becomes trusted, in nanoseconds. Every file system
  /// of Linux has a clock that is finer than this.
  private static var tick: Int64 { 2_000_000_000 }

  /// Returns the identity of the file at `path`, or nil if there is none. A symbolic link has an
  /// identity of its own.
  package static func of(_ path: [UInt8]) throws(SystemError) -> FileIdentity? {
    var status = stat()
    let path = cString(path)
    do throws(SystemError) {
      // SAFETY: the path ends with a NUL and outlives the call, as does `status`.
      _ = try retrying(.status) { unsafe lstat(path, &status) }
    } catch {
      guard error.isNotFound || error.isNotADirectory else { throw error }
      return nil
    }
    return FileIdentity(status)
  }

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    number = UInt64(status.st_ino)
    mode = status.st_mode
    owner = status.st_uid
    size = Int64(status.st_size)
    written = Self.nanoseconds(status.st_mtim)
    changed = Self.nanoseconds(status.st_ctim)
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }

  /// Returns whether any version of the file that is written after `time` has another identity: the
  /// last change is not in the same tick, and not in the future. `time` is in nanoseconds since the
  /// epoch, and was read before the content of the file.
  package func isOld(at time: Int64) -> Bool { max(written, changed) < time &- Self.tick }

  /// Returns whether the file was written more than `seconds` before `time`, or after it. `time` is in
  /// nanoseconds since the epoch.
  package func isOutdated(after seconds: Int64, at time: Int64) -> Bool {
    written > time || written < time &- seconds &* 1_000_000_000
  }
}
