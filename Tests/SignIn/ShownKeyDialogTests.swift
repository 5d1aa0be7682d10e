import MFABase
import MFAModel
import MFASignIn
import MFASignInTestSupport
import MFAWire
import Testing

/// The key that is shown again after an enrolment during a sign-in was interrupted.
@Suite("The key of an interrupted enrolment")
struct ShownKeyDialogTests {
  let host = ScriptedHost()

  init() { host.configuration = "[project]\nenrollment = required\n" }

  private static let again = "was shown"

  /// Begins an enrolment, answers the question after the key, and returns what was asked.
  private func begin(
    from address: String = "203.0.113.9", service: String = "sshd",
    _ answers: ScriptedApplication.Answer...
  ) -> (verdict: Verdict, application: ScriptedApplication) {
    let application = ScriptedApplication([.text("3")] + answers)
    let signIn = SignInRun(
      SignInRequest(service: service, remoteHost: address), host: host, application: application)
    #expect(signIn.authenticate() == .pass)
    return (signIn.checkAccount(), application)
  }

  private func key(_ application: ScriptedApplication) throws -> [UInt8] {
    try EnrollmentDialogTests.key(application.secretPrompts)
  }

  private func code(of key: [UInt8]) throws -> ScriptedApplication.Answer {
    .text(try KnownFactor.code(at: host.time, secret: key))
  }

  @Test("within ten minutes the same key is shown again, and its age is told")
  func again() throws {
    let first = begin(.none).application
    #expect(!first.prompts[0].contains(Self.again))
    for seconds: Int64 in [0, 180, 420] {
      host.time += seconds
      let next = begin(.none).application
      #expect(try key(next) == key(first))
      let age = [0: "0 seconds", 180: "3 minutes", 600: "10 minutes"][host.time - 1_700_000_000]
      #expect(
        next.prompts[0].contains("The key is the one that was shown \(age ?? "?") ago."),
        "\(next.prompts[0])")
    }
    // The code of the first showing enrols.
    let last = begin(try code(of: key(first)), .text(""), .text(""))
    #expect(last.verdict == .allow && host.memory.record?.factors.count == 1)
  }

  @Test("after ten minutes, and if the clock was set back, the key is new", arguments: [601, -1])
  func tooOld(seconds: Int64) throws {
    let first = begin(.none).application
    host.time += seconds
    let next = begin(.none).application
    #expect(try key(next) != key(first))
    #expect(!next.prompts[0].contains(Self.again))
  }

  @Test("another source and another service get another key")
  func others() throws {
    let first = begin(.none).application
    for other in [
      begin(from: "203.0.113.10", .none).application, begin(service: "login", .none).application,
    ] {
      #expect(try key(other) != key(first))
      #expect(!other.prompts[0].contains(Self.again))
    }
  }

  @Test("another user gets another key")
  func otherUser() throws {
    let first = begin(.none).application
    host.account = Account(name: Array("alice".utf8), uid: 1001)
    let other = begin(.none).application
    #expect(try key(other) != key(first))
    #expect(!other.prompts[0].contains(Self.again))
  }

  @Test("after an enrolment, its key is not shown again")
  func confirmed() throws {
    let first = begin(.none).application
    let key = try key(first)
    #expect(begin(try code(of: key), .text(""), .text("")).verdict == .allow)
    host.memory.record = nil
    host.time += 60
    let next = begin(.none).application
    #expect(try self.key(next) != key)
    #expect(!next.prompts[0].contains(Self.again))
  }

  @Test("what is stored reveals nothing about the key, and cannot be read as one")
  func stored() throws {
    let first = begin(.none).application
    let shown = host.memory.attempts.shownKey
    #expect(shown.time == host.time && shown.digest != 0)
    let key = try key(first)
    let encoded = host.memory.attempts.encoded(sequence: 1)
    for start in 0..<(key.count - 3) {
      #expect(!encoded.contains(part: Array(key[start..<(start + 4)])))
    }
  }
}

extension [UInt8] {
  fileprivate func contains(part: [UInt8]) -> Bool {
    (0...(count - part.count)).contains { self[$0...].starts(with: part) }
  }
}
