import MFAModel
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
    let file = try opened()
    do throws(SystemError) {
      if try file.lock(seconds: timeout) { return file }
    } catch {
      throw .notApplied(ConfigurationError(in: path, .system(error)))
    }
    throw .configurationBusy
  }

  /// Opens the lock file.
  fileprivate static func opened() throws(AdminError) -> File {
    guard let place = TrustedPath(path) else {
      throw .notApplied(ConfigurationError(in: path, .notAPath))
    }
    do throws(SystemError) {
      return try Self.file(place.last, in: try place.parent())
    } catch {
      throw .notApplied(ConfigurationError(in: path, .system(error)))
    }
  }

  private static func file(
    _ name: FileName, in directory: borrowing Directory
  ) throws(SystemError) -> File {
    let file = try directory.fileForUpdatingOrNew(name)
    let status = try file.status()
    if let distrust = status.distrust(owners: (0, 0), permissions: 0o600) {
      throw .untrusted(distrust)
    }
    return file
  }
}

/// A lock that prevents two editors of the configuration at once, held for as long as the value lives. Other commands
/// change the configuration meanwhile.
package struct EditorLock: ~Copyable {
  private let file: File

  /// Takes the lock, or throws at once if another editor has it.
  package init() throws(AdminError) {
    file = try Self.taken()
  }

  private static func taken() throws(AdminError) -> File {
    let file = try ConfigurationLock.opened()
    do throws(SystemError) {
      if try file.lockByte(at: 0) { return file }
    } catch {
      throw .notApplied(ConfigurationError(in: ConfigurationLock.path, .system(error)))
    }
    throw .editorBusy
  }
}
