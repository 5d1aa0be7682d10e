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
