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
    #expect(throws: ConfigurationFile.Failure.self) { _ = try cache.read() }
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
      #expect(throws: ConfigurationFile.Failure.self, "\(name)") { _ = try cache.read() }
      try Command.succeed(["/bin/chmod", "0755", files.path + name])
      #expect(try issuer(cache) == "One", "\(name)")
    }
    let cache = try filled()
    try Command.succeed(["/bin/chown", "1", files.path + "/etc/mfa.conf"])
    #expect(throws: ConfigurationFile.Failure.self) { _ = try cache.read() }
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
      #expect(throws: ConfigurationFile.Failure.self) { _ = try cache.read() }
      #expect(!cache.isFilled)
    }
    try files.write("One")
    try fill(cache)
    try files.write(text: "[project]\nissuer = a:b\n", to: "/etc/mfa.conf.d/1.conf")
    for _ in 0..<3 {
      #expect(throws: ConfigurationFile.Failure.self) { _ = try cache.read() }
      #expect(!cache.isFilled)
    }
    try files.remove("/etc/mfa.conf.d/1.conf")
    #expect(try issuer(cache) == "One")
  }
}
