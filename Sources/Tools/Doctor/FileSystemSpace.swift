/// The free space on a file system for unprivileged users, and its mount flags (statvfs(3)).
package struct FileSystemSpace: Equatable {
  /// The number of bytes that can be written.
  package var bytes: UInt64
  /// The number of files that can be created, or nil if the file system has no limit.
  package var files: UInt64?
  /// Whether the file system is mounted read-only.
  package var isReadOnly = false
  /// Whether there is no space for another record.
  package var isUsedUp: Bool { bytes < 65_536 || files == 0 }

  /// Whether the file system is mounted nosuid.
  package var ignoresSetuid = false
}
