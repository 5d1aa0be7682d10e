import Foundation
import MFABase
import MFAStore
import MFATestSupport

@testable import MFADecider

/// A store without records and its key in a temporary folder, which is removed at the end.
final class StoreFolder {
  /// The folder, whose parents only root can change.
  let path = "/var/lib/mfa-resident-\(UUID().uuidString)"

  init() throws {
    for part in ["", "/store", "/store/factors", "/store/attempts", "/store/mail"] {
      try Command.succeed(["/bin/mkdir", "-m", "0700", path + part])
    }
    try writeKey(0)
  }

  deinit { do { try FileManager.default.removeItem(atPath: path) } catch {} }

  func location() throws -> StoreLocation {
    guard let directory = TrustedPath(Array("\(path)/store".utf8)),
      let key = TrustedPath(Array("\(path)/key".utf8))
    else { throw FactorStoreError.nameTooLong }
    return StoreLocation(directory: directory, key: key)
  }

  /// Returns a cache whose clock is ahead, so that every file counts as old.
  func cache() throws -> StoreCache {
    StoreCache(try location(), now: { Clock.nanoseconds() + 10_000_000_000 })
  }

  /// Writes a key of these bytes in place.
  func writeKey(_ byte: UInt8) throws {
    let key = Data(repeating: byte, count: SealingKey.length)
    try key.write(to: URL(fileURLWithPath: path + "/key"))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o400], ofItemAtPath: path + "/key")
  }

  /// Waits until the file system's clock has advanced, so that later changes have later times.
  func tick() throws {
    let clock = path + "/clock"
    func write() throws -> FileIdentity? {
      try Data().write(to: URL(fileURLWithPath: clock))
      return try FileIdentity.of(Array(clock.utf8))
    }
    let before = try write()
    while try write() == before {}
  }

  /// Runs a shell script with `$S` as the store's folder and `$K` as the key.
  func run(_ script: String) throws {
    try Command.succeed(
      ["/bin/sh", "-ec", script], environment: ["S": path + "/store", "K": path + "/key"])
  }

  /// The names of the files in the folder `mail`.
  func mail() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path + "/store/mail").sorted()
  }
}
