import System

/// A file of the store's that is written in place: made where there is none, and judged.
///
/// MUST 1: it is a regular file of mode 0600 with one name that belongs to the store's owner, or
/// nothing of it is believed. (`LocalFactorStoreTests.distrusted`, `LedgerTests.distrusted`)
struct OwnedFile: ~Copyable {
  let directory: StoreDirectory
  let name: FileName
  let owner: UInt32
  private let part: FactorStoreError.Part

  /// How long somebody else may hold the file's lock, in seconds.
  private static let patience: Int64 = 10

  init(
    _ part: FactorStoreError.Part, directory: StoreDirectory, name: FileName, owner: UInt32
  ) {
    self.part = part
    self.directory = directory
    self.name = name
    self.owner = owner
  }

  /// Opens the file to be written to, made first where there is none and `creating`.
  func open(creating: Bool) throws(FactorStoreError) -> File {
    let file = try openOrCreate(creating)
    let status = try onPart(part) { () throws(SystemError) in try file.status() }
    // Empty, it was made by a process that was interrupted before it wrote anything: root's, perhaps
    // before it gave the file away.
    let maker = status.size == 0 ? 0 : owner
    if let distrust = status.distrust(owners: (owner, maker), permissions: 0o600) {
      throw .untrusted(part, distrust)
    }
    guard status.size > 0 || creating else { throw .system(part, .notFound(.open)) }
    if status.owner != owner {
      try onPart(part) { () throws(SystemError) in try file.changeOwner(to: owner) }
    }
    return file
  }

  /// Opens and locks a file of exactly `length` bytes, made of zeros where there is none and
  /// `creating`. The lock ends with the value.
  func lock(creating: Bool, length: Int) throws(FactorStoreError) -> File {
    let file = try open(creating: creating)
    guard try onPart(part, { () throws(SystemError) in try file.lock(seconds: Self.patience) })
    else { throw part == .attempts ? .busy : .system(part, .busy(.lock)) }
    let size = try onPart(part) { () throws(SystemError) in try file.status() }.size
    if size == 0, creating {
      try onPart(part) { () throws(SystemError) in
        try file.write([UInt8](repeating: 0, count: length))
        try file.sync()
        try directory.opened.sync()
      }
    } else if size != Int64(length) {
      throw .untrusted(part, .wrongSize)
    }
    return file
  }

  /// Takes the file away, whatever it is.
  func unlink() throws(FactorStoreError) {
    try onPart(part) { () throws(SystemError) in try directory.opened.unlink(name) }
  }

  private func openOrCreate(_ creating: Bool) throws(FactorStoreError) -> File {
    do throws(SystemError) {
      return try directory.opened.fileForUpdating(name)
    } catch {
      guard creating, error.isNotFound else {
        throw error.isSymbolicLink ? .untrusted(part, .symbolicLink) : .system(part, error)
      }
    }
    return try onPart(part) { () throws(SystemError) in
      do throws(SystemError) {
        let file = try directory.opened.create(name)
        try file.changeMode(to: 0o600)
        if try file.status().owner != owner { try file.changeOwner(to: owner) }
        return file
      } catch  where error.isExisting {
        return try directory.opened.fileForUpdating(name)
      }
    }
  }
}
