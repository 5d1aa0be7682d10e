import MFAAdminTestSupport
import Testing

@testable import MFADoctor

@Suite("Lines of sudoers files")
struct SudoersFilesTests {
  private func files(_ contents: [String: String]) -> SudoersFiles {
    var host = MemoryHost()
    host.texts = contents
    host.statuses = [:]
    return SudoersFiles(
      path: "/etc/sudoers", host: SudoersHost(name: "vm.example.org", usesFullName: true), on: host)
  }

  @Test("included files are read where and in the order that sudo reads them")
  func includes() {
    let read = files([
      "/etc/sudoers": """
      a ALL = ALL
      @include /etc/one
      #include "two%h"
      # @include /etc/no
      @includedir /etc/sudoers.d
      #includedir more
      z ALL = ALL # end

      """, "/etc/one": "b ALL = ALL", "/etc/twovm": "#1000 ALL = ALL",
      "/etc/sudoers.d/10-x": "d ALL = ALL", "/etc/sudoers.d/1_y": "e ALL = ALL",
      "/etc/sudoers.d/x.bak": "no ALL = ALL", "/etc/sudoers.d/x~": "no ALL = ALL",
      "/etc/more/m": "f ALL = \\\n  /bin/ls,\\\n  /bin/cat\ng ALL = ALL",
    ])
    #expect(
      read.lines.map { "\($0.place) \($0.text)" } == [
        "/etc/sudoers:1 a ALL = ALL", "/etc/one:1 b ALL = ALL", "/etc/twovm:1 #1000 ALL = ALL",
        "/etc/sudoers.d/10-x:1 d ALL = ALL", "/etc/sudoers.d/1_y:1 e ALL = ALL",
        "/etc/more/m:1 f ALL = /bin/ls, /bin/cat", "/etc/more/m:4 g ALL = ALL",
        "/etc/sudoers:7 z ALL = ALL",
      ])
  }

  @Test("a file that includes itself ends")
  func loop() {
    let read = files(["/etc/sudoers": "@include /etc/sudoers\n@include /etc/sudoers\nx ALL = ALL\n"]
    )
    #expect(read.lines.allSatisfy { $0.place == "/etc/sudoers:3" } && !read.lines.isEmpty)
  }

  @Test(
    "only whole words count",
    arguments: [
      (1, "alice ALL = NOPASSWD: ALL", "alice", true), (2, "malice ALL = ALL", "alice", false),
      (3, "a, %alice ALL = ALL", "alice", false), (4, "a,!alice ALL = ALL", "alice", true),
      (5, "a ALL = NOPASSWD:/bin/ls -l", "/bin/ls -l", true),
      (6, "a ALL = NOPASSWD: ALL", "PASSWD", false),
      (7, "Defaults:alice !authenticate", "authenticate", true),
      (8, "sp ace ALL = ALL", "\"sp ace\"", true), (9, "a ALL=/bin/ls", "/bin/ls -l", false),
    ])
  func words(number: Int, line: String, word: String, expected: Bool) {
    #expect(SudoersFiles.contains(line, word) == expected, "row \(number)")
  }

  @Test(
    "each rule and each setting is found in its line",
    .enabled(if: SudoersSample.hasConverter, "cvtsudoers is not installed"))
  func places() throws {
    let text = """
      # alice ALL = NOPASSWD: ALL
      Defaults env_reset
      Defaults env_keep += "A B"
      User_Alias FOLK = alice, %staff
      Defaults:alice timestamp_timeout=1
      alice ALL = ALL
      alice ALL = (root) NOPASSWD: ALL
      FOLK vm = /bin/cat : ALL = NOPASSWD: /bin/ls -l "a b", \\
        sudoedit /etc/motd
      Defaults:alice timestamp_timeout=-1
      #1000 ALL = NOPASSWD: ALL
      "sp ace" ALL = ALL
      """
    let policy = try SudoersSample.convert(text)
    let places = files(["/etc/sudoers": text]).places(of: policy)
    #expect(places.rules == [6, 7, 8, 8, 11, 12].map { "/etc/sudoers:\($0)" })
    let settings = policy.defaults.map { "\($0.name) \(places.defaults[$0.line])" }
    #expect(
      settings == [
        "env_reset /etc/sudoers:2", "timestamp_timeout /etc/sudoers:5",
        "timestamp_timeout /etc/sudoers:10",
      ])
  }

  @Test("a rule that is not found has the path of the first file")
  func missing() throws {
    let policy = try SudoersPolicy(
      Array(SudoersSample.policy.utf8), runAsDefaults: Array(SudoersSample.runAs.utf8))
    let places = files(["/etc/sudoers": "x ALL = ALL\n"]).places(of: policy)
    #expect(places.rules == ["/etc/sudoers"])
  }
}
