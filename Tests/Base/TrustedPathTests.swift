import MFABase
import MFATestSupport
import Testing

@Suite("Trusted paths", .privateMachine)
struct TrustedPathTests {
  /// The result of opening the parent folders of a path.
  enum Expected: Sendable {
    case opened, notADirectory, notFound
    case untrusted(TrustFailure)
  }

  /// Scripts that change the folders `outer` and `outer/inner`, and the result for
  /// `outer/inner/name`.
  static let rows: [(number: Int, script: String, expected: Expected)] = [
    (1, ":", .opened),
    (2, "chmod g+w outer", .untrusted(.wrongPermissions)),
    (3, "chmod o+w outer/inner", .untrusted(.wrongPermissions)),
    (4, "chmod 01777 outer", .untrusted(.wrongPermissions)),
    (5, "chown 65534 outer", .untrusted(.wrongOwner)),
    (6, "chown 65534 outer/inner", .untrusted(.wrongOwner)),
    (7, "mv outer real; ln -s real outer", .notADirectory),
    (8, "mv outer/inner real; ln -s ../real outer/inner", .notADirectory),
    (9, "rm -r outer; echo x > outer", .notADirectory),
    (10, "rm -r outer/inner; echo x > outer/inner", .notADirectory),
    (11, "rm -r outer/inner; mkfifo outer/inner", .notADirectory),
    (12, "rm -r outer", .notFound),
    (13, "rm -r outer/inner", .notFound),
    // A folder that may not be listed can still be traversed.
    (14, "chmod 0711 outer", .opened),
  ]

  private func path(_ script: String) throws -> TrustedPath {
    let folder = "/var/lib/mfa-path-\(UInt32.random(in: 0...UInt32.max))"
    try Command.succeed([
      "/usr/bin/env", "sh", "-ec",
      "mkdir -p \"$1/outer/inner/name\"; chmod -R 0755 \"$1\"; cd \"$1\"; \(script)", "sh", folder,
    ])
    return try #require(TrustedPath(Array("\(folder)/outer/inner/name".utf8)))
  }

  private func check(
    _ expected: Expected, _ number: Int, _ body: () throws(TrustedPath.Refusal) -> Void
  ) {
    do throws(TrustedPath.Refusal) {
      try body()
      guard case .opened = expected else {
        Issue.record("row \(number): it was trusted")
        return
      }
    } catch {
      switch (expected, error) {
      case (.notADirectory, .system(let error)) where error.isNotADirectory: break
      case (.notFound, .system(let error)) where error.isNotFound: break
      case (.untrusted(let distrust), .untrusted(let found)) where found == distrust: break
      case _: Issue.record("row \(number): \(error)")
      }
    }
  }

  @Test("directories that users other than root could change, links and files are refused")
  func parents() throws {
    for row in Self.rows {
      let path = try path(row.script)
      check(row.expected, row.number) { () throws(TrustedPath.Refusal) in _ = try path.parent() }
      check(row.expected, row.number) { () throws(TrustedPath.Refusal) in try path.checkParents() }
    }
  }

  @Test("a link in place of the last directory is not followed")
  func lastDirectory() throws {
    let path = try path("rmdir outer/inner/name; ln -s ../inner outer/inner/name")
    do throws(SystemError) {
      _ = try path.lastDirectory()
      Issue.record("a link was followed")
    } catch {
      #expect(error.isNotADirectory || error.isSymbolicLink)
    }
  }

  @Test("the components and the last component are those of the given path")
  func components() throws {
    let path = try #require(TrustedPath(Array("/one/..two/three.".utf8)))
    #expect(
      path.components.map { String(decoding: $0.bytes, as: UTF8.self) }
        == ["one", "..two", "three."])
    #expect(path.last == path.components.last)
  }
}
