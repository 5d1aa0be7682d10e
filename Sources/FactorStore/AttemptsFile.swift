import Factors
import Secrets
import System

/// A user's file in `attempts/`: two slots, and the lock on everything of the user's.
///
/// It is made at the first enrolment and stays, also when the last factor goes: whoever waits for
/// its lock waits for the right one.
struct AttemptsFile: ~Copyable {
  private let file: OwnedFile

  init(directory: StoreDirectory, name: FileName, owner: UInt32) {
    file = OwnedFile(.attempts, directory: directory, name: name, owner: owner)
  }

  /// What the file holds, without its lock.
  func read() throws(FactorStoreError) -> [UInt8] {
    try Self.read(file.name, in: file.directory, owner: file.owner)
  }

  /// What the file holds, without its lock; nil when there is none, or nothing was written to it.
  func readIfPresent() throws(FactorStoreError) -> [UInt8]? {
    do throws(FactorStoreError) {
      return try read()
    } catch {
      guard case .system(.attempts, let cause) = error, cause.isNotFound else { throw error }
      return nil
    }
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
    guard [AttemptSlots.length, AttemptSlots.firstLength].contains(Int(status.size)) else {
      throw .untrusted(.attempts, .wrongSize)
    }
    return try onPart(.attempts) { () throws(SystemError) in
      try file.read(count: AttemptSlots.length)
    }
  }

  /// Opens and locks the file, made first when there is none and `creating`. A file of version 1 is
  /// converted, with the key that `key` reads.
  func lock(
    creating: Bool, key: () throws(FactorStoreError) -> SealingKey
  ) throws(FactorStoreError) -> File {
    do throws(FactorStoreError) {
      return try file.lock(creating: creating, length: AttemptSlots.length)
    } catch {
      guard case .untrusted(.attempts, .wrongSize) = error else { throw error }
    }
    let old = try file.lock(creating: false, length: AttemptSlots.firstLength)
    let bytes = try onPart(.attempts) { () throws(SystemError) in
      try old.read(count: AttemptSlots.firstLength)
    }
    var key = try key()
    guard let content = try AttemptSlots.converted(bytes, &key) else { throw .damaged(.attempts) }
    return try file.replace(with: content)
  }

  /// Takes the file's lock as `lock` does; a file that nobody believes, and whose lock therefore
  /// nobody holds, is put out of the way for a fresh one.
  ///
  /// - Returns: the file, and whether it is a fresh one.
  func lockReplacingDistrusted(
    key: () throws(FactorStoreError) -> SealingKey
  ) throws(FactorStoreError) -> LockedAttempts {
    do throws(FactorStoreError) {
      return LockedAttempts(file: try lock(creating: true, key: key), wasReplaced: false)
    } catch {
      guard case .untrusted(.attempts, _) = error else { throw error }
    }
    try file.unlink()
    return LockedAttempts(file: try lock(creating: true, key: key), wasReplaced: true)
  }
}

/// An attempts file with its lock, held until the value ends.
struct LockedAttempts: ~Copyable {
  let file: File
  let wasReplaced: Bool
}
