import MFABase
import MFAAttempt

/// A lock that prevents two processes from changing the configuration at once, held for as long as
/// the value lives.
///
/// MUST 1: only root can open or hold the lock; otherwise any user could prevent root from changing
/// the configuration. (`ConfigProgramTests.onlyRootCanBlockChanges`)
struct ConfigurationLock: ~Copyable {
  /// The path of the lock file, which the first change after a boot creates and nothing removes.
  static var path: [UInt8] { InstalledPath.configurationLock.bytes }

  /// The maximum time to wait for the lock, in seconds.
  private static let timeout: Int64 = 10

  private let file: File

  /// Waits until no other process holds the lock, and acquires it.
  init() throws(AdminError) {
    file = try Self.taken()
  }

  private static func taken() throws(AdminError) -> File {
    guard let path = TrustedPath(path) else { throw unusable(.notAPath) }
    let file = try usable { () throws(TrustedPath.Refusal) in
      try Self.file(path.last, in: try path.parent())
    }
    let isTaken = try usable { () throws(TrustedPath.Refusal) in
      try TrustedPath.translating { () throws(SystemError) in try file.lock(seconds: timeout) }
    }
    guard isTaken else { throw .configurationBusy }
    return file
  }

  private static func file(
    _ name: FileName, in directory: borrowing Directory
  ) throws(TrustedPath.Refusal) -> File {
    let file = try TrustedPath.translating { () throws(SystemError) in
      try directory.fileForUpdatingOrNew(name)
    }
    let status = try TrustedPath.translating { () throws(SystemError) in try file.status() }
    if let distrust = status.distrust(owners: (0, 0), permissions: 0o600) {
      throw .untrusted(distrust)
    }
    return file
  }

  private static func usable<Result: ~Copyable>(
    _ body: () throws(TrustedPath.Refusal) -> Result
  ) throws(AdminError) -> Result {
    do throws(TrustedPath.Refusal) {
      return try body()
    } catch {
      switch error {
      case .system(let error): throw unusable(.system(error))
      case .untrusted(let distrust): throw unusable(.untrusted(distrust))
      }
    }
  }

  private static func unusable(_ reason: ConfigurationFile.Failure.Reason) -> AdminError {
    .notApplied(ConfigurationFile.Failure(path, reason))
  }
}
