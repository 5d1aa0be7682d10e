import Foundation
import MFABase
import MFATestSupport
import Testing

@testable import MFAAttempt

/// MUST 3 of ConfigurationFile.swift: a program without root's privileges may name only a file that every user
/// can read.
@Suite("Configuration files that every user can read", .privateMachine)
struct PublicConfigurationTests {
  private let files: ConfigurationFolder

  init() throws { files = try ConfigurationFolder() }

  /// The result of reading a file.
  private enum End: Equatable {
    case issuer(String)
    case refused(ConfigurationFile.Failure.Reason)
  }

  private func read(_ name: String) -> End {
    do throws(ConfigurationFile.Failure) {
      let configuration = try ConfigurationFile.readPublic(files.bytes(name))
      return .issuer(String(decoding: configuration.project.issuer ?? [], as: UTF8.self))
    } catch {
      return .refused(error.reason)
    }
  }

  private static let forbidden = ConfigurationFile.Failure.Reason.system(
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
    #expect(read("/etc/one.conf") == .refused(.untrusted(.wrongPermissions)))
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
    let missing = ConfigurationFile.Failure.Reason.system(SystemError(.open, number: 2))
    #expect(read("/etc/none.conf") == .refused(missing))
    #expect(read("/none/one.conf") == .refused(missing))
    do throws(ConfigurationFile.Failure) {
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
