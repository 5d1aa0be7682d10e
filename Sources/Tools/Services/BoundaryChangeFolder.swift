import MFACPOSIX
import MFABase

/// Folder operations for change records that the System module does not have.
enum ChangeFolder {
  /// Creates a folder of root's in an existing folder. Keeps a folder that already exists.
  static func make(_ path: String, permissions: UInt32 = 0o700) throws(SystemError) {
    // SAFETY: the string is valid during the call.
    guard unsafe mkdir(path, permissions) != 0 else { return }
    let number = cposix_errno()
    guard number == EEXIST else { throw SystemError(.open, number: number) }
  }

  /// Moves a file within the same file system.
  static func move(_ path: String, to other: String) throws(SystemError) {
    // SAFETY: the strings are valid during the call.
    guard unsafe rename(path, other) == 0 else {
      throw SystemError(.rename, number: cposix_errno())
    }
  }

  /// Gives a file a second name. A symbolic link is not followed: the link itself gets the name.
  static func link(_ path: String, as other: String) throws(SystemError) {
    // SAFETY: the strings are valid during the call.
    guard unsafe MFACPOSIX.link(path, other) == 0 else {
      throw SystemError(.rename, number: cposix_errno())
    }
  }
}
