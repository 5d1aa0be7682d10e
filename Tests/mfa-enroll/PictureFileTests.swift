import Foundation
import Secrets
import Testing

@testable import mfa_enroll

// One after the other: the program has one such file at most.
@Suite(.serialized) struct PictureFileTests {
  static let manager = FileManager.default

  /// Lends an empty folder.
  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = Self.manager.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Self.manager.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { #expect(throws: Never.self) { try Self.manager.removeItem(at: folder) } }
    try body(folder.path)
  }

  private static func attributes(_ path: String) throws -> [FileAttributeKey: Any] {
    try manager.attributesOfItem(atPath: path)
  }

  @Test("a file that is kept holds the picture, for its owner alone")
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
      // It is nobody's to remove any more.
      PictureFile.removingUnfinished {}
      #expect(Self.manager.fileExists(atPath: path))
    }
  }

  @Test("what is there already is neither changed nor followed")
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

  @Test("a file that is not kept is removed, by hand or by a signal", arguments: [false, true])
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

  @Test("what has taken the file's name is left alone")
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
