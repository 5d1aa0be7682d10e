import Foundation
import Testing

@testable import mfa_enroll

@Suite struct ImportFileTests {
  /// Runs `body` with the path of a temporary folder.
  static func withFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.path + "/" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer {
      do { try FileManager.default.removeItem(atPath: folder) } catch { Issue.record(error) }
    }
    try body(folder)
  }

  static func write(_ count: Int, to path: String, mode: Int = 0o600) throws {
    #expect(
      FileManager.default.createFile(
        atPath: path, contents: Data(repeating: 65, count: count)))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  @Test("a file is read up to one byte more than the limit", arguments: [0, 1, 65536, 65537])
  func reading(count: Int) throws {
    try Self.withFolder { folder in
      try Self.write(count, to: folder + "/file", mode: 0o400)
      let read = try ImportFile.read(folder + "/file")
      #expect(read.count == count)
      #expect(count == 0 || read.span[count - 1] == 65)
    }
  }

  @Test("links, folders, devices, missing files and files that others may write are refused")
  func refused() throws {
    try Self.withFolder { folder in
      try Self.write(10, to: folder + "/file")
      try FileManager.default.createSymbolicLink(
        atPath: folder + "/link", withDestinationPath: folder + "/file")
      try Self.write(10, to: folder + "/group", mode: 0o620)
      try Self.write(10, to: folder + "/others", mode: 0o602)
      for name in ["link", "group", "others", "nothing", "."] {
        #expect(throws: Failure.self, "\(name)") { _ = try ImportFile.read(folder + "/" + name) }
      }
      #expect(throws: Failure.self) { _ = try ImportFile.read("/dev/null") }
    }
  }
}
