import MFACPOSIX

/// The status of a file, as `fstat` or `lstat` reports it.
package struct FileStatus: Equatable, Sendable {
  /// The type of a file.
  package enum Kind: Equatable, Sendable {
    case regular, directory, other
  }

  /// The file's type.
  package let kind: Kind
  /// The owner's user ID.
  package let owner: UInt32
  /// The group's ID.
  package let group: UInt32
  /// The permissions: the lower twelve bits of the mode.
  package let permissions: UInt32
  /// The number of hard links.
  package let links: UInt64
  /// The size in bytes.
  package let size: Int64
  /// The number of bytes for which blocks are allocated.
  package let allocated: Int64
  /// The time of the last write, in seconds since the epoch.
  package let writtenAt: Int64

  @inline(never)
  init(_ status: stat) {
    switch Int32(bitPattern: status.st_mode) & S_IFMT {
    case S_IFREG: kind = .regular
    case S_IFDIR: kind = .directory
    case _: kind = .other
    }
    owner = status.st_uid
    group = status.st_gid
    permissions = status.st_mode & 0o7777
    links = UInt64(status.st_nlink)
    size = Int64(status.st_size)
    allocated = Int64(status.st_blocks) &* 512
    writtenAt = Int64(status.st_mtim.tv_sec)
  }

  /// Whether any user other than the owner may write to the file.
  package var isWritableByOthers: Bool { permissions & 0o022 != 0 }
}

/// Why an opened file or directory is not trusted.
package enum TrustFailure: UInt8, Sendable {
  case symbolicLink, notARegularFile, notADirectory, wrongOwner, wrongPermissions, severalNames
  case empty, tooLarge, wrongSize

  /// The reason, as written in log lines and messages.
  package var name: StaticString {
    switch self {
    case .symbolicLink: "symbolic-link"
    case .notARegularFile: "not-a-regular-file"
    case .notADirectory: "not-a-directory"
    case .wrongOwner: "wrong-owner"
    case .wrongPermissions: "wrong-permissions"
    case .severalNames: "several-names"
    case .empty: "empty"
    case .tooLarge: "too-large"
    case .wrongSize: "wrong-size"
    }
  }
}

extension FileStatus {
  /// Why a user other than root could have written the file, or nil if it is a regular file that root
  /// alone can have written.
  package var distrust: TrustFailure? {
    if kind != .regular { return .notARegularFile }
    if owner != 0 { return .wrongOwner }
    return isWritableByOthers ? .wrongPermissions : nil
  }

  /// Returns nil if this is a regular file with a single hard link, an owner among `owners` and
  /// exactly `permissions`; otherwise returns what is wrong.
  ///
  /// With `mayBeReplaced`, the file may have no link: another process replaced or removed it after it
  /// was opened.
  package func distrust(
    owners: (UInt32, UInt32), permissions: UInt32, mayBeReplaced: Bool = false
  ) -> TrustFailure? {
    if kind != .regular { return .notARegularFile }
    if owner != owners.0 && owner != owners.1 { return .wrongOwner }
    if self.permissions != permissions { return .wrongPermissions }
    if links > 1 || links == 0 && !mayBeReplaced { return .severalNames }
    return nil
  }
}

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

  /// The device and the number: which file it is, whatever its content.
  package var place: [UInt8] {
    var writer = ByteWriter()
    writer.write(device)
    writer.write(number)
    return writer.bytes
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
