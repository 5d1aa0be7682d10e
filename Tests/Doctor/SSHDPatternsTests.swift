import Testing

@testable import MFADoctor

@Suite("Patterns of Match lines")
struct SSHDPatternsTests {
  @Test(
    "match as ssh_config(5) says",
    arguments: [
      (1, "alice", ["alice"], ["alic", "alicee", "bob", "Alice", ""]),
      (2, "al*", ["al", "alice"], ["a", "bal"]),
      (3, "*al*", ["al", "xaly", "aal"], ["a"]),
      (4, "a?ice", ["alice", "abice"], ["aice", "alxice"]),
      (5, "*", ["", "x"], []),
      (6, "*,!root", ["alice"], ["root"]),
      (7, "!root,*", ["alice"], ["root"]),
      (8, "!root", [], ["root", "alice"]),
      (9, "su*,!sue", ["su", "susan"], ["sue"]),
      (10, "a*b*c", ["abc", "axxbyyc", "abcbc"], ["ab", "acb"]),
      (11, "a,b,", ["a", "b", ""], ["c"]),
      (12, "?*", ["x", "xy"], [""]),
    ] as [(Int, String, [String], [String])])
  func users(row: Int, list: String, matching: [String], others: [String]) {
    let patterns = SSHDPatterns(list)
    for name in matching { #expect(patterns.matches(user: name), "row \(row): \(name)") }
    for name in others { #expect(!patterns.matches(user: name), "row \(row): \(name)") }
  }

  @Test("a group that is excluded excludes the user")
  func groups() {
    #expect(SSHDPatterns("ops").matches(groups: ["users", "ops"]))
    #expect(!SSHDPatterns("ops").matches(groups: ["users"]))
    #expect(!SSHDPatterns("*,!ops").matches(groups: ["users", "ops"]))
    #expect(SSHDPatterns("*,!ops").matches(groups: ["users"]))
    #expect(!SSHDPatterns("*").matches(groups: []))
  }
}
