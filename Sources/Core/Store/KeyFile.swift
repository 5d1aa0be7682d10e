import MFABase

/// The location of the key file. The directories above it are checked once, however often the key
/// is read.
///
/// While `mfa-admin rekey` works, a second file beside it has the next key: records are sealed with
/// either. The change ends when the second file takes the name of the first.
package final class KeyFile {
  /// The open directory.
  package let directory: Directory
  /// The name of the file with the present key.
  package let name: FileName
  /// The name of the file with the next key.
  package let nextName: FileName

  /// What tells one pair of files from another.
  package struct Version: Equatable {
    private let present: FileIdentity?
    private let next: FileIdentity?

    init(present: FileIdentity?, next: FileIdentity?) {
      self.present = present
      self.next = next
    }

    /// Whether there is a file with the present key.
    package var exists: Bool { present != nil }

    /// Returns whether any pair of files that is written after `time` has another version.
    package func isOld(at time: Int64) -> Bool {
      guard let present, present.isOld(at: time) else { return false }
      return next?.isOld(at: time) ?? true
    }
  }

  /// Opens and checks the directory of the key file.
  ///
  /// Throws before the object exists: see `LocalFactorStoreEntry`.
  package convenience init(_ path: TrustedPath) throws(FactorStoreError) {
    guard let next = FileName(path.last.bytes + (".next" as StaticString).bytes) else {
      throw .nameTooLong
    }
    self.init(try path.parent(of: .key), path.last, next)
  }

  private init(_ directory: consuming Directory, _ name: FileName, _ nextName: FileName) {
    self.directory = directory
    self.name = name
    self.nextName = nextName
  }

  /// Opens the file, whose owner and mode have not been checked yet. `storeOwner` is the user who
  /// owns the store.
  package func open(storeOwner: UInt32) throws(FactorStoreError) -> File {
    do throws(SystemError) {
      return try directory.fileForReading(name)
    } catch {
      throw refusal(error, of: .key, name, in: directory, owner: storeOwner)
    }
  }

  /// Opens the file with the next key as `open` does, or returns nil if there is none.
  func openNext(storeOwner: UInt32) throws(FactorStoreError) -> File? {
    do throws(SystemError) {
      return try directory.fileForReading(nextName)
    } catch {
      if error.isNotFound { return nil }
      throw refusal(error, of: .key, nextName, in: directory, owner: storeOwner)
    }
  }

  /// Returns the version of the files.
  package func version() throws(FactorStoreError) -> Version {
    try onPart(.key) { () throws(SystemError) in
      Version(
        present: try directory.identity(of: name), next: try directory.identity(of: nextName))
    }
  }

  /// Creates a file with a key under `newName`, with the owner and the group of another one. No process
  /// finds a part of it.
  package func create(
    _ newName: FileName, _ master: borrowing SecretBytes, like other: FileStatus
  ) throws(SystemError) {
    guard let draft = FileName([UInt8(ascii: ".")] + newName.bytes) else {
      throw .notFound(.open)
    }
    do throws(SystemError) { try directory.unlink(draft) } catch  where error.isNotFound {}
    let file = try directory.create(draft)
    try file.changeGroup(to: other.group)
    try file.changeOwner(to: other.owner)
    try file.changeMode(to: 0o400)
    try file.write(master.span)
    try file.sync()
    try directory.rename(draft, to: newName)
    try directory.sync()
  }
}
