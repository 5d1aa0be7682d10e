import MFACPOSIX

/// An open directory, from which files are opened by name. Destroying the value closes it.
///
/// MUST 1: no symbolic link is followed. MUST 2: no descriptor outlives an `exec`. MUST 3: opening
/// a file never blocks and never acquires a controlling terminal. (`DirectoryTests`)
public struct Directory: ~Copyable {
  private let descriptor: Int32

  init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { _ = close(descriptor) }

  /// Opens the root directory.
  public static func root() throws(SystemError) -> Directory {
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
    // SAFETY: a literal is NUL-terminated.
    let descriptor = try retrying(.open) { unsafe cposix_openat(AT_FDCWD, "/", flags, 0) }
    return Directory(descriptor: descriptor)
  }

  /// Opens the directory at a NUL-terminated path.
  static func at(_ path: [CChar]) throws(SystemError) -> Directory {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
    let descriptor = try retrying(.open) { () -> Int32 in
      // SAFETY: the path ends with a NUL and outlives the call.
      unsafe path.withUnsafeBufferPointer { path in
        guard let path = path.baseAddress else { return -1 }
        return unsafe cposix_openat(AT_FDCWD, path, flags, 0)
      }
    }
    return Directory(descriptor: descriptor)
  }

  /// Returns the status of the file at a NUL-terminated path, without opening it. For a symbolic
  /// link, returns the status of the link itself.
  static func status(at path: [CChar]) throws(SystemError) -> FileStatus {
    var status = stat()
    _ = try retrying(.open) { () -> Int32 in
      // SAFETY: the path ends with a NUL and outlives the call, as does `status`, which the call
      // writes.
      unsafe path.withUnsafeBufferPointer { path in
        guard let path = path.baseAddress else { return -1 }
        return unsafe lstat(path, &status)
      }
    }
    return FileStatus(status)
  }

  /// Opens a subdirectory of this directory.
  public func directory(_ name: FileName) throws(SystemError) -> Directory {
    Directory(descriptor: try open(name, O_RDONLY | O_DIRECTORY))
  }

  /// Opens a file for reading.
  public func fileForReading(_ name: FileName) throws(SystemError) -> File {
    File(descriptor: try open(name, O_RDONLY))
  }

  /// Opens a file for reading and writing.
  public func fileForUpdating(_ name: FileName) throws(SystemError) -> File {
    File(descriptor: try open(name, O_RDWR))
  }

  /// Creates a file that only its owner may read and write. Fails if the name is taken.
  public func create(_ name: FileName) throws(SystemError) -> File {
    File(descriptor: try open(name, O_RDWR | O_CREAT | O_EXCL))
  }

  private func open(_ name: FileName, _ flags: Int32) throws(SystemError) -> Int32 {
    // O_NONBLOCK: opening a FIFO or a device returns at once, and `fstat` then reports its type.
    let flags = flags | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
    return try retrying(.open) { () -> Int32 in
      // SAFETY: `terminated` ends with a NUL and outlives the call.
      unsafe name.terminated.withUnsafeBufferPointer { path in
        guard let path = path.baseAddress else { return -1 }
        return unsafe cposix_openat(descriptor, path, flags, 0o600)
      }
    }
  }

  /// Returns the status of the directory.
  public func status() throws(SystemError) -> FileStatus {
    var status = stat()
    // SAFETY: the call writes `status`, which outlives it.
    _ = try retrying(.status) { unsafe fstat(descriptor, &status) }
    return FileStatus(status)
  }

  /// Renames a file atomically, replacing any file that has the new name.
  public func rename(_ from: FileName, to: FileName) throws(SystemError) {
    _ = try retrying(.rename) { () -> Int32 in
      // SAFETY: both names end with a NUL and outlive the call.
      unsafe from.terminated.withUnsafeBufferPointer { from in
        unsafe to.terminated.withUnsafeBufferPointer { to in
          guard let from = from.baseAddress, let to = to.baseAddress else { return -1 }
          return unsafe renameat(descriptor, from, descriptor, to)
        }
      }
    }
  }

  /// Removes a file.
  public func unlink(_ name: FileName) throws(SystemError) {
    _ = try retrying(.unlink) { () -> Int32 in
      // SAFETY: the name ends with a NUL and outlives the call.
      unsafe name.terminated.withUnsafeBufferPointer { name in
        guard let name = name.baseAddress else { return -1 }
        return unsafe unlinkat(descriptor, name, 0)
      }
    }
  }

  /// Waits until the directory's entries are on disk.
  public func sync() throws(SystemError) {
    _ = try retrying(.sync) { fsync(descriptor) }
  }

  /// Returns whether a file may exist at this absolute path: true if that cannot be determined.
  public static func mayExist(_ path: [UInt8]) -> Bool {
    let terminated = path.map { CChar(bitPattern: $0) } + [0]
    // SAFETY: the path ends with a NUL and outlives the call.
    return unsafe terminated.withUnsafeBufferPointer { path in
      guard let path = path.baseAddress, unsafe access(path, F_OK) != 0 else { return true }
      let number = cposix_errno()
      return number != ENOENT && number != ENOTDIR
    }
  }

  /// Calls `body` with the name of each entry except `.` and `..`, in no particular order, until
  /// `body` returns false. Throws if the entries could not all be read.
  public func forEachEntry(_ body: (FileName) -> Bool) throws(SystemError) {
    guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw SystemError.last(.listDirectory) }
    // Does not use the C library's directory stream, which allocates 32 KB for a directory that is
    // usually empty.
    var room = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = try retrying(.listDirectory) { () -> Int in
        // SAFETY: the call writes at most as many bytes as the buffer has.
        unsafe room.withUnsafeMutableBytes { room in
          unsafe cposix_list_directory(descriptor, room.baseAddress, room.count)
        }
      }
      guard count > 0 else { return }
      var entry = room.prefix(count)
      while let name = Self.takeName(from: &entry) {
        guard let fileName = FileName(name) else { continue }
        guard body(fileName) else { return }
      }
      guard entry.isEmpty else { throw SystemError(.listDirectory, number: EIO) }
    }
  }

  /// Removes the first entry from the bytes that the kernel returned (getdents64(2)). Returns its
  /// name, or nil if there is no further entry.
  private static func takeName(from entries: inout ArraySlice<UInt8>) -> [UInt8]? {
    let header = 19
    guard entries.count >= header else { return nil }
    let start = entries.startIndex
    #if _endian(little)
      let length = Int(entries[start + 17]) << 8 | Int(entries[start + 16])
    #else
      let length = Int(entries[start + 16]) << 8 | Int(entries[start + 17])
    #endif
    guard length >= header, length <= entries.count else { return nil }
    let name = entries[(start + header)..<(start + length)].prefix { $0 != 0 }
    entries = entries[(start + length)...]
    return Array(name)
  }
}
