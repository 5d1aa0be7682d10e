import Testing

@testable import MFAServices

/// A host whose sign-ins follow a rule.
private final class RuledHost: TrialHost {
  struct SignIn: Equatable {
    let user: String
    let password: TrialPassword
    let code: TrialCode
    let isNew: Bool
  }

  let enrolled = Array("a".utf8)
  let notEnrolled = Array("b".utf8)
  private(set) var signIns: [SignIn] = []
  private(set) var begins = 0
  /// Whether policy accepts a recent code in place of another one.
  var remembers = false
  private var isRemembered = false
  private var isNew = false
  var obstacle: String?
  var beginning: TrialResult?
  /// Whether a sign-in succeeds.
  var rule: (SignIn) -> Bool = RuledHost.sound
  var asksForCode = true

  /// The rule of a sound service: a password, and with the new file also a code of enrolled users.
  static func sound(_ signIn: SignIn) -> Bool {
    guard signIn.password == .right else { return false }
    guard signIn.isNew, signIn.user == "a" else { return true }
    return signIn.code == .right || signIn.code == .next
  }

  /// The rule of a sound program that verifies passwords itself.
  static func soundWithoutAuth(_ signIn: SignIn) -> Bool {
    signIn.password == .verifiedByProgram && (!signIn.isNew || signIn.user == "b")
  }

  func begin() -> TrialResult? {
    begins += 1
    isRemembered = false
    return beginning
  }

  func put(_ files: [(path: String, contents: [UInt8])]) -> String? {
    isNew = true
    return obstacle
  }

  func signIn(
    _ user: [UInt8], _ service: [UInt8], password: TrialPassword, code: TrialCode
  ) -> TrialSignIn {
    let signIn = SignIn(
      user: String(decoding: user, as: UTF8.self), password: password, code: code, isNew: isNew)
    signIns.append(signIn)
    let isSuccess = rule(signIn)
    let isSkipped = isRemembered && user == enrolled && signIn.password != .wrong
    isRemembered = isRemembered || remembers && isSuccess && isNew && code != .noCode
    return TrialSignIn(
      isSuccess: isSuccess || isSkipped, askedForCode: isNew && asksForCode && !isSkipped,
      log: ["one", "two"])
  }
}

@Suite("Trial of services") struct TrialTests {
  private func result(
    _ host: RuledHost, enrolled: Trial.Expectation = .asked,
    notEnrolled: Trial.Expectation = .allowed("let through: x"), acceptsKey: Bool = false,
    needsPassword: Bool = true, verifiesPasswords: Bool = false
  ) -> TrialResult {
    let trial = Trial(in: host) { user, _ in user == Array("a".utf8) ? enrolled : notEnrolled }
    return trial.result(
      of: Trial.Plan(
        service: Array("x".utf8), files: [], needsPassword: needsPassword, acceptsKey: acceptsKey,
        verifiesPasswords: verifiesPasswords))
  }

  private func failure(_ result: TrialResult) -> String? {
    guard case .failed(let reason) = result else { return nil }
    return reason
  }

  @Test("a sound service is proven, with each kind of sign-in")
  func sound() {
    let host = RuledHost()
    #expect(result(host) == .proven(remark: nil))
    let tried = host.signIns.filter { $0.isNew }
    #expect(
      tried.map { "\($0.user) \($0.password) \($0.code)" } == [
        "a right right", "a wrong next", "a right wrong", "a right noCode", "b right noCode",
      ])
  }

  @Test("of a program that verifies passwords itself, only the account lines are tried")
  func accountLines() {
    typealias SignIn = RuledHost.SignIn
    func result(
      _ rule: @escaping (SignIn) -> Bool, enrolled: Trial.Expectation = .denied("denied: x"),
      notEnrolled: Trial.Expectation = .allowed("let through: x")
    ) -> (TrialResult, RuledHost) {
      let host = RuledHost()
      host.rule = rule
      return (
        self.result(host, enrolled: enrolled, notEnrolled: notEnrolled, verifiesPasswords: true),
        host
      )
    }
    let (sound, host) = result(RuledHost.soundWithoutAuth)
    #expect(sound == .proven(remark: nil))
    #expect(
      host.signIns.map { "\($0.user) \($0.password) \($0.isNew)" } == [
        "a verifiedByProgram false", "a verifiedByProgram true", "b verifiedByProgram true",
      ])
    #expect(
      failure(result { $0.password == .verifiedByProgram }.0)?.contains(
        "a user who has enrolled is let in") == true)
    #expect(
      failure(result { !$0.isNew }.0)?.contains("a user who has not enrolled is denied") == true)
    #expect(
      failure(result(RuledHost.soundWithoutAuth, notEnrolled: .denied("denied: x")).0)?.contains(
        "a user who has not enrolled is let in") == true)
    guard case .untried = result({ _ in false }).0 else {
      Issue.record("a file that denies everybody was tried")
      return
    }
  }

  @Test("where a key replaces the password, sign-ins with a key are tried too, with a new factor")
  func afterKey() {
    typealias SignIn = RuledHost.SignIn
    let isSound: @Sendable (SignIn) -> Bool = { signIn in
      RuledHost.sound(signIn)
        || signIn.password == .wrongAfterKey && signIn.user == "a" && signIn.code == .right
    }
    let host = RuledHost()
    host.rule = isSound
    #expect(result(host, acceptsKey: true) == .proven(remark: nil))
    #expect(host.begins == 4)
    #expect(
      host.signIns.suffix(4).map { "\($0.user) \($0.password) \($0.code)" } == [
        "b wrongAfterKey noCode", "a wrongAfterKey noCode", "a wrongAfterKey right",
        "a wrongAfterKey wrong",
      ])
    let rows: [(String, @Sendable (SignIn) -> Bool)] = [
      (
        "not enrolled signs in with a key alone",
        { isSound($0) || $0.user == "b" && $0.password == .wrongAfterKey }
      ),
      (
        "accepted without a code",
        { signIn in
          isSound(signIn)
            || signIn.password == .wrongAfterKey && signIn.user == "a" && signIn.code == .noCode
        }
      ),
      ("a key and the right code is denied: one; two", { RuledHost.sound($0) }),
      (
        "a wrong code is accepted after a key",
        { signIn in
          isSound(signIn) || signIn.password == .wrongAfterKey && signIn.code == .wrong
        }
      ),
    ]
    for (expected, rule) in rows {
      let host = RuledHost()
      host.rule = rule
      let found = failure(result(host, acceptsKey: true))
      #expect(found?.contains(expected) == true, "\(expected): \(found ?? "nothing")")
    }
  }

  @Test("a service is proven if policy remembers an accepted code", arguments: [false, true])
  func remembered(acceptsKey: Bool) {
    let host = RuledHost()
    host.remembers = true
    host.rule = { signIn in
      RuledHost.sound(signIn)
        || signIn.password == .wrongAfterKey && signIn.user == "a" && signIn.code == .right
    }
    #expect(result(host, acceptsKey: acceptsKey) == .proven(remark: nil))
  }

  @Test("where a key is required, a wrong password after it is tried too")
  func keyRequired() {
    typealias SignIn = RuledHost.SignIn
    // After a key, a code alone decides about users who have enrolled.
    let isSound: @Sendable (SignIn) -> Bool = { signIn in
      guard signIn.isNew, signIn.user == "a" else { return signIn.password == .right }
      return signIn.code == .right || signIn.code == .next
    }
    let host = RuledHost()
    host.rule = isSound
    #expect(result(host, needsPassword: false) == .proven(remark: nil))
    #expect(
      host.signIns.suffix(2).map { "\($0.user) \($0.password) \($0.code)" } == [
        "b right noCode", "b wrongAfterKey noCode",
      ])
    for notEnrolled in [Trial.Expectation.allowed("let through: x"), .denied("x")] {
      let open = RuledHost()
      open.rule = { signIn in
        isSound(signIn) && (notEnrolled != .denied("x") || signIn.user == "a" || !signIn.isNew)
          || signIn.user == "b" && signIn.password == .wrongAfterKey
      }
      let found = failure(result(open, notEnrolled: notEnrolled, needsPassword: false))
      #expect(
        found == "a user who has not enrolled signs in with a key and a wrong password",
        "\(found ?? "nothing")")
    }
  }

  @Test("a service with a fault is not proven")
  func faults() {
    typealias SignIn = RuledHost.SignIn
    let rows: [(String, @Sendable (SignIn) -> Bool)] = [
      ("right password and code is denied: one; two", { !$0.isNew }),
      ("a wrong code is accepted", { RuledHost.sound($0) || $0.code == .wrong }),
      (
        "without a code succeeds",
        { RuledHost.sound($0) || $0.isNew && $0.code == .noCode && $0.password == .right }
      ),
      ("a wrong password is accepted", { RuledHost.sound($0) || $0.code == .next }),
      ("has not enrolled is denied", { RuledHost.sound($0) && $0.user == "a" }),
    ]
    for (expected, rule) in rows {
      let host = RuledHost()
      host.rule = rule
      let found = failure(result(host))
      #expect(found?.contains(expected) == true, "\(expected): \(found ?? "nothing")")
    }
    let silent = RuledHost()
    silent.asksForCode = false
    #expect(failure(result(silent)) == "a user who has enrolled is not asked for a code")
  }

  @Test("a service whose present file denies the test account is not tried")
  func untried() {
    let host = RuledHost()
    host.rule = { _ in false }
    #expect(
      result(host)
        == .untried(
          "the present file already denies a test account with its password: one; two"))
    #expect(host.signIns.count == 1)
    let blocked = RuledHost()
    blocked.obstacle = "no room"
    #expect(result(blocked) == .untried("no room"))
    let broken = RuledHost()
    broken.beginning = .failed("no key")
    #expect(result(broken) == .failed("no key") && broken.signIns.isEmpty)
  }

  @Test("a wrong password may succeed if it also does without the module")
  func openToAll() {
    let host = RuledHost()
    host.rule = { !$0.isNew || $0.user == "b" || $0.code == .right || $0.code == .next }
    #expect(result(host) == .proven(remark: nil))
  }

  @Test("what policy decides is expected")
  func policy() {
    let allowed = RuledHost()
    allowed.rule = { $0.password == .right }
    #expect(
      result(allowed, enrolled: .allowed("let through: off"))
        == .proven(remark: "no code was tried, because the test account was let through: off"))
    let broken = RuledHost()
    broken.rule = { !$0.isNew }
    #expect(
      failure(result(broken, enrolled: .allowed("x")))?.contains("although no code is needed")
        == true)
    #expect(
      failure(result(RuledHost(), enrolled: .denied("denied: no key")))
        == "a user who has enrolled would be denied: no key")
    #expect(
      failure(result(RuledHost(), notEnrolled: .denied("x")))?.contains("policy denies it") == true)
    let observed = RuledHost()
    observed.rule = { $0.password == .right }
    #expect(
      result(observed, enrolled: .observed)
        == .proven(remark: "wrong codes are accepted, because policy only observes"))
    #expect(failure(result(RuledHost(), enrolled: .observed))?.contains("only observes") == true)
    let strict = RuledHost()
    strict.rule = { RuledHost.sound($0) && !($0.isNew && $0.user == "b") }
    #expect(result(strict, notEnrolled: .denied("x")) == .proven(remark: nil))
  }

  @Test("a result is read as it was written, and nothing else is")
  func lines() {
    for result in [
      TrialResult.proven(remark: nil), .proven(remark: "a b"), .untried("a"), .failed("b: c"),
    ] {
      let line = result.line(of: "sshd").dropLast()
      #expect(TrialResult(line, of: "sshd") == result)
      #expect(TrialResult(line, of: "su") == nil)
      #expect(TrialResult(line.dropFirst(), of: "sshd") == nil)
      #expect(TrialResult(line + "\tx", of: "sshd") == nil)
    }
  }

  @Test("test accounts have names and numbers that no user has")
  func accounts() throws {
    let taken: [(name: [UInt8], uid: UInt32)] = [
      (Array("mfa-trial-0".utf8), 5), (Array("x".utf8), 59_999), (Array("y".utf8), 59_997),
    ]
    let accounts = try #require(TrialAccounts(besides: taken))
    #expect(accounts.names == ["mfa-trial-1", "mfa-trial-2"].map { Array($0.utf8) })
    #expect(accounts.uids == [59_998, 59_996])
    #expect(
      String(decoding: accounts.passwd(Array("root:x:0:0".utf8)), as: UTF8.self) == """
        root:x:0:0
        mfa-trial-1:x:59998:65534:trial of mfa-admin:/:/bin/sh
        mfa-trial-2:x:59996:65534:trial of mfa-admin:/:/bin/sh

        """)
    #expect(
      String(decoding: accounts.shadow([], hash: "$6$h", today: 9), as: UTF8.self) == """
        mfa-trial-1:$6$h:9:0:99999:7:::
        mfa-trial-2:$6$h:9:0:99999:7:::

        """)
    let all = (1000...59_999).map { (name: [UInt8](), uid: UInt32($0)) }
    #expect(TrialAccounts(besides: all) == nil)
  }
}
