import MFABase

/// A user's file in `attempts/`. It holds two slots, and its lock protects all data of the user.
///
/// The file is created at the first enrolment, or when a sign-in without a factor is first counted.
/// It is not removed with the last factor, so that all processes wait for the lock of the same
/// file.
struct AttemptsFile: ~Copyable {
  private let file: OwnedFile

  init(directory: StoreDirectory, name: FileName, owner: UInt32) {
    file = OwnedFile(.attempts, directory: directory, name: name, owner: owner)
  }

  /// Returns the content of the file. Takes no lock.
  func read() throws(FactorStoreError) -> [UInt8] {
    try Self.read(file.name, in: file.directory, owner: file.owner)
  }

  /// Returns the content of the file, or nil if it does not exist. Takes no lock.
  func readIfPresent() throws(FactorStoreError) -> [UInt8]? {
    do throws(FactorStoreError) {
      return try read()
    } catch {
      guard case .system(.attempts, let cause) = error, cause.isNotFound else { throw error }
      return nil
    }
  }

  private static func open(
    _ name: FileName, in directory: StoreDirectory, owner: UInt32
  ) throws(FactorStoreError) -> File {
    do throws(SystemError) {
      return try directory.opened.fileForReading(name)
    } catch {
      throw refusal(error, of: .attempts, name, in: directory.opened, owner: owner)
    }
  }

  /// Returns the content of the file `name` in `attempts/`. Takes no lock.
  static func read(
    _ name: FileName, in directory: StoreDirectory, owner: UInt32
  ) throws(FactorStoreError) -> [UInt8] {
    let file = try open(name, in: directory, owner: owner)
    let status = try onPart(.attempts) { () throws(SystemError) in try file.status() }
    if let distrust = status.distrust(
      owners: (owner, owner), permissions: 0o600, mayBeReplaced: true)
    {
      throw .untrusted(.attempts, distrust)
    }
    guard status.size == Int64(AttemptSlots.length) else {
      throw .untrusted(.attempts, .wrongSize)
    }
    return try onPart(.attempts) { () throws(SystemError) in
      try file.read(count: AttemptSlots.length)
    }
  }

  /// Opens and locks the file. If `creating`, a missing file is created first.
  func lock(creating: Bool) throws(FactorStoreError) -> File {
    try file.lock(creating: creating, length: AttemptSlots.length)
  }

  /// Opens the file for reading, and locks it.
  func lockForReading() throws(FactorStoreError) -> File {
    try file.lockForReading(length: AttemptSlots.length)
  }

  /// Locks the file as `lock` does. An untrusted file is replaced by a new one; no other process
  /// holds its lock, because every process rejects it.
  ///
  /// - Returns: the locked file, and whether it was replaced.
  func lockReplacingDistrusted() throws(FactorStoreError) -> LockedAttempts {
    do throws(FactorStoreError) {
      return LockedAttempts(file: try lock(creating: true), wasReplaced: false)
    } catch {
      guard error.distrust != nil, case .system(.attempts, _) = error else { throw error }
    }
    try file.unlink()
    return LockedAttempts(file: try lock(creating: true), wasReplaced: true)
  }
}

/// A locked attempts file. The lock is released when the value ends.
struct LockedAttempts: ~Copyable {
  let file: File
  let wasReplaced: Bool
}
