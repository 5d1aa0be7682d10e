import Foundation
import MFABase

@testable import MFAAttempt

/// The configuration files of a host in a temporary folder, which is removed at the end. The clock of
/// its caches is ahead, so that every file counts as old.
final class ConfigurationFolder {
  /// The folder, whose parents only root can change.
  let path = "/var/lib/mfa-configuration-\(UUID().uuidString)"

  init() throws {
    for part in ["", "/vendor", "/etc", "/etc/mfa.conf.d"] {
      try FileManager.default.createDirectory(
        atPath: path + part, withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o755])
    }
  }

  deinit { do { try FileManager.default.removeItem(atPath: path) } catch {} }

  var location: ConfigurationLocation {
    ConfigurationLocation(
      vendor: bytes("/vendor/mfa.conf"), folder: bytes("/etc"), host: bytes("/etc/mfa.conf"),
      dropIns: bytes("/etc/mfa.conf.d"))
  }

  /// Returns a cache that keeps what it reads at once.
  func cache() -> ConfigurationCache {
    ConfigurationCache(location, now: { Clock.nanoseconds() + 10_000_000_000 })
  }

  func bytes(_ name: String) -> [UInt8] { Array((path + name).utf8) }

  /// Writes a configuration with this issuer to a file, in place.
  func write(_ issuer: String, to name: String = "/etc/mfa.conf", mode: Int = 0o644) throws {
    try write(text: "[project]\nissuer = \(issuer)\n", to: name, mode: mode)
  }

  func write(text: String, to name: String, mode: Int = 0o644) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path + name))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path + name)
  }

  /// Waits until the file system's clock has advanced, so that later changes have later times.
  func tick() throws {
    try write("Tick", to: "/clock")
    let before = try FileIdentity.of(bytes("/clock"))
    repeat { try write("Tick", to: "/clock") } while try FileIdentity.of(bytes("/clock")) == before
  }

  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path + name) }
}
