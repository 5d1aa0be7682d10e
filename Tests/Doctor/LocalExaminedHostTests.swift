import MFAAdmin
import MFABase
import Testing

@testable import MFADoctor

@Suite struct LocalExaminedHostTests {
  @Test("an examination has one time limit for all programs that it starts")
  func timeLimit() throws {
    let host = LocalExaminedHost(seconds: 1)
    let start = try Clock.sinceBoot()
    #expect(throws: AdminError(at: "/usr/bin/sleep", "it did not end within 1 s")) {
      try host.output(of: "/usr/bin/sleep", ["60"])
    }
    #expect(
      throws: AdminError(at: "/usr/bin/true", "the whole examination has taken more than 1 s")
    ) {
      try host.output(of: "/usr/bin/true", [])
    }
    #expect(try Clock.sinceBoot() - start < 30)
    #expect(try LocalExaminedHost().output(of: "/usr/bin/true", [])?.isSuccess == true)
  }
}
