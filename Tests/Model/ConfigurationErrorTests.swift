import MFAModel
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
      4, "[project]\nenrollment = mandatory",
      "mfa.conf:2: enrollment: must be self-service, offered or required, not \"mandatory\""
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
      "mfa.conf: the file is longer than 65536 bytes; shorten it"
    ),
    (
      10, String(repeating: "x", count: 1025),
      "mfa.conf:1: the line is longer than 1024 bytes; shorten it"
    ),
    (
      11, "\u{FEFF}",
      "mfa.conf:1: the file begins with a byte order mark; save it as UTF-8 without one"
    ),
    (
      12, "[project]\r\n",
      "mfa.conf:1: the line contains a control character other than a tab; remove it, and end lines "
        + "with a line feed alone"
    ),
    (
      13, "[project",
      "mfa.conf:1: a section must be [project], [tenant NAME] or [daemon NAME], with nothing after it"
    ),
    (
      14, "[\"\u{202E}]",
      "mfa.conf:1: unknown section \"\\\"\\xe2\\x80\\xae\"; the sections are [project], "
        + "[tenant NAME] and [daemon NAME]"
    ),
    (
      15, "[project]\n\n[project]",
      "mfa.conf:3: [project] already begins in line 1; keep its settings together and remove this line"
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
        + "issuer, language, enrollment, offer_sign_ins, offer_until, prompt, prompt_hints, tries, "
        + "end_sessions_on_unenroll, remember, remember_services, fresh_for, "
        + "program_passwords, throttle_after, "
        + "throttle_first_wait, throttle_longest_wait, disable_after, recovery_unlocks, factors, "
        + "gateway, regions and those of mfa.conf(5) that begin with phone_"
    ),
    (
      19, "[project]\nstate = enabled\nstate = disabled",
      "mfa.conf:3: state: already set in line 2; keep one of the two lines"
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
    (
      22, "[project]\noffer_sign_ins = 1001",
      "mfa.conf:2: offer_sign_ins: must be a whole number from 0 to 1000, not \"1001\""
    ),
    (
      23, "[project]\noffer_until = soon",
      "mfa.conf:2: offer_until: must be a day such as 2027-01-31, not \"soon\""
    ),
    (
      24, "[project]\nprompt_hints = yes",
      "mfa.conf:2: prompt_hints: must be on or off, not \"yes\""
    ),
    (
      61, "[project]\nprompt = \"OTP\"",
      "mfa.conf:2: prompt: must be a text of 1 to 64 characters, without double quotes and invisible "
        + "characters, not \"\\\"OTP\\\"\""
    ),
    (
      62, "[project]\ntries = 9",
      "mfa.conf:2: tries: must be a whole number from 1 to 5, not \"9\""
    ),
    (
      25, "[project]\nend_sessions_on_unenroll = 1",
      "mfa.conf:2: end_sessions_on_unenroll: must be on or off, not \"1\""
    ),
    (
      26, "[project]\nenrollment = offered",
      "mfa.conf:2: the offer never ends; set offer_sign_ins to 1 or more, or offer_until"
    ),
    (
      60, "[project]\nlanguage = english",
      "mfa.conf:2: language: must be en, fr, es, ja or zh-TW, not \"english\""
    ),
    (
      27, "[tenant a b]",
      "mfa.conf:1: a tenant name must be 1 to 64 of the characters a-z, A-Z, 0-9, \".\", \"_\" and "
        + "\"-\", not \"a b\""
    ),
    (
      28, "[tenant a]\nusers = x\n[tenant a]",
      "mfa.conf:3: tenant \"a\" already begins in line 1; give this one a different name"
    ),
    (
      29, "[tenant a]\nstate = enabled",
      "mfa.conf:1: tenant \"a\" selects no sign-ins; set users, groups, services or networks"
    ),
    (
      30, "[tenant a]\nissuer = Example",
      "mfa.conf:2: unknown key \"issuer\"; the keys of [tenant NAME] are users, groups, services, "
        + "networks, state, adjacent_intervals, language, enrollment, offer_sign_ins, offer_until, "
        + "prompt, prompt_hints, tries, remember, remember_services, fresh_for, "
        + "program_passwords, throttle_after, "
        + "throttle_first_wait, throttle_longest_wait, disable_after, recovery_unlocks, factors "
        + "and those of mfa.conf(5) that begin with phone_"
    ),
    (
      31, "[tenant a]\nusers = anna,",
      "mfa.conf:2: users: must be names with commas between them, each once, without patterns, not "
        + "\"anna,\""
    ),
    (
      32, "[tenant a]\nservices = SSHD",
      "mfa.conf:2: services: must be names of PAM services in lower case, with commas between "
        + "them, each once, not \"SSHD\""
    ),
    (
      33, "[tenant a]\nnetworks = office",
      "mfa.conf:2: networks: must be networks such as 192.0.2.0/24 and 2001:db8::/32, with commas "
        + "between them, each once, not \"office\""
    ),
    (
      34, "[tenant a]\nnetworks = 10.0.0.0/8, 192.0.2.7/24",
      "mfa.conf:2: networks: \"192.0.2.7/24\" must be written \"192.0.2.0/24\", if that network "
        + "is meant"
    ),
    (
      35, manyTenants(65),
      "mfa.conf:129: there are more than 64 tenants; merge some of them"
    ),
    (
      37, "[project]\nremember = 721h",
      "mfa.conf:2: remember: must be off, or a whole number with s, m or h behind it, from 1s to "
        + "720h, not \"721h\""
    ),
    (
      38, "[project]\nfresh_for = 25h",
      "mfa.conf:2: fresh_for: must be off, or a whole number with s, m or h behind it, from 1s to "
        + "24h, not \"25h\""
    ),
    (
      39, "[project]\nremember_services = SSHD",
      "mfa.conf:2: remember_services: must be names of PAM services in lower case, with commas "
        + "between them, each once, not \"SSHD\""
    ),
  ])
  func messages(number: Int, text: String, message: String) throws {
    let error = try #require(configurationRefusal(of: Array(text.utf8)), "row \(number)")
    #expect(readable(error.message(file: "mfa.conf")) == message, "row \(number)")
  }

  @Test func aLineThatIsNotUTF8HasAMessage() throws {
    let error = try #require(configurationRefusal(of: [0x0A, 0xFF]))
    #expect(
      readable(error.message(file: "/etc/mfa/mfa.conf"))
        == "/etc/mfa/mfa.conf:2: the line is not UTF-8; save the file as UTF-8")
  }

  @Test func theNameOfTheFileIsEscapedAndWhole() throws {
    let error = ConfigurationError(line: 7, .notUTF8)
    let path = String(repeating: "/directory", count: 20)
    let message = readable(error.message(file: "\(path)/\n\u{1B}"))
    #expect(message == "\(path)/\\x0a\\x1b:7: the line is not UTF-8; save the file as UTF-8")
  }
}
