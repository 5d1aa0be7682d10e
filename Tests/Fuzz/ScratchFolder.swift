import Foundation
import MFABase

/// A new, empty folder for one input.
struct ScratchFolder {
  let path: String

  /// Creates a folder in the folder of the environment variable MFA_FUZZ_FOLDER, or in /run, which
  /// belongs to root as the store requires.
  init() throws {
    let parent = ProcessInfo.processInfo.environment["MFA_FUZZ_FOLDER"] ?? Self.standardParent
    path = "\(parent)/mfa-fuzz-\(UInt64.random(in: 0...UInt64.max))"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  private static var standardParent: String {
    FileManager.default.isWritableFile(atPath: "/run") ? "/run" : NSTemporaryDirectory()
  }

  func opened() throws -> Directory {
    try trustedPath().lastDirectory()
  }

  func trustedPath(of name: String? = nil) throws -> TrustedPath {
    try requireValue(
      TrustedPath(Array((name.map { "\(path)/\($0)" } ?? path).utf8)), "a path for the test")
  }

  func remove() {
    do { try FileManager.default.removeItem(atPath: path) } catch {}
  }
}
