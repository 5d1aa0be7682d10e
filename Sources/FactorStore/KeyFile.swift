import System

/// Where the key's file lies: the directories above it are judged once, however often it is read.
final class KeyFile {
  private let directory: Directory
  private let name: FileName

  // Throws before there is an object: see `LocalFactorStoreEntry`.
  convenience init(_ path: TrustedPath) throws(FactorStoreError) {
    self.init(try path.parent(of: .key), path.last)
  }

  private init(_ directory: consuming Directory, _ name: FileName) {
    self.directory = directory
    self.name = name
  }

  /// Opens the file, which has not been judged yet.
  func open() throws(FactorStoreError) -> File {
    try onPart(.key) { () throws(SystemError) in try directory.fileForReading(name) }
  }
}
