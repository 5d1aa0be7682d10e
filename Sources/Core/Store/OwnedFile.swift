import MFABase

/// A file of the store that is written in place. It is created if necessary, and its owner, mode
/// and type are checked.
///
/// MUST 1: the file is trusted only if it is a regular file of mode 0600 with a single link that
/// belongs to the store's owner. (`LocalFactorStoreTests.distrusted`, `AuditLogTests.distrusted`)
/// MUST 2: a file of fixed length is created under a temporary name and renamed, so that no process
/// finds a partial file after an interruption at any point. (Tests/Faults)
package struct OwnedFile: ~Copyable {
  /// The directory of the file.
  package let directory: StoreDirectory
  /// The name in that directory.
  package let name: FileName
  /// The uid that the file must belong to.
  package let owner: UInt32
  private let part: FactorStoreError.Part

  /// How long to wait for a lock that another process holds, in seconds.
  package static var patience: Int64 { 10 }

  /// Creates a value for a file. Nothing is opened yet.
  package init(
    _ part: FactorStoreError.Part, directory: StoreDirectory, name: FileName, owner: UInt32
  ) {
    self.part = part
    self.directory = directory
    self.name = name
    self.owner = owner
  }

  /// Opens the file for writing. If `creating`, a missing file is created empty.
  package func open(creating: Bool) throws(FactorStoreError) -> File {
    var status: FileStatus?
    if let file = try existing(&status), let status {
      guard status.size > 0 || creating else { throw .system(part, .notFound(.open)) }
      try give(file, status)
      return file
    }
    guard creating else { throw .system(part, .notFound(.open)) }
    do throws(SystemError) {
      let file = try directory.opened.create(name)
      try file.changeMode(to: 0o600)
      if try file.status().owner != owner { try file.changeOwner(to: owner) }
      return file
    } catch {
      guard error.isExisting else { throw .system(part, error) }
    }
    return try open(creating: true)
  }

  /// Opens the file for reading, which a read-only file system permits. An empty file counts as
  /// missing.
  package func openForReading() throws(FactorStoreError) -> File {
    var status: FileStatus?
    guard let file = try existing(&status, writing: false), let status, status.size > 0 else {
      throw .system(part, .notFound(.open))
    }
    return file
  }

  /// Opens the file for reading, and locks it as `lock` does.
  package func lockForReading(length: Int) throws(FactorStoreError) -> File {
    while true {
      var unlocked: FileStatus?
      guard let file = try existing(&unlocked, writing: false) else {
        throw .system(part, .notFound(.open))
      }
      try waitForLock(file)
      let status = try status(of: file)
      // The file was replaced while this process waited for its lock.
      if status.links == 0 { continue }
      if status.size == 0 { throw .system(part, .notFound(.open)) }
      guard status.size == Int64(length) else { throw .untrusted(part, .wrongSize) }
      return file
    }
  }

  /// Opens and locks a file of exactly `length` bytes. If `creating`, a missing file is created and
  /// filled with zeros. The lock ends with the returned value. An empty file counts as missing.
  ///
  /// The lock must be taken in an `UninterruptedSection`. The call waits up to `seconds` for
  /// another process to release the lock; with 0 it tries once.
  package func lock(
    creating: Bool, length: Int, seconds: Int64 = OwnedFile.patience
  ) throws(FactorStoreError) -> File {
    while true {
      var unlocked: FileStatus?
      guard let file = try existing(&unlocked) else {
        guard creating else { throw .system(part, .notFound(.open)) }
        if let made = try make([UInt8](repeating: 0, count: length), replacing: false) {
          return made
        }
        continue
      }
      try waitForLock(file, seconds: seconds)
      let status = try status(of: file)
      // The file was replaced while this process waited for its lock.
      if status.links == 0 { continue }
      if status.size == Int64(length) {
        try give(file, status)
        return file
      }
      if status.size == 0, !creating { throw .system(part, .notFound(.open)) }
      guard creating, status.size < Int64(length), try isUnwritten(file, length) else {
        throw .untrusted(part, .wrongSize)
      }
      // The lock on the old file is held until the new file has its name.
      if let made = try make([UInt8](repeating: 0, count: length), replacing: true) { return made }
    }
  }

  /// Replaces a file whose lock the caller holds with a file of this content.
  package func replace(with content: [UInt8]) throws(FactorStoreError) -> File {
    guard let made = try make(content, replacing: true) else { throw .busy }
    return made
  }

  /// Removes the file, whatever its type and content.
  package func unlink() throws(FactorStoreError) {
    try onPart(part) { () throws(SystemError) in try directory.opened.unlink(name) }
  }

  // MARK: Implementation

  /// Opens the file, checks its owner, mode and type, and tells its status. Returns nil if the file
  /// does not exist.
  private func existing(
    _ found: inout FileStatus?, writing: Bool = true
  ) throws(FactorStoreError) -> File? {
    let file: File
    do throws(SystemError) {
      file =
        writing
        ? try directory.opened.fileForUpdating(name) : try directory.opened.fileForReading(name)
    } catch {
      if error.isNotFound { return nil }
      throw refusal(error, of: part, name, in: directory.opened, owner: owner)
    }
    let status = try status(of: file)
    found = status
    // An empty file was left behind by an interrupted process, possibly by root before it changed
    // the owner. A file without a link was replaced after it was opened.
    let maker = status.size == 0 ? 0 : owner
    if let distrust = status.distrust(
      owners: (owner, maker), permissions: 0o600, mayBeReplaced: true)
    {
      throw .untrusted(part, distrust)
    }
    return file
  }

  private func status(of file: borrowing File) throws(FactorStoreError) -> FileStatus {
    try onPart(part) { () throws(SystemError) in try file.status() }
  }

  private func give(_ file: borrowing File, _ status: FileStatus) throws(FactorStoreError) {
    guard status.owner != owner else { return }
    try onPart(part) { () throws(SystemError) in try file.changeOwner(to: owner) }
  }

  private func waitForLock(
    _ file: borrowing File, seconds: Int64 = OwnedFile.patience
  ) throws(FactorStoreError) {
    guard try onPart(part, { () throws(SystemError) in try file.lock(seconds: seconds) })
    else { throw part == .attempts ? .busy : .system(part, .busy(.lock)) }
  }

  /// Returns whether a file was never written to: it is empty, or all zeros.
  private func isUnwritten(
    _ file: borrowing File, _ length: Int
  ) throws(FactorStoreError) -> Bool {
    let bytes = try onPart(part) { () throws(SystemError) in try file.read(count: length) }
    return bytes.allSatisfy { $0 == 0 }
  }

  /// Creates the file under a temporary name with its lock held, and renames it. Returns nil if
  /// another process created the file first.
  private func make(_ content: [UInt8], replacing: Bool) throws(FactorStoreError) -> File? {
    guard let draftName = FileName([UInt8(ascii: ".")] + name.bytes) else { throw .nameTooLong }
    let draft = OwnedFile(part, directory: directory, name: draftName, owner: owner)
    let file = try draft.open(creating: true)
    try waitForLock(file)
    // Every process that creates the file holds this lock, so the file cannot appear after this
    // check.
    var status: FileStatus?
    if !replacing, try existing(&status) != nil { return nil }
    do throws(SystemError) {
      try file.setLength(0)
      try file.write(content)
      try file.sync()
      try directory.opened.rename(draftName, to: name)
      try directory.opened.sync()
    } catch {
      // The previous holder of the temporary file's lock has renamed it.
      if error.isNotFound { return nil }
      throw .system(part, error)
    }
    return file
  }
}
