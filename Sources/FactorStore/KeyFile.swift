import System

/// Where the key's file lies: the directories above it are judged once, however often it is read.
final class KeyFile {
  private let directory: Directory
  private let name: FileName

  init(_ path: TrustedPath) throws(FactorStoreError) {
    directory = try path.parent(of: .key)
    name = path.last
  }

  /// Opens the file, which has not been judged yet.
  func open() throws(FactorStoreError) -> File {
    try onPart(.key) { () throws(SystemError) in try directory.fileForReading(name) }
  }
}
