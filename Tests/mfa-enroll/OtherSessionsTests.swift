import Testing

@testable import mfa_enroll

@Suite struct OtherSessionsTests {
  struct Row: Sendable {
    let number: Int
    let list: String
    var present = "2"
    let sessions: [String]
  }

  static let rows = [
    Row(number: 1, list: "", sessions: []),
    Row(number: 2, list: "      2 1000 alice seat0 tty1\n", sessions: []),
    Row(
      number: 3, list: "      2 1000 alice seat0 tty1\n     c4 1000 alice       pts/0\n",
      sessions: ["c4"]),
    Row(number: 4, list: "3 1001 bob\n4 10000 carol\n5 100 dave\n", sessions: []),
    Row(number: 5, list: "2 1000 alice\n3 1000 alice\n", present: "3", sessions: ["2"]),
    Row(number: 6, list: "22 1000 alice\n", sessions: ["22"]),
    // Text that is not a session identifier is not passed to a command.
    Row(number: 7, list: "3;reboot 1000 alice\n$(id) 1000 alice\n-a 1000 alice\n", sessions: []),
    Row(number: 8, list: "1000\n\n1000 \n", sessions: []),
  ]

  @Test("the user's own sessions end, except the current one", arguments: rows)
  func sessions(row: Row) {
    #expect(
      OtherSessions.sessions(in: row.list, of: 1000, except: row.present) == row.sessions,
      "\(row.number)")
  }
}
