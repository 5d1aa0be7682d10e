/// The free space on a file system for unprivileged users, and its mount flags (statvfs(3)).
struct FileSystemSpace: Equatable {
  /// The number of bytes that can be written.
  var bytes: UInt64
  /// The number of files that can be created, or nil if the file system has no limit.
  var files: UInt64?
  /// Whether the file system is mounted read-only.
  var isReadOnly = false
  /// Whether the file system is mounted nosuid.
  var ignoresSetuid = false
}
