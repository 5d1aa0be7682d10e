import MFABase
import MFAStore

/// A slot for one of the helpers that a user may run at the same time, occupied as long as the
/// value lives.
///
/// A helper that has given up its caller's identity counts as a process of `mfa`, so the caller's
/// RLIMIT_NPROC does not limit the number of helpers. Each helper therefore locks one byte of
/// `/var/lib/mfa/helpers`, which only `mfa` can open. The kernel releases the lock when the process
/// ends.
struct HelperSlot: ~Copyable {
  /// The result of taking a slot.
  enum Result: ~Copyable {
    case taken(HelperSlot)
    /// The user already runs the maximum number of helpers.
    case full
  }

  /// The maximum number of helpers for one user.
  static var maximumPerUser: Int64 { 16 }

  /// The maximum number of helpers that were started by other helpers to mail notices.
  static var maximumMailers: Int64 { 64 }

  /// The distance between the first bytes of two users' slots.
  private static var bytesPerUser: Int64 { 256 }

  private let file: File?

  /// Takes a slot for the caller. The number of helpers is not limited for root, or if the store
  /// cannot be opened; the decision will report that failure.
  static func take(
    for identities: PrivilegedProcess.Identities
  ) throws(SystemError) -> Result {
    guard identities.caller != 0, let file = openFile(identities.own) else {
      return .taken(HelperSlot(file: nil))
    }
    let slots = identities.caller == identities.own ? maximumMailers : maximumPerUser
    let first = Int64(identities.caller) &* bytesPerUser
    for slot in 0..<slots where try file.lockByte(at: first &+ slot) {
      return .taken(HelperSlot(file: file))
    }
    return .full
  }

  private static func openFile(_ owner: UInt32) -> File? {
    guard let location = StoreLocation.standard, let name = FileName(StoreFile.helpers.name) else {
      return nil
    }
    do throws(SystemError) {
      let directory = try location.directory.lastDirectory()
      guard try directory.status().owner == owner else { return nil }
      let file = try directory.fileForUpdatingOrNew(name)
      let distrust = try file.status().distrust(owners: (owner, owner), permissions: 0o600)
      guard distrust == nil else { return nil }
      return file
    } catch {
      return nil
    }
  }
}
