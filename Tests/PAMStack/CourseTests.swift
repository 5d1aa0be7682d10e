import MFAPAMStack
import MFATestSupport
import Testing

/// The lines of a stack that PAM executes, according to the analysis and to libpam.
@Suite("The lines that a stack executes")
struct CourseTests {
  struct Row: CustomTestStringConvertible {
    let number: Int
    /// The lines of the service. `pam_deny.so` fails, `pam_permit.so` succeeds, and `pam_echo.so`
    /// is the line that may be reached.
    let lines: String
    /// The lines of a file `sub`.
    var sub = ""
    let isReached: Bool
    var testDescription: String { "\(number)" }
  }

  static let rows = [
    Row(number: 1, lines: "auth required pam_deny.so\nMARK", isReached: true),
    Row(number: 2, lines: "auth requisite pam_deny.so\nMARK", isReached: false),
    Row(number: 3, lines: "auth sufficient pam_deny.so\nMARK", isReached: true),
    Row(number: 4, lines: "auth sufficient pam_permit.so\nMARK", isReached: false),
    Row(number: 5, lines: "auth required pam_permit.so\nMARK", isReached: true),
    Row(number: 6, lines: "auth [success=1 default=ignore] pam_permit.so\nMARK", isReached: false),
    Row(
      number: 7,
      lines: "auth [success=1 default=ignore] pam_permit.so\nauth requisite pam_deny.so\nMARK",
      isReached: true),
    Row(
      number: 8,
      lines: "auth [success=1 default=ignore] pam_deny.so\nauth requisite pam_deny.so\nMARK",
      isReached: false),
    Row(number: 9, lines: "auth [default=die success=ok] pam_deny.so\nMARK", isReached: false),
    Row(number: 10, lines: "auth [default=die auth_err=ignore] pam_deny.so\nMARK", isReached: true),
    Row(number: 11, lines: "auth [auth_err=1 default=bad] pam_deny.so\nMARK", isReached: false),
    Row(number: 12, lines: "auth [success=ok default=bad] pam_deny.so\nMARK", isReached: true),
    Row(
      number: 13, lines: "auth substack sub\nMARK", sub: "auth requisite pam_deny.so",
      isReached: true),
    Row(
      number: 14, lines: "auth substack sub\nMARK", sub: "auth sufficient pam_permit.so",
      isReached: true),
    Row(
      number: 15, lines: "auth include sub\nMARK", sub: "auth requisite pam_deny.so",
      isReached: false),
    Row(
      number: 16, lines: "auth [success=1 default=ignore] pam_permit.so\nauth substack sub\nMARK",
      sub: "auth requisite pam_deny.so\nauth requisite pam_deny.so", isReached: true),
    Row(
      number: 17, lines: "auth [success=2 default=ignore] pam_permit.so\nauth substack sub\nMARK",
      sub: "auth requisite pam_deny.so\nauth requisite pam_deny.so", isReached: false),
    Row(
      number: 18, lines: "auth substack sub\nauth required pam_permit.so\nMARK",
      sub: "auth [success=3 default=ignore] pam_permit.so\nauth required pam_permit.so",
      isReached: true),
    Row(
      number: 19, lines: "auth include sub\nauth required pam_permit.so\nMARK",
      sub: "auth [success=2 default=ignore] pam_permit.so\nauth required pam_permit.so",
      isReached: true),
    Row(number: 20, lines: "auth [success=done default=die] pam_permit.so\nMARK", isReached: false),
    Row(number: 21, lines: "auth [default=reset] pam_deny.so\nMARK", isReached: true),
  ]

  private func files(_ row: Row) -> [String: String] {
    let marked = row.lines.split(separator: "\n").map { line in
      line == "MARK" ? "auth optional pam_echo.so here" : String(line)
    }
    return [
      "s": marked.joined(separator: "\n") + "\nauth required pam_permit.so\n",
      "sub": row.sub + "\n",
    ]
  }

  @Test("according to the analysis", arguments: rows)
  func read(row: Row) throws {
    let stack = try ServiceStack(
      .auth, of: Array("s".utf8), from: MemoryStacks(files: files(row)))
    let mark = try #require(stack.entries.firstIndex { $0.asks(module: "pam_echo.so") })
    let isReached = stack.isReached(mark, from: 0) { $0.asks(module: "pam_deny.so") }
    #expect(isReached == row.isReached, "row \(row.number)")
  }

  @Test("according to libpam", .privateMachine, arguments: rows)
  func taken(row: Row) throws {
    try Machine.use { machine in
      for (name, text) in files(row) { try machine.write(text, to: "/etc/pam.d/\(name)") }
      let outcome = try PAMClient.signIn(service: "s", user: "root")
      let isReached = outcome.messages.contains { $0.text.contains("here") }
      #expect(isReached == row.isReached, "row \(row.number): \(outcome)")
    }
  }
}
