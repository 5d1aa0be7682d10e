import MFABase
import Foundation
import Testing

@testable import mfa_enroll

// Serialised, because the program has at most one unfinished file.
@Suite(.serialized) struct PictureFileTests {
  static let manager = FileManager.default

  /// Provides an empty folder.
  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = Self.manager.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Self.manager.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { #expect(throws: Never.self) { try Self.manager.removeItem(at: folder) } }
    try body(folder.path)
  }

  private static func attributes(_ path: String) throws -> [FileAttributeKey: Any] {
    try manager.attributesOfItem(atPath: path)
  }

  @Test("a file that is kept contains the picture, and only its owner may read it")
  func mode() throws {
    try withFolder { folder in
      let path = folder + "/picture"
      let file = try PictureFile(creating: path)
      #expect(try Self.attributes(path)[.posixPermissions] as? Int == 0o600)
      let picture = SecretBytes(copying: Array("picture".utf8).span)
      try file.write(picture)
      file.keep()
      #expect(Self.manager.contents(atPath: path) == Data("picture".utf8))
      #expect(try Self.attributes(path)[.posixPermissions] as? Int == 0o600)
      // A kept file is no longer removed.
      PictureFile.removingUnfinished {}
      #expect(Self.manager.fileExists(atPath: path))
    }
  }

  @Test("existing files are neither changed nor followed")
  func refused() throws {
    try withFolder { folder in
      let existing = folder + "/existing"
      try Data("mine".utf8).write(to: URL(fileURLWithPath: existing))
      let link = folder + "/link"
      try Self.manager.createSymbolicLink(atPath: link, withDestinationPath: existing)
      let dangling = folder + "/dangling"
      try Self.manager.createSymbolicLink(atPath: dangling, withDestinationPath: folder + "/new")
      for (number, path) in [existing, link, dangling, folder, folder + "/no/such"].enumerated() {
        #expect(throws: Failure.self, "\(number)") { _ = try PictureFile(creating: path) }
      }
      #expect(Self.manager.contents(atPath: existing) == Data("mine".utf8))
      let left = try Self.manager.contentsOfDirectory(atPath: folder).sorted()
      #expect(left == ["dangling", "existing", "link"])
    }
  }

  @Test("a file that is not kept is removed, explicitly or by a signal", arguments: [false, true])
  func removed(bySignal: Bool) throws {
    try withFolder { folder in
      let path = folder + "/picture"
      let file = try PictureFile(creating: path)
      var isGoneAtTheEnd = false
      if bySignal {
        PictureFile.removingUnfinished {
          isGoneAtTheEnd = !Self.manager.fileExists(atPath: path)
        }
      } else {
        isGoneAtTheEnd = file.remove()
      }
      #expect(isGoneAtTheEnd)
      #expect(try Self.manager.contentsOfDirectory(atPath: folder).isEmpty)
    }
  }

  @Test("a file that has replaced the picture is left alone")
  func replaced() throws {
    try withFolder { folder in
      let path = folder + "/picture"
      let file = try PictureFile(creating: path)
      try Self.manager.moveItem(atPath: path, toPath: folder + "/moved")
      try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
      #expect(!file.remove())
      #expect(Self.manager.contents(atPath: path) == Data("mine".utf8))
    }
  }
}
