import Foundation
import MFABase
import MFAModel
import MFATestSupport
import Testing

@testable import MFAAttempt

/// MUST 1 of ConfigurationCache.swift: a change that is complete is in force at the next `read`.
@Suite("Cached configurations", .privateMachine)
struct ConfigurationCacheTests {
  private let files: ConfigurationFolder

  init() throws { files = try ConfigurationFolder() }

  private func issuer(_ cache: ConfigurationCache) throws -> String? {
    try cache.read().project.issuer.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns a cache that has read the configuration and keeps it.
  private func filled() throws -> ConfigurationCache {
    let cache = files.cache()
    try fill(cache)
    return cache
  }

  private func fill(_ cache: ConfigurationCache) throws {
    // The first reading finds out which files exist.
    for _ in 0..<2 { _ = try cache.read() }
    #expect(cache.isFilled)
    try files.tick()
  }

  @Test("a configuration that has not changed is kept")
  func unchanged() throws {
    try files.write("One")
    let cache = try filled()
    #expect(try issuer(cache) == "One")
    #expect(cache.isFilled)
  }

  @Test(
    "a changed file is in force",
    arguments: ["/vendor/mfa.conf", "/etc/mfa.conf", "/etc/mfa.conf.d/1.conf"])
  func changedFile(name: String) throws {
    try files.write("One", to: name)
    let cache = try filled()
    try files.write("Two", to: name)
    #expect(try issuer(cache) == "Two")
  }

  @Test(
    "an added file is in force, and so is the end of a removed one",
    arguments: ["/etc/mfa.conf", "/etc/mfa.conf.d/1.conf"])
  func addedAndRemovedFile(name: String) throws {
    try files.write("One", to: "/vendor/mfa.conf")
    let cache = try filled()
    try files.write("Two", to: name)
    #expect(try issuer(cache) == "Two")
    try fill(cache)
    try files.remove(name)
    #expect(try issuer(cache) == "One")
  }

  @Test("the vendor's file is in force when it appears, and its folder too")
  func addedVendorFile() throws {
    try files.write("One", to: "/etc/mfa.conf.d/1.conf")
    try files.remove("/vendor")
    let cache = try filled()
    try Command.succeed(["/bin/mkdir", "-m", "0755", files.path + "/vendor"])
    try files.write(text: "[project]\nstate = disabled\n", to: "/vendor/mfa.conf")
    #expect(try cache.read().project.state == .disabled)
  }

  @Test("a file that was renamed over another one is in force")
  func replacedFile() throws {
    for name in ["/vendor/mfa.conf", "/etc/mfa.conf", "/etc/mfa.conf.d/1.conf"] {
      try files.write("One", to: name)
      let cache = try filled()
      // The new file is as old as the other one, and as long.
      try files.write("Two", to: "/new")
      try Command.succeed(
        ["/usr/bin/touch", "-r", files.path + name, files.path + "/new"])
      try Command.succeed(["/bin/mv", files.path + "/new", files.path + name])
      #expect(try issuer(cache) == "Two", "\(name)")
      try files.remove(name)
    }
  }

  @Test("a replaced folder of drop-ins is in force")
  func replacedFolder() throws {
    try files.write("One", to: "/etc/mfa.conf.d/1.conf")
    let cache = try filled()
    try Command.succeed(["/bin/mv", files.path + "/etc/mfa.conf.d", files.path + "/etc/old"])
    #expect(throws: ConfigurationError.self) { _ = try cache.read() }
    try Command.succeed(["/bin/mkdir", "-m", "0755", files.path + "/etc/mfa.conf.d"])
    try files.write("Two", to: "/etc/mfa.conf.d/1.conf")
    #expect(try issuer(cache) == "Two")
  }

  @Test("a file or a folder that others can write is refused")
  func distrusted() throws {
    for (name, mode) in [
      ("/etc/mfa.conf", "0666"), ("/etc", "0777"), ("/etc/mfa.conf.d", "0777"),
    ] {
      try files.write("One")
      let cache = try filled()
      try Command.succeed(["/bin/chmod", mode, files.path + name])
      #expect(throws: ConfigurationError.self, "\(name)") { _ = try cache.read() }
      try Command.succeed(["/bin/chmod", "0755", files.path + name])
      #expect(try issuer(cache) == "One", "\(name)")
    }
    let cache = try filled()
    try Command.succeed(["/bin/chown", "1", files.path + "/etc/mfa.conf"])
    #expect(throws: ConfigurationError.self) { _ = try cache.read() }
  }

  @Test("a file that changes twice within a tick of the file system's clock is in force each time")
  func sameTick() throws {
    let cache = ConfigurationCache(files.location, now: Clock.nanoseconds)
    for number in 100..<400 {
      try files.write("Name \(number)")
      #expect(try issuer(cache) == "Name \(number)")
      #expect(try issuer(cache) == "Name \(number)")
    }
    #expect(!cache.isFilled)
  }

  @Test("a configuration from the future, or without a clock, is read each time")
  func unknownTime() throws {
    try files.write("One")
    for time in [0, Clock.nanoseconds() - 10_000_000_000] {
      let cache = ConfigurationCache(files.location, now: { time })
      for _ in 0..<3 { #expect(try issuer(cache) == "One") }
      #expect(!cache.isFilled)
    }
  }

  @Test("errors are not kept")
  func errors() throws {
    let cache = files.cache()
    for _ in 0..<3 {
      #expect(throws: ConfigurationError.self) { _ = try cache.read() }
      #expect(!cache.isFilled)
    }
    try files.write("One")
    try fill(cache)
    try files.write(text: "[project]\nissuer = a:b\n", to: "/etc/mfa.conf.d/1.conf")
    for _ in 0..<3 {
      #expect(throws: ConfigurationError.self) { _ = try cache.read() }
      #expect(!cache.isFilled)
    }
    try files.remove("/etc/mfa.conf.d/1.conf")
    #expect(try issuer(cache) == "One")
  }
}

/// MUST 3 of ConfigurationFile.swift: a program without root's privileges may name only a file that every user
/// can read.
@Suite("Configuration files that every user can read", .privateMachine)
struct PublicConfigurationTests {
  private let files: ConfigurationFolder

  init() throws { files = try ConfigurationFolder() }

  /// The result of reading a file.
  private enum End: Equatable {
    case issuer(String)
    case refused(ConfigurationError.Reason)
  }

  private func read(_ name: String) -> End {
    do throws(ConfigurationError) {
      let configuration = try ConfigurationFile.readPublic(files.bytes(name))
      return .issuer(String(decoding: configuration.project.issuer ?? [], as: UTF8.self))
    } catch {
      return .refused(error.reason)
    }
  }

  private static let forbidden = ConfigurationError.Reason.system(
    SystemError(.open, number: 13))

  @Test("the mode of the file decides")
  func modes() throws {
    for mode in [0o644, 0o444, 0o604, 0o640, 0o600, 0o440, 0o400, 0o000, 0o755, 0o711] {
      try files.write("One", to: "/etc/one.conf", mode: mode)
      let isPublic = mode & 0o004 != 0
      #expect(read("/etc/one.conf") == (isPublic ? .issuer("One") : .refused(Self.forbidden)))
      // Root's own programs read every one.
      #expect(throws: Never.self) { try ConfigurationFile.read(files.bytes("/etc/one.conf")) }
    }
    try files.write("One", to: "/etc/one.conf", mode: 0o664)
    #expect(read("/etc/one.conf") == .refused(.system(.untrusted(.wrongPermissions))))
  }

  @Test("a directory that not every user may search hides what is in it")
  func directories() throws {
    try files.write("One", to: "/etc/mfa.conf.d/one.conf")
    for (folder, mode) in [("/etc/mfa.conf.d", 0o750), ("/etc", 0o700), ("", 0o740)] {
      try chmod(folder, mode)
      for name in ["one.conf", "none.conf", "none/one.conf"] {
        #expect(read("/etc/mfa.conf.d/\(name)") == .refused(Self.forbidden), "\(folder) \(name)")
      }
      try chmod(folder, 0o711)
      #expect(read("/etc/mfa.conf.d/one.conf") == .issuer("One"), "\(folder)")
      try chmod(folder, 0o755)
    }
  }

  @Test("a file that does not exist, and a path that is not absolute, are reported as usual")
  func missing() {
    let missing = ConfigurationError.Reason.system(SystemError(.open, number: 2))
    #expect(read("/etc/none.conf") == .refused(missing))
    #expect(read("/none/one.conf") == .refused(missing))
    do throws(ConfigurationError) {
      _ = try ConfigurationFile.readPublic(Array("one.conf".utf8))
      Issue.record("the path is not absolute")
    } catch {
      #expect(error.reason == .notAPath)
    }
  }

  private func chmod(_ name: String, _ mode: Int) throws {
    try FileManager.default.setAttributes(
      [.posixPermissions: mode], ofItemAtPath: files.path + name)
  }
}

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
