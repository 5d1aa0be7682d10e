import MFABase
import MFAEnrollMessages
import Glibc
import Synchronization

/// A new file for the picture of a new key.
///
/// MUST 1: an existing file or link is neither changed nor followed. (`PictureFileTests.refused`)
/// MUST 2: at no time may any user other than the owner read the file. (`PictureFileTests.mode`)
/// MUST 3: the file is kept only if it is complete and its key is enrolled. After an error, and
/// after each signal that `TerminalGuard` handles and that ends the program, the file is removed.
/// (`EnrollFile.interrupted`, `EnrollFile.fullDisk`)
struct PictureFile: Sendable {
  let path: String
  private let descriptor: Int32

  /// The file to remove if a signal ends the program.
  private static let unfinished = Mutex<PictureFile?>(nil)

  /// Creates an empty file.
  init(creating path: String) throws(Failure) {
    self.path = path
    let owner: mode_t = S_IRUSR | S_IWUSR
    // Records the file before the lock is released, so that a signal finds either no file or one
    // that it can remove.
    let (file, error) = Self.unfinished.withLock { unfinished in
      // SAFETY: the string outlives the call.
      let descriptor = unsafe open(
        path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, owner)
      guard descriptor >= 0 else { return (Int32(-1), errno) }
      unfinished = PictureFile(path: path, descriptor: descriptor)
      return (descriptor, 0)
    }
    guard file >= 0 else { throw Self.refusal(path, error) }
    descriptor = file
    var status = stat()
    // SAFETY: the call writes a `stat`, which `status` is.
    guard fchmod(file, owner) == 0, unsafe fstat(file, &status) == 0,
      status.st_mode & 0o7777 == owner, status.st_uid == geteuid()
    else {
      remove()
      throw Failure(.fileNotPrivate(path: path))
    }
  }

  private init(path: String, descriptor: Int32) {
    self.path = path
    self.descriptor = descriptor
  }

  /// Writes a picture and waits until it is on disk.
  func write(_ picture: borrowing SecretBytes) throws(Failure) {
    do throws(SystemError) {
      try writeAll(picture.span, to: descriptor)
      _ = try retrying(.sync) { fsync(descriptor) }
    } catch {
      throw Failure(.fileNotWritten(path: path, reason: error.text))
    }
  }

  /// Closes the file and keeps it.
  func keep() {
    Self.unfinished.withLock { unfinished in
      unfinished = nil
      _ = close(descriptor)
    }
  }

  /// Removes the file, unless its name now belongs to another file. Returns whether the file was
  /// removed.
  @discardableResult
  func remove() -> Bool {
    Self.unfinished.withLock { unfinished in
      unfinished = nil
      defer { _ = close(descriptor) }
      return unlinkOwn()
    }
  }

  /// Removes the unfinished file, if there is one, and creates no new file until `end` has
  /// returned. Call this when a signal ends the program.
  static func removingUnfinished(_ end: () -> Void) {
    unfinished.withLock { unfinished in
      _ = unfinished?.unlinkOwn()
      unfinished = nil
      end()
    }
  }

  private func unlinkOwn() -> Bool {
    var own = stat()
    var named = stat()
    // SAFETY: each call writes a `stat`, which both variables are. The string outlives the call.
    guard unsafe fstat(descriptor, &own) == 0, unsafe lstat(path, &named) == 0,
      own.st_dev == named.st_dev, own.st_ino == named.st_ino
    else { return false }
    // SAFETY: as above.
    return unsafe unlink(path) == 0
  }

  private static func refusal(_ path: String, _ error: Int32) -> Failure {
    switch error {
    case EEXIST: Failure(.fileExists(path: path))
    case ENOENT, ENOTDIR: Failure(.folderMissing(path: path))
    case EACCES, EPERM, EROFS: Failure(.noPermission(path: path))
    case _: Failure(.fileNotCreated(path: path, reason: SystemError(.open, number: error).text))
    }
  }
}
