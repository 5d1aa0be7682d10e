import Foundation
import MFABase
import Testing

@testable import mfa_enroll

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
