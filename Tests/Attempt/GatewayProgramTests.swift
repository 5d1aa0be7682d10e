import Foundation
import MFATestSupport
import Testing

@testable import MFAAttempt

/// The MUSTs of GatewayProgram.swift.
@Suite("The program of a gateway", .privateMachine)
struct GatewayProgramTests {
  @Test(
    "only a program that nobody but root can have written is trusted",
    arguments: [
      (1, ":", nil),
      (2, "chmod 0700 outer/send", nil),
      (3, "chmod 0775 outer/send", .writableByOthers),
      (4, "chmod 0757 outer/send", .writableByOthers),
      (5, "chmod 0644 outer/send", .notExecutable),
      (6, "chown 1 outer/send", .wrongOwner),
      (7, "rm outer/send", .notFound),
      (8, "rm -r outer", .notFound),
      (9, "mv outer/send outer/x; ln -s x outer/send", .notARegularFile),
      (10, "rm outer/send; mkfifo outer/send", .notARegularFile),
      (11, "rm outer/send; mkdir outer/send", .notARegularFile),
      (12, "mv outer real; ln -s real outer", .notReadable),
      (13, "chmod 0777 outer", .directoryWritableByOthers),
      (14, "chmod 01777 outer", .directoryWritableByOthers),
      (15, "chmod 0775 .", .directoryWritableByOthers),
      (16, "chown 1 outer", .directoryOwner),
      (17, "chown 1 .", .directoryOwner),
    ] as [(Int, String, GatewayProgram.Refusal?)])
  func trust(number: Int, script: String, refusal: GatewayProgram.Refusal?) throws {
    let folder = "/var/lib/mfa-program-\(UUID().uuidString)"
    defer { do { try FileManager.default.removeItem(atPath: folder) } catch {} }
    try Command.succeed([
      "/bin/sh", "-ec",
      "mkdir -m 0755 -p $0/outer; cd $0; echo >outer/send; chmod 0755 outer outer/send; \(script)",
      folder,
    ])
    var found: GatewayProgram.Refusal?
    do throws(GatewayProgram.Refusal) {
      _ = try GatewayProgram(Array("\(folder)/outer/send".utf8))
    } catch {
      found = error
    }
    #expect(found == refusal, "row \(number)")
  }

  @Test(arguments: ["", "send", "/", "/a/../b", "//a"])
  func pathMustBeAbsolute(path: String) {
    #expect(throws: GatewayProgram.Refusal.notAPath) { try GatewayProgram(Array(path.utf8)) }
  }
}
