import MFAEnrollMessages
import MFABase
import Glibc
import MFAImport

/// A file of another program that contains a key.
enum ImportFile {
  /// Returns the path of google-authenticator's file.
  static func defaultPath() throws(Failure) -> String {
    guard let home = LocaleSettings.variable("HOME"), !home.isEmpty else {
      throw Failure(.noHomeFolder)
    }
    return home + "/.google_authenticator"
  }

  /// Reads the whole file. It must be a regular file (not a symbolic link) that belongs to the
  /// caller or root and that no other user may write to.
  static func read(_ path: String) throws(Failure) -> SecretBytes {
    let shown = FactorChoice.shown(path, longest: 4096)
    // SAFETY: the string is valid for the call.
    let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw Failure(
        .fileNotOpened(path: shown, reason: SystemError(.open, number: errno).text))
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
    let count: Int
    do throws(SystemError) {
      count = try text.withMutableSpan { text throws(SystemError) in
        try readAll(into: &text, from: descriptor)
      }
    } catch {
      throw Failure(.fileNotRead(path: shown))
    }
    return text.prefix(count)
  }
}
