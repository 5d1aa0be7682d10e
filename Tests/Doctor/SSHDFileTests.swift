import MFAAdminTestSupport
import Testing

@testable import MFADoctor

@Suite struct SSHDFileTests {
  private static let include = "Include /etc/ssh/sshd_config.d/*.conf\n"

  private func file(_ texts: [String: String]) -> SSHDFile {
    var host = MemoryHost()
    host.texts = texts
    return SSHDFile(of: host)
  }

  @Test func readingStopsWhereFilesIncludeOneAnother() {
    // Without a limit, there would be 4^16 paths through these files.
    let texts = String(repeating: Self.include, count: 4)
    let file = file([SSHDFile.path: texts, "/etc/ssh/sshd_config.d/a.conf": "UsePAM no\n" + texts])
    #expect(file.unread.map(\.reason) == ["includes are nested more than 16 deep"])
    #expect(file.unread.map(\.place) == ["/etc/ssh/sshd_config.d/a.conf:2"])
    #expect(file.lines.count == 16)
  }

  @Test func readingStopsAfterTooManyFiles() {
    let text = String(repeating: "Include /etc/ssh/a\n", count: 1001)
    let file = file([SSHDFile.path: text + "UsePAM yes\n", "/etc/ssh/a": "UsePAM no\n"])
    #expect(file.unread.map(\.reason) == ["more than 1000 files are included"])
    #expect(file.unread.map(\.place) == ["/etc/ssh/sshd_config:1000"])
    #expect(file.lines.count == 999)
  }

  static let patterns: [(Int, String, [String])] = [
    (1, "/etc/ssh/sshd_config.d/*.conf", ["a.conf", "b.conf", "z.conf"]),
    (2, "sshd_config.d/*.conf", ["a.conf", "b.conf", "z.conf"]),
    (3, "sshd_config.d/?.conf", ["a.conf", "b.conf", "z.conf"]),
    (4, "sshd_config.d/[a-c].conf", ["a.conf", "b.conf"]),
    (5, "sshd_config.d/[!a-c]*", ["z.conf"]),
    (6, "/etc/*/sshd_config.d/b*", ["b.conf"]),
    (7, "sshd_config.d/b.conf", ["b.conf"]),
    (8, "sshd_config.d/.*", [".c.conf"]),
    (9, #"sshd_config.d/\*.conf"#, []),
    (10, "sshd_config.d/*.conf/*", []),
    (11, "missing.d/*", []),
  ]

  @Test(arguments: patterns)
  func includedFilesMatchPattern(_ number: Int, _ pattern: String, _ names: [String]) {
    var texts = ["z.conf", "b.conf", "a.conf", ".c.conf"].reduce(into: [String: String]()) {
      $0["/etc/ssh/sshd_config.d/\($1)"] = "UsePAM yes\n"
    }
    texts[SSHDFile.path] = "Include \(pattern)\n"
    let file = file(texts)
    #expect(
      file.lines.map(\.place) == names.map { "/etc/ssh/sshd_config.d/\($0):1" }, "case \(number)")
    #expect(file.unread.isEmpty, "case \(number)")
  }
}
