import CPOSIX

/// What `fstat` says of something that was opened.
public struct FileStatus: Equatable, Sendable {
  /// What it is.
  public enum Kind: Equatable, Sendable {
    case regular, directory, other
  }

  /// What it is.
  public let kind: Kind
  /// Its owner's numeric identity.
  public let owner: UInt32
  /// Its group's numeric identity.
  public let group: UInt32
  /// Its permissions: the lower twelve bits of its mode.
  public let permissions: UInt32
  /// How many names it has.
  public let links: UInt64
  /// Its size in bytes.
  public let size: Int64
  /// When it was last written to, in seconds since the epoch.
  public let writtenAt: Int64

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
    writtenAt = Int64(status.st_mtim.tv_sec)
  }

  /// Whether somebody other than the owner may write to it.
  public var isWritableByOthers: Bool { permissions & 0o022 != 0 }
}
