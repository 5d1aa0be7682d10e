/// How much room there is on a file system, for others than root (statvfs(3)).
struct FileSystemRoom: Equatable {
  /// Bytes that can be written.
  var bytes: UInt64
  /// Files that can be made; nil where the file system counts none.
  var files: UInt64?
  /// Whether nothing can be written at all.
  var isReadOnly = false
  /// Whether programs there run without their owner's identity.
  var ignoresSetuid = false
}
