import FactorStore
import System

/// One of the helpers that a user may have at once, as long as the value lives.
///
/// A helper that has given up its caller's identity counts as a process of `mfa`, so that the caller's
/// RLIMIT_NPROC does not limit how many there are. Each holds a lock on one byte of
/// `/var/lib/mfa/helpers`, which only `mfa` can open; the kernel releases the lock with the process.
struct HelperSlot: ~Copyable {
  /// The result of taking a slot.
  enum Result: ~Copyable {
    case taken(HelperSlot)
    /// The user has as many helpers as there may be.
    case full
  }

  /// How many helpers one user may have at once.
  static var mostPerUser: Int64 { 16 }

  /// How many that other helpers started may mail notices at once.
  static var mostOfItsOwn: Int64 { 64 }

  /// Each user's bytes begin at a multiple of this number.
  private static var bytesPerUser: Int64 { 256 }

  private let file: File?

  /// Takes a slot of the caller's. Root has as many as it wants. Where the store cannot be opened,
  /// which the conversation will report, there is nothing to count in.
  static func take(
    for identities: PrivilegedProcess.Identities
  ) throws(SystemError) -> Result {
    guard identities.caller != 0, let file = openFile(identities.own) else {
      return .taken(HelperSlot(file: nil))
    }
    let slots = identities.caller == identities.own ? mostOfItsOwn : mostPerUser
    let first = Int64(identities.caller) &* bytesPerUser
    for slot in 0..<slots where try file.lockByte(at: first &+ slot) {
      return .taken(HelperSlot(file: file))
    }
    return .full
  }

  private static func openFile(_ owner: UInt32) -> File? {
    guard let location = StoreLocation.standard, let name = FileName("helpers") else { return nil }
    do throws(SystemError) {
      let directory = try location.directory.lastDirectory()
      guard try directory.status().owner == owner else { return nil }
      let file = try file(name, in: directory)
      let distrust = try file.status().distrust(owners: (owner, owner), permissions: 0o600)
      guard distrust == nil else { return nil }
      return file
    } catch {
      return nil
    }
  }

  private static func file(
    _ name: FileName, in directory: borrowing Directory
  ) throws(SystemError) -> File {
    do throws(SystemError) {
      return try directory.fileForUpdating(name)
    } catch {
      guard error.isNotFound else { throw error }
    }
    do throws(SystemError) {
      return try directory.create(name)
    } catch  where error.isExisting {
      return try directory.fileForUpdating(name)
    }
  }
}
