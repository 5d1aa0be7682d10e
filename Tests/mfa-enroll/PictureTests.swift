import Foundation
import MFABase
import Testing

@testable import mfa_enroll

@Suite struct PictureDestinationTests {
  struct Row: Sendable {
    let argument: String
    let destination: PictureDestination?
  }

  static let rows: [Row] = [
    Row(argument: "terminal", destination: .terminal),
    Row(argument: "none", destination: .nowhere),
    Row(argument: "png=a", destination: .file(path: "a", format: .png)),
    Row(argument: "svg=/a/b=c", destination: .file(path: "/a/b=c", format: .svg)),
    Row(argument: "png=", destination: nil),
    Row(argument: "png", destination: nil),
    Row(argument: "PNG=a", destination: nil),
    Row(argument: "gif=a", destination: nil),
    Row(argument: "=a", destination: nil),
    Row(argument: "", destination: nil),
    Row(argument: "png=a\0b", destination: nil),
    Row(argument: "png= none", destination: .file(path: " none", format: .png)),
  ]

  @Test("destinations of the picture are parsed", arguments: rows)
  func parsing(row: Row) {
    #expect(PictureDestination(argument: row.argument) == row.destination, "\(row)")
  }
}

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

@Suite struct PrinterTests {
  static let manager = FileManager.default

  /// Calls `body` with the path of a printing program that runs `script`, and with its folder.
  private func withProgram(_ script: String, _ body: (String, String) throws -> Void) throws {
    let folder = Self.manager.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Self.manager.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { #expect(throws: Never.self) { try Self.manager.removeItem(at: folder) } }
    let program = folder.path + "/lpr"
    try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(fileURLWithPath: program))
    try Self.manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
    try body(program, folder.path)
  }

  private static let text = "Recovery codes\n  aaaa-bbbb-cccc-dddd\n"

  private static func printed(with program: String) throws -> Bool {
    let printer = try #require(Printer(among: ["/no/such/program", program]))
    return printer.print(SecretBytes(copying: Array(text.utf8).span))
  }

  @Test("the program reads the text from a pipe, and no other file is written")
  func printed() throws {
    let script = "test -p /dev/stdin && exec /bin/cat > \"${0%/*}/printed\""
    try withProgram(script) { program, folder in
      let isPrinted = try Self.printed(with: program)
      let files = try Self.manager.contentsOfDirectory(atPath: folder).sorted()
      #expect(isPrinted && files == ["lpr", "printed"])
      #expect(Self.manager.contents(atPath: folder + "/printed") == Data(Self.text.utf8))
    }
  }

  @Test("a program that fails, or reads nothing, prints nothing", arguments: ["exit 1", "kill $$"])
  func failed(script: String) throws {
    try withProgram(script) { program, _ in
      let isPrinted = try Self.printed(with: program)
      #expect(!isPrinted)
    }
  }

  @Test("without a program, there is no printer")
  func missing() { #expect(Printer(among: ["/no/such/program"]) == nil) }
}
