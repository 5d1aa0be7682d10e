import Policy
import Testing

@Suite struct ConfigurationErrorTests {
  @Test(arguments: [
    (
      1, "[project]\nadjacent_intervals = 11",
      "mfa.conf:2: adjacent_intervals: must be a whole number from 0 to 10, not \"11\""
    ),
    (
      2, "[project]\nstate = off",
      "mfa.conf:2: state: must be enabled, disabled or observe, not \"off\""
    ),
    (
      3, "[project]\nissuer = a:b",
      "mfa.conf:2: issuer: must be a name of 1 to 64 characters, without colons and invisible "
        + "characters, not \"a:b\""
    ),
    (
      4, "[project]\nenrollment = required",
      "mfa.conf:2: enrollment: must be self-service, not \"required\""
    ),
    (
      5, "[project]\nthrottle_after = 0",
      "mfa.conf:2: throttle_after: must be a whole number from 1 to 100, not \"0\""
    ),
    (
      6, "[project]\nthrottle_first_wait = 30",
      "mfa.conf:2: throttle_first_wait: must be a whole number with s, m or h behind it, from 1s "
        + "to 24h, not \"30\""
    ),
    (
      7, "[project]\nthrottle_longest_wait = 2d",
      "mfa.conf:2: throttle_longest_wait: must be a whole number with s, m or h behind it, from "
        + "1s to 24h, not \"2d\""
    ),
    (
      8, "[project]\ndisable_after = 101",
      "mfa.conf:2: disable_after: must be a whole number from 1 to 100, not \"101\""
    ),
    (
      9, String(repeating: "\n", count: 65_537),
      "mfa.conf: is longer than 65536 bytes; shorten it"
    ),
    (
      10, String(repeating: "x", count: 1025),
      "mfa.conf:1: the line is longer than 1024 bytes; shorten it"
    ),
    (
      11, "\u{FEFF}",
      "mfa.conf:1: a byte order mark comes first; save the file as UTF-8 without one"
    ),
    (
      12, "[project]\r\n",
      "mfa.conf:1: the line has a control character in it; use tabs at most, and end lines with a "
        + "line feed alone"
    ),
    (
      13, "[project",
      "mfa.conf:1: a section must be [project], with nothing behind it"
    ),
    (
      14, "[\"\u{202E}]",
      "mfa.conf:1: unknown section \"\\\"\\xe2\\x80\\xae\"; the only section is [project]"
    ),
    (
      15, "[project]\n\n[project]",
      "mfa.conf:3: [project] was begun in line 1; keep its settings together and remove this line"
    ),
    (
      16, "enabled",
      "mfa.conf:1: neither a comment, a section nor a setting: \"enabled\"; write key = value"
    ),
    (
      17, "state = enabled",
      "mfa.conf:1: \"state\" is set before any section; put [project] above it"
    ),
    (
      18, "[project]\nstaet = enabled",
      "mfa.conf:2: unknown key \"staet\"; the keys of [project] are state, adjacent_intervals, "
        + "issuer, enrollment, throttle_after, throttle_first_wait, throttle_longest_wait, "
        + "disable_after"
    ),
    (
      19, "[project]\nstate = enabled\nstate = disabled",
      "mfa.conf:3: state: was set in line 2; keep one of the two lines"
    ),
    (
      20, "[project]\nthrottle_first_wait = 1h",
      "mfa.conf:2: throttle_first_wait: must not be larger than throttle_longest_wait, which is "
        + "\"15m\""
    ),
    (
      21, "[project]\ndisable_after = 2",
      "mfa.conf:2: disable_after: must not be smaller than throttle_after, which is \"5\""
    ),
  ])
  func messages(number: Int, text: String, message: String) throws {
    let error = try #require(refusal(of: Array(text.utf8)), "row \(number)")
    #expect(readable(error.message(file: Array("mfa.conf".utf8))) == message, "row \(number)")
  }

  @Test func aLineThatIsNotUTF8HasAMessage() throws {
    let error = try #require(refusal(of: [0x0A, 0xFF]))
    #expect(
      readable(error.message(file: Array("/etc/mfa/mfa.conf".utf8)))
        == "/etc/mfa/mfa.conf:2: the line is not UTF-8; save the file as UTF-8")
  }

  @Test func theNameOfTheFileIsEscapedAndWhole() throws {
    let error = ConfigurationError(line: 7, reason: .notUTF8)
    let path = String(repeating: "/directory", count: 20)
    let message = readable(error.message(file: Array("\(path)/\n\u{1B}".utf8)))
    #expect(message == "\(path)/\\x0a\\x1b:7: the line is not UTF-8; save the file as UTF-8")
  }
}
