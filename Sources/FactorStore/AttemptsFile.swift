import Factors
import Secrets
import System

/// A user's file in `attempts/`: two slots, and the lock on everything of the user's.
///
/// It is made at the first enrolment and stays, also when the last factor goes: whoever waits for
/// its lock waits for the right one.
struct AttemptsFile: ~Copyable {
  private let directory: StoreDirectory
  private let name: FileName
  private let owner: UInt32

  /// How long somebody else may hold the lock, in seconds.
  private static let patience: Int64 = 10

  init(directory: StoreDirectory, name: FileName, owner: UInt32) {
    self.directory = directory
    self.name = name
    self.owner = owner
  }

  /// What the file holds, without its lock.
  func read() throws(FactorStoreError) -> [UInt8] {
    try Self.read(name, in: directory, owner: owner)
  }

  /// What the file `name` in `attempts/` holds, without its lock.
  static func read(
    _ name: FileName, in directory: StoreDirectory, owner: UInt32
  ) throws(FactorStoreError) -> [UInt8] {
    let file = try onPart(.attempts) { () throws(SystemError) in
      try directory.opened.fileForReading(name)
    }
    let status = try onPart(.attempts) { () throws(SystemError) in try file.status() }
    if let distrust = status.distrust(owners: (owner, owner), permissions: 0o600) {
      throw .untrusted(.attempts, distrust)
    }
    guard status.size == Int64(AttemptSlots.length) else { throw .untrusted(.attempts, .wrongSize) }
    return try onPart(.attempts) { () throws(SystemError) in
      try file.read(count: AttemptSlots.length)
    }
  }

  /// Opens and locks the file, made first where there is none and `creating`.
  func lock(creating: Bool) throws(FactorStoreError) -> File {
    let file = try open(creating: creating)
    let status = try onPart(.attempts) { () throws(SystemError) in try file.status() }
    // Empty, it was made by a process that was interrupted before it wrote anything: root's, perhaps
    // before it gave the file away.
    let maker = status.size == 0 ? 0 : owner
    if let distrust = status.distrust(owners: (owner, maker), permissions: 0o600) {
      throw .untrusted(.attempts, distrust)
    }
    guard status.size > 0 || creating else { throw .system(.attempts, .notFound(.open)) }
    if status.owner != owner {
      try onPart(.attempts) { () throws(SystemError) in try file.changeOwner(to: owner) }
    }
    guard try onPart(.attempts, { () throws(SystemError) in try file.lock(seconds: Self.patience) })
    else { throw .busy }
    let size = try onPart(.attempts) { () throws(SystemError) in try file.status() }.size
    if size == 0, creating {
      try onPart(.attempts) { () throws(SystemError) in
        try file.write([UInt8](repeating: 0, count: AttemptSlots.length))
        try file.sync()
        try directory.opened.sync()
      }
    } else if size != Int64(AttemptSlots.length) {
      throw .untrusted(.attempts, .wrongSize)
    }
    return file
  }

  /// Takes the file's lock as `lock` does; a file that nobody believes, and whose lock therefore
  /// nobody holds, is put out of the way for a fresh one.
  ///
  /// - Returns: the file, and whether it is a fresh one.
  func lockReplacingDistrusted() throws(FactorStoreError) -> LockedAttempts {
    do throws(FactorStoreError) {
      return LockedAttempts(file: try lock(creating: true), wasReplaced: false)
    } catch {
      guard case .untrusted(.attempts, _) = error else { throw error }
    }
    try onPart(.attempts) { () throws(SystemError) in try directory.opened.unlink(name) }
    return LockedAttempts(file: try lock(creating: true), wasReplaced: true)
  }

  private func open(creating: Bool) throws(FactorStoreError) -> File {
    do throws(SystemError) {
      return try directory.opened.fileForUpdating(name)
    } catch {
      guard creating, error.isNotFound else {
        throw error.isSymbolicLink
          ? .untrusted(.attempts, .symbolicLink) : .system(.attempts, error)
      }
    }
    return try onPart(.attempts) { () throws(SystemError) in
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

/// An attempts file with its lock, held until the value ends.
struct LockedAttempts: ~Copyable {
  let file: File
  let wasReplaced: Bool
}
