import Foundation
import MFABase
import MFATestSupport
import Testing

/// A file's identity, and when it becomes trusted.
@Suite("Identities of files")
struct FileIdentityTests {
  private let path = "/tmp/mfa-identity-\(UUID().uuidString)"

  /// Returns the identity after a shell script with `$F` as the file.
  private func identity(_ script: String) throws -> FileIdentity? {
    try Command.succeed(["/bin/sh", "-ec", script], environment: ["F": path])
    return try FileIdentity.of(Array(path.utf8))
  }

  private func remove() throws { try FileManager.default.removeItem(atPath: path) }

  @Test("a file that does not exist has no identity")
  func missing() throws {
    for name in ["", "/x"] { #expect(try FileIdentity.of(Array((path + name).utf8)) == nil) }
    _ = try identity("touch $F")
    #expect(try FileIdentity.of(Array((path + "/x").utf8)) == nil)
    try remove()
  }

  @Test(
    "a file that was written, replaced, or given another owner or mode has another identity",
    arguments: [
      "echo x >> $F", "cp $F $F.2; touch -r $F $F.2; mv $F.2 $F", "chmod 0640 $F", "chown 1 $F",
      "touch -d @1000000000 $F", "mv $F $F.2; ln -s $F.2 $F; rm $F.2",
    ])
  func changed(script: String) throws {
    let before = try identity("echo a > $F; chmod 0600 $F")
    #expect(try identity("cat $F") == before)
    #expect(try identity(script) != before)
    try remove()
  }

  @Test("an identity is old two seconds after the last change, and not if it is from the future")
  func old() throws {
    let second: Int64 = 1_000_000_000
    // 2100-01-01; the change of the times themselves is now.
    let future = 4_102_444_800 * second
    let identity = try #require(try identity("touch -d @4102444800 $F"))
    for time in [0, .min, .max - 2 * second] { _ = identity.isOld(at: time) }
    #expect(!identity.isOld(at: Clock.nanoseconds()))
    #expect(!identity.isOld(at: 0))
    #expect(!identity.isOld(at: future + 2 * second))
    #expect(identity.isOld(at: future + 2 * second + 1))
    try remove()
  }

  @Test("setting the time of the last write back does not make an identity old")
  func timeSetBack() throws {
    let before = Clock.nanoseconds()
    let identity = try #require(try identity("touch -d @1000000000 $F"))
    #expect(!identity.isOld(at: before + 1_000_000_000))
    #expect(identity.isOld(at: Clock.nanoseconds() + 3_000_000_000))
    try remove()
  }
}
