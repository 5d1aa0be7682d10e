import MFAEnrollMessages
import MFABase
import Glibc
import MFAImport

/// A file of another program that contains a key.
enum ImportFile {
  /// Returns the path of google-authenticator's file.
  static func defaultPath() throws(Failure) -> String {
    // SAFETY: the string that getenv returns is copied at once.
    guard let home = unsafe getenv("HOME"), unsafe home.pointee != 0 else {
      throw Failure(.noHomeFolder)
    }
    // SAFETY: the variable is NUL-terminated, and nothing changes the environment.
    return unsafe String(cString: home) + "/.google_authenticator"
  }

  /// Reads the whole file. It must be a regular file (not a symbolic link) that belongs to the
  /// caller or root and that no other user may write to.
  static func read(_ path: String) throws(Failure) -> SecretBytes {
    let shown = FactorChoice.shown(path, longest: 4096)
    // SAFETY: the string is valid for the call.
    let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else {
      // SAFETY: the string that strerror returns is copied at once.
      let reason = unsafe String(cString: strerror(errno))
      throw Failure(.fileNotOpened(path: shown, reason: reason))
    }
    defer { close(descriptor) }
    var status = stat()
    // SAFETY: the call writes a `stat`, which `status` is.
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Failure(.notAFile(path: shown))
    }
    guard status.st_uid == getuid() || status.st_uid == 0,
      status.st_mode & (S_IWGRP | S_IWOTH) == 0
    else {
      throw Failure(.writableByOthers(path: shown))
    }
    let longest = GoogleAuthenticatorFile.maximumLength
    // One byte more than the limit, so that a file that is too long can be recognised.
    var text = SecretBytes(count: longest + 1)
    var count = 0
    while count < text.count {
      let start = count
      let got = text.withMutableSpan { text in
        // SAFETY: the buffer is valid for the call, and `start` is below its count.
        unsafe text.withUnsafeMutableBufferPointer { buffer in
          unsafe Glibc.read(
            descriptor, buffer.baseAddress.map { unsafe $0 + start }, buffer.count - start)
        }
      }
      if got < 0 && errno == EINTR { continue }
      guard got >= 0 else {
        throw Failure(.fileNotRead(path: shown))
      }
      if got == 0 { break }
      count += got
    }
    return text.prefix(count)
  }
}
