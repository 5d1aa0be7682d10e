import FactorStore
import Factors
import OneTimePassword
import Policy
import SignIn
import SignInTestSupport
import System
import Testing

@Suite("What has happened since the last sign-in")
struct NewsTests {
  let host = ScriptedHost()
  let account = Account(name: Array("alice".utf8), uid: 1000)

  private func signIn(_ code: String, from address: String? = nil, listening: Bool = true)
    -> (Verdict, told: [String])
  {
    let request = SignInRequest(
      user: account.name, service: Array("sshd".utf8),
      remoteHost: address.map { Array($0.utf8) }, terminal: Array("tty1".utf8))
    let application = ScriptedApplication([.text(code)])
    application.isListening = listening
    let verdict = SignIn(request, host: host, application: application).authenticate()
    return (verdict, application.told)
  }

  private func enroll() throws {
    _ = try host.memory.enroll("Phone", secret: KnownFactor.secret, for: account)
  }

  private func wrong() throws -> String { try KnownFactor.wrongCode(at: host.time) }
  private func right(_ steps: Int64 = 0) throws -> String {
    try KnownFactor.code(at: host.time, steps: steps)
  }

  @Test("wrong codes are told once, with where the last came from")
  func wrongCodes() throws {
    try enroll()
    #expect(signIn(try wrong(), from: "203.0.113.9").0 == .deny)
    #expect(signIn(try wrong(), from: "203.0.113.9").0 == .deny)
    #expect(signIn(try wrong()).0 == .deny)
    let (verdict, told) = signIn(try right(), from: "192.0.2.7")
    #expect(verdict == .allow)
    #expect(
      told == [
        "since your last sign-in: 3 wrong codes, the last from tty1 on 2023-11-14 22:13 UTC"
      ])
    #expect(signIn(try right(1)).told == [])
    #expect(signIn(try wrong(), from: "2001:db8::1").0 == .deny)
    #expect(
      signIn(try right(2)).told == [
        "since your last sign-in: 1 wrong code from 2001:db8::1 on 2023-11-14 22:13 UTC"
      ])
  }

  @Test("where nobody listens nothing is told, and it is told later")
  func silence() throws {
    try enroll()
    host.memory.record?.note(
      .enrolled, Array("Pixel".utf8), from: Source(Array("mfa-enroll".utf8)), at: host.time)
    _ = signIn(try wrong())
    #expect(signIn(try right(), listening: false).told == [])
    #expect(host.memory.attempts.failures == 0)
    #expect(
      signIn(try right(1)).told == [
        "since your last sign-in: 1 wrong code from tty1 on 2023-11-14 22:13 UTC",
        "since your last sign-in: factor 'Pixel' enrolled from mfa-enroll on 2023-11-14 22:13 UTC",
      ])
    #expect(signIn(try right(2)).told == [])
  }

  @Test("an administrator's unlocking does not hide what was tried")
  func unlocking() throws {
    try enroll()
    _ = signIn(try wrong(), from: "203.0.113.9")
    host.memory.attempts = host.memory.attempts.unlocked()
    #expect(
      signIn(try right()).told == [
        "since your last sign-in: 1 wrong code from 203.0.113.9 on 2023-11-14 22:13 UTC"
      ])
  }

  @Test("where policy only observes nobody is told, and nothing is forgotten")
  func observing() throws {
    try enroll()
    _ = signIn(try wrong())
    host.configuration = "[project]\nstate = observe\n"
    #expect(signIn(try right()).told == [])
    host.configuration = "[project]\n"
    #expect(signIn(try right(1)).told.count == 1)
  }

  @Test("a guess that is never judged is among the wrong ones")
  func killed() throws {
    try enroll()
    host.memory.failure = (.secret, .busy)
    _ = signIn(try right(), from: "203.0.113.9")
    host.memory.failure = nil
    #expect(
      signIn(try right()).told == [
        "since your last sign-in: 1 wrong code from 203.0.113.9 on 2023-11-14 22:13 UTC"
      ])
  }

  @Test(
    "each notice is a sentence",
    arguments: [
      (1, .enrolled, "Pixel", "factor 'Pixel' enrolled"),
      (2, .imported, "Old", "factor 'Old' taken over from another program"),
      (3, .unenrolled, "Pixel", "factor 'Pixel' unenrolled"),
      (4, .recoveryCodeUsed, "", "a recovery code used"),
      (5, .recoveryCodesMade, "", "new recovery codes made"),
      (6, .ticketMade, "", "an enrolment ticket made"),
      (7, .ticketMade, "new phone", "an enrolment ticket made ('new phone')"),
      (8, .ticketUsed, "Pixel", "factor 'Pixel' enrolled with a ticket"),
      (9, .bypassMade, "lost", "a bypass code made ('lost')"),
      (10, .bypassUsed, "lost", "a bypass code used ('lost')"),
      (11, .resynchronized, "Pixel", "the clock of factor 'Pixel' put right"),
      (12, .revoked, "", "every factor revoked"),
    ] as [(Int, Notice.Kind, String, String)])
  func sentences(row: Int, kind: Notice.Kind, detail: String, expected: String) throws {
    try enroll()
    host.memory.record?.note(
      kind, Array(detail.utf8), from: Source(Array("\u{1B}[2J é".utf8)), at: 0)
    #expect(
      signIn(try right()).told == ["since your last sign-in: \(expected) from ?[2J???"],
      "row \(row)")
  }

  @Test("a used recovery code is told at once and not again, and its notice goes out")
  func recoveryCode() throws {
    try enroll()
    try host.memory.keep(recoveryCodes: [(Array("0123456789".utf8), .generated)])
    _ = signIn(try wrong())
    let (verdict, told) = signIn("gayt-emzu-gu3d-oobz")
    #expect(verdict == .allow)
    #expect(told.count == 2)
    #expect(host.delivered == ["alice"])
    #expect(host.memory.record?.notices.map(\.kind) == [.recoveryCodeUsed])
    #expect(signIn(try right()).told == [])
  }

  @Test("without a helper to mail it, a notice is logged as not mailed, and the sign-in goes on")
  func noHelper() throws {
    try enroll()
    host.delivers = false
    try host.memory.keep(recoveryCodes: [(Array("0123456789".utf8), .generated)])
    let request = SignInRequest(user: account.name, service: Array("sshd".utf8))
    let application = ScriptedApplication([.text("gayt-emzu-gu3d-oobz")])
    #expect(SignIn(request, host: host, application: application).authenticate() == .allow)
    #expect(
      application.logged.first == "result=notice-not-mailed user=alice reason=helper-not-started")
  }

  @Test("who has no factor any more is told in the account phase, once")
  func unenrolled() throws {
    try enroll()
    var record = try #require(host.memory.record)
    _ = try record.remove(try #require(record.factors.first).id)
    record.note(.unenrolled, Array("Phone".utf8), from: .unknown, at: 0)
    host.memory.record = record
    let request = SignInRequest(user: account.name, service: Array("sshd".utf8))
    host.configuration = "[project]\nstate = observe\n"
    let observed = ScriptedApplication()
    #expect(SignIn(request, host: host, application: observed).checkAccount() == .notConcerned)
    #expect(observed.told == [], "where policy only observes nobody is told")
    host.configuration = "[project]\n"
    let first = ScriptedApplication()
    #expect(SignIn(request, host: host, application: first).checkAccount() == .notConcerned)
    #expect(first.told == ["since your last sign-in: factor 'Phone' unenrolled"])
    let second = ScriptedApplication()
    #expect(SignIn(request, host: host, application: second).checkAccount() == .notConcerned)
    #expect(second.told == [])
  }

  @Test("what cannot be told in the account phase stops nobody")
  func accountPhaseGoesOn() throws {
    try enroll()
    host.memory.record?.removeEverything()
    host.memory.record?.note(.revoked, from: .unknown, at: 0)
    let request = SignInRequest(user: account.name, service: Array("sshd".utf8))
    for step in [MemoryStore.Step.lock, .write(failures: 0), .sync] {
      host.memory.failure = (step, .busy)
      let application = ScriptedApplication()
      #expect(SignIn(request, host: host, application: application).checkAccount() == .notConcerned)
      #expect(application.told == [], "\(step)")
    }
  }
}
