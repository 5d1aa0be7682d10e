import Foundation
import Testing

/// Compares the lines that allow a sign-in with the table in packaging/THREATS.md.
@Suite("The places that allow a sign-in")
struct AllowingPlacesTests {
  private struct Place: Hashable, CustomStringConvertible {
    let file: String
    let line: String
    var description: String { "\(file): \(line)" }
  }

  private static let checkout = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// A value that allows, where it is returned, assigned or passed on.
  private static func allows(_ line: String, isC: Bool) -> Bool {
    guard !line.hasPrefix("//") else { return false }
    if isC {
      return line.replacing("== MFA_ALLOW", with: "")
        .contains(/return PAM_SUCCESS\b|. MFA_ALLOW\b|\(MFA_ALLOW\)/)
    }
    return line.contains(/(return|[:=?(,\[]) *(Verdict|mfa_verdict)?\.allow\b(?!\()/)
  }

  /// The lines in the module, and in the layers with the programs that decide.
  private static func found() throws -> [Place] {
    let folders = [
      "pam", "Sources/Core", "Sources/Module", "Sources/Realm", "Sources/Service", "Sources/SignIn",
      "Sources/Wire",
    ]
    return try folders.flatMap { folder in
      let paths = try FileManager.default.subpathsOfDirectory(
        atPath: checkout.appending(path: folder).path)
      return try paths.filter { $0.hasSuffix(".swift") || $0.hasSuffix(".c") }.flatMap { path in
        let text = try String(
          contentsOf: checkout.appending(path: "\(folder)/\(path)"), encoding: .utf8)
        return text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
          .filter { allows($0, isC: path.hasSuffix(".c")) }
          .map { Place(file: "\(folder)/\(path)", line: $0) }
      }
    }
  }

  private static func table() throws -> [Place] {
    let text = try String(
      contentsOf: checkout.appending(path: "packaging/THREATS.md"), encoding: .utf8)
    let parts = text.components(separatedBy: "\n## Where a sign-in is allowed\n")
    let section = try #require(parts.dropFirst().first).components(separatedBy: "\n## ")[0]
    return section.matches(of: /(?m)^\| `([^`]+)` \| `([^`]+)` \| [^|]+ \|$/).map {
      Place(file: String($0.1), line: String($0.2))
    }
  }

  @Test("packaging/THREATS.md lists each line once, and no other")
  func listed() throws {
    let (found, table) = (try Self.found(), try Self.table())
    #expect(found.sorted { "\($0)" < "\($1)" } == table.sorted { "\($0)" < "\($1)" })
    #expect(table.count == 8)
  }

  @Test(
    "a line that allows is recognised",
    arguments: [
      ("return .allow", false, true), ("case (.enabled, .allowed): .allow", false, true),
      ("case .allow: .allowed", false, false), ("let verdict = Verdict.allow", false, true),
      ("// return .allow", false, false), ("finish(.allow)", false, true),
      ("if verdict == .allow {", false, true), ("rules.allows(.phone)", false, false),
      ("if (a && b) return MFA_ALLOW;", true, true), ("MFA_ALLOW MFA_NAMED", true, false),
      ("verdict = MFA_ALLOW;", true, true),
      ("if (line == MFA_AUTH && verdict == MFA_ALLOW) settle();", true, false),
      ("return PAM_SUCCESS;", true, true), ("if (x != PAM_SUCCESS) return y;", true, false),
    ])
  func recognised(line: String, isC: Bool, allows: Bool) {
    #expect(Self.allows(line, isC: isC) == allows, "\(line)")
  }
}
