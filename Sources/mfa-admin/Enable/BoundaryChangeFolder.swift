import CPOSIX
import System

/// What the folders of changes take that System has not.
enum ChangeFolder {
  /// Makes a folder that is root's alone, in a folder that is there. One that exists stays.
  static func make(_ path: String) throws(SystemError) {
    // SAFETY: the string is lent for the call.
    guard unsafe mkdir(path, 0o700) != 0 else { return }
    let number = cposix_errno()
    guard number == EEXIST else { throw SystemError(.open, number: number) }
  }

  /// Gives a file another name, in another folder of the same file system.
  static func move(_ path: String, to other: String) throws(SystemError) {
    // SAFETY: the strings are lent for the call.
    guard unsafe rename(path, other) == 0 else {
      throw SystemError(.rename, number: cposix_errno())
    }
  }
}
