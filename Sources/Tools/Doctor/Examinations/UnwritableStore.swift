import MFAAdmin
import MFABase

/// Finds a store that cannot be written to, which causes every code to be rejected.
enum UnwritableStore: Examination {
  private static let path = "\(InstalledPath.store)"

  /// The free bytes and files below which the store counts as full.
  private static let least: (bytes: UInt64, files: UInt64) = (1 << 20, 16)

  /// The free bytes and files below which the store counts as nearly full.
  private static let little: (bytes: UInt64, files: UInt64) = (16 << 20, 256)

  private static let harm =
    "an attempt that cannot be counted is rejected, so sign-ins that require a code are denied; "
    + "users without a factor and remembered sign-ins are not affected"

  /// What happens on a full file system.
  private static let harmOfFull =
    "no user can enrol; codes are verified, and mfa-admin revoke and bypass work, as long as the "
    + "allocated space lasts"

  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    do throws(SystemError) {
      // `Ownership` reports a missing store.
      guard try snapshot.host.status(of: path)?.kind == .folder else { return [] }
      if let finding = room(try snapshot.host.fileSystemSpace(at: path)) { return [finding] }
    } catch {
      return [.unchecked("whether the store is writable", at: path, error.text)]
    }
    do throws(TrustedPath.Refusal) {
      try snapshot.host.tryWriting(in: path)
      return []
    } catch {
      return [
        Finding(
          severity: .error, code: "store-not-writable", place: path,
          message: "cannot write a file here (\(error.text)): \(harm)",
          hint: "free some space or mount it read-write: findmnt --target \(path); df \(path)")
      ]
    }
  }

  private static func room(_ room: FileSystemSpace) -> Finding? {
    if room.isReadOnly {
      return Finding(
        severity: .error, code: "store-read-only", place: path,
        message: "is on a file system that is mounted read-only: \(harm)",
        hint: "check dmesg for the cause, then run mount -o remount,rw on the mount that findmnt "
          + "--target \(path) shows")
    }
    let files = room.files ?? .max
    let left =
      room.bytes < little.bytes
      ? "\(room.bytes >> 10) KiB left" : "\(files) more files can be created"
    if room.bytes < least.bytes || files < least.files {
      return Finding(
        severity: .error, code: "store-full", place: path,
        message: "is on a file system that is full (\(left)): \(harmOfFull)",
        hint: "free some space, for example with journalctl --vacuum-size=100M: df \(path); df "
          + "--inodes \(path)")
    }
    guard room.bytes < little.bytes || files < little.files else { return nil }
    return Finding(
      severity: .warning, code: "store-nearly-full", place: path,
      message: "is on a file system that is nearly full (\(left)): once it is full, no user can "
        + "enrol",
      hint: "free some space: df \(path); df --inodes \(path)")
  }
}
