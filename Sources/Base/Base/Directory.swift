import MFACPOSIX

/// An open directory, from which files are opened by name. Destroying the value closes it.
///
/// MUST 1: no symbolic link is followed to open a file. MUST 2: no descriptor outlives an `exec`.
/// MUST 3: opening a file never blocks and never acquires a controlling terminal.
/// (`DirectoryTests`)
///
/// Public, because Embedded Swift 6.3 does not see the `deinit` of a `package` type of another target.
public struct Directory: ~Copyable {
  private let descriptor: Int32

  init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { _ = close(descriptor) }

  /// Opens the root directory.
  package static func root() throws(SystemError) -> Directory {
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
    // SAFETY: a literal is NUL-terminated.
    let descriptor = try retrying(.open) { unsafe cposix_openat(AT_FDCWD, "/", flags, 0) }
    return Directory(descriptor: descriptor)
  }

  /// Opens the directory at a NUL-terminated path.
  static func at(_ path: [CChar]) throws(SystemError) -> Directory {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
    // SAFETY: the path ends with a NUL and outlives the call.
    let descriptor = try retrying(.open) { unsafe cposix_openat(AT_FDCWD, path, flags, 0) }
    return Directory(descriptor: descriptor)
  }

  /// Returns the status of the file at a NUL-terminated path, without opening it. For a symbolic
  /// link, returns the status of the link itself.
  static func status(at path: [CChar]) throws(SystemError) -> FileStatus {
    var status = stat()
    // SAFETY: the path ends with a NUL and outlives the call, as does `status`, which the call
    // writes.
    _ = try retrying(.open) { unsafe lstat(path, &status) }
    return FileStatus(status)
  }

  /// Opens a subdirectory of this directory.
  package func directory(_ name: FileName) throws(SystemError) -> Directory {
    Directory(descriptor: try open(name, O_RDONLY | O_DIRECTORY))
  }

  /// Opens a file for reading.
  package func fileForReading(_ name: FileName) throws(SystemError) -> File {
    File(descriptor: try open(name, O_RDONLY))
  }

  /// Opens a file for reading and writing.
  package func fileForUpdating(_ name: FileName) throws(SystemError) -> File {
    File(descriptor: try open(name, O_RDWR))
  }

  /// Creates a file that only its owner may read and write. Fails if the name is taken.
  package func create(_ name: FileName) throws(SystemError) -> File {
    File(descriptor: try open(name, O_RDWR | O_CREAT | O_EXCL))
  }

  private func open(_ name: FileName, _ flags: Int32) throws(SystemError) -> Int32 {
    // O_NONBLOCK: opening a FIFO or a device returns at once, and `fstat` then reports its type.
    let flags = flags | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
    // SAFETY: `terminated` ends with a NUL and outlives the call.
    return try retrying(.open) { unsafe cposix_openat(descriptor, name.terminated, flags, 0o600) }
  }

  /// Returns the status of the directory.
  package func status() throws(SystemError) -> FileStatus {
    var status = stat()
    // SAFETY: the call writes `status`, which outlives it.
    _ = try retrying(.status) { unsafe fstat(descriptor, &status) }
    return FileStatus(status)
  }

  /// Returns the identity of a file, or nil if it does not exist. Does not open the file.
  package func identity(of name: FileName) throws(SystemError) -> FileIdentity? {
    do throws(SystemError) {
      return FileIdentity(try examine(name))
    } catch {
      guard error.isNotFound else { throw error }
      return nil
    }
  }

  /// Returns the status of a file, without opening it. For a symbolic link, returns the status of
  /// the link itself.
  package func status(of name: FileName) throws(SystemError) -> FileStatus {
    FileStatus(try examine(name))
  }

  private func examine(_ name: FileName) throws(SystemError) -> stat {
    var status = stat()
    _ = try retrying(.status) {
      // SAFETY: the name ends with a NUL and outlives the call, as does `status`.
      unsafe fstatat(descriptor, name.terminated, &status, AT_SYMLINK_NOFOLLOW)
    }
    return status
  }

  /// Renames a file atomically, replacing any file that has the new name.
  package func rename(_ from: FileName, to: FileName) throws(SystemError) {
    try rename(from, to: to, exchanges: false)
  }

  /// Exchanges the names of two files atomically.
  package func exchange(_ first: FileName, _ second: FileName) throws(SystemError) {
    try rename(first, to: second, exchanges: true)
  }

  private func rename(
    _ from: FileName, to: FileName, exchanges: Bool
  ) throws(SystemError) {
    // SAFETY: both names end with a NUL and outlive the call.
    _ = try retrying(.rename) {
      unsafe cposix_rename(descriptor, from.terminated, to.terminated, exchanges ? 1 : 0)
    }
  }

  /// Removes a file.
  package func unlink(_ name: FileName) throws(SystemError) { try unlink(name, flags: 0) }

  private func unlink(_ name: FileName, flags: Int32) throws(SystemError) {
    // SAFETY: the name ends with a NUL and outlives the call.
    _ = try retrying(.unlink) { unsafe unlinkat(descriptor, name.terminated, flags) }
  }

  /// Removes a file, or a directory without entries.
  package func remove(_ name: FileName) throws(SystemError) {
    do throws(SystemError) {
      try unlink(name)
    } catch {
      guard error.isDirectory else { throw error }
      try unlink(name, flags: AT_REMOVEDIR)
    }
  }

  /// Changes the owner, the group and then the permissions of the directory. Only root may do that.
  package func change(owner: UInt32, group: UInt32, permissions: UInt32) throws(SystemError) {
    _ = try retrying(.changeOwner) { fchown(descriptor, owner, group) }
    _ = try retrying(.changeMode) { fchmod(descriptor, permissions) }
  }

  /// Waits until the directory's entries are on disk.
  package func sync() throws(SystemError) {
    _ = try retrying(.sync) { fsync(descriptor) }
  }

  /// Throws if this process may not create files in the directory, for example on a file system that is mounted
  /// read-only for it. Writes nothing.
  package func requireWritable() throws(SystemError) {
    _ = try retrying(.write) { cposix_may_create(descriptor) }
  }

  /// Returns whether a file may exist at this absolute path: true if that cannot be determined.
  package static func mayExist(_ path: [UInt8]) -> Bool {
    // SAFETY: the path ends with a NUL and outlives the call.
    guard unsafe access(cString(path), F_OK) != 0 else { return true }
    let number = cposix_errno()
    return number != ENOENT && number != ENOTDIR
  }

  /// Calls `body` with the name of each entry except `.` and `..`, in no particular order, until
  /// `body` returns false. Throws if the entries could not all be read.
  package func forEachEntry(_ body: (FileName) -> Bool) throws(SystemError) {
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
    // SAFETY: a literal is NUL-terminated. The new descriptor has a position of its own.
    let opened = try retrying(.open) { unsafe cposix_openat(descriptor, ".", flags, 0) }
    // SAFETY: the stream takes over the descriptor, which nothing else uses.
    guard let stream = unsafe fdopendir(opened) else {
      let error = SystemError.last(.listDirectory)
      close(opened)
      throw error
    }
    // SAFETY: the stream is closed once, after its last use.
    defer { unsafe closedir(stream) }
    while true {
      cposix_clear_errno()
      // SAFETY: the stream is open.
      guard let entry = unsafe readdir(stream) else { break }
      // SAFETY: the name ends with a NUL, and is copied before the next call of readdir.
      guard let name = unsafe FileName(bytes(cposix_entry_name(entry))) else { continue }
      guard body(name) else { return }
    }
    guard cposix_errno() == 0 else { throw SystemError.last(.listDirectory) }
  }
}

extension Directory {
  /// Opens a file for reading and writing. If it does not exist, creates it, and only its owner may
  /// read and write it. Another process may create the file at the same time.
  package func fileForUpdatingOrNew(_ name: FileName) throws(SystemError) -> File {
    do throws(SystemError) {
      return try fileForUpdating(name)
    } catch {
      guard error.isNotFound else { throw error }
    }
    do throws(SystemError) {
      return try create(name)
    } catch  where error.isExisting {
      return try fileForUpdating(name)
    }
  }
}
