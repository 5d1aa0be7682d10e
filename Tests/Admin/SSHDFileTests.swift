import Testing

@testable import mfa_admin

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
}
