import MFAAttempt
import MFABase
import MFACrypto
import MFAModel
import MFASignInTestSupport
import MFAStore
import MFAWire
import Testing

@testable import MFASignIn

/// An attacker who owns the client of a continuation: replays it, reorders, keeps, changes and swaps it. Each
/// request with it is refused or asks anew, and never allows what the first one would not have allowed.
@Suite("Continuations in the hands of an attacker")
struct ContinuationTests {
  let host = ScriptedHost()
  let account = Account(name: Array("alice".utf8), uid: 1000)
  let root = ProcessIdentity(user: 0, actsAsRoot: true, isConfined: false)

  typealias Step = SignIn<ScriptedHost>.Step

  /// What an attacker sends.
  struct Attack {
    var line = ModuleLine.auth
    var user = "alice"
    var service = "sshd"
    var arguments = ["tries=1"]
    var note: String?
    var identity = ProcessIdentity(user: 0, actsAsRoot: true, isConfined: false)
    var continuation: [UInt8] = []
    var answer: String?
  }

  private func send(_ attack: Attack) -> Step {
    var call = SignInCall()
    call.line = attack.line
    call.request = SignInRequest(
      user: attack.user, service: attack.service, remoteHost: "203.0.113.9",
      arguments: attack.arguments)
    call.showsMessages = true
    call.note = attack.note.map { Array($0.utf8) }
    call.facts = host.facts
    call.continuation = attack.continuation
    call.answer = attack.answer.map { .text(SecretBytes(copying: Array($0.utf8).span)) } ?? .absent
    return SignIn(call, host: host, identity: attack.identity).step()
  }

  /// Returns the prompt and the continuation of a step that ends with a question.
  private func question(_ step: Step) -> (prompt: String, continuation: [UInt8])? {
    guard case .question(let prompt, _, let continuation) = step.reply.end else { return nil }
    return (String(decoding: prompt.copy().span.copied(), as: UTF8.self), continuation)
  }

  /// Sends a request, and returns the continuation of the question in the reply.
  private func ask(_ attack: Attack = Attack()) throws -> [UInt8] {
    try #require(question(send(attack))).continuation
  }

  private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  /// The number of codes that have been compared.
  private var comparisons: Int { host.memory.steps.count { $0 == .secret } }

  /// Checks that a request with a correct code asks for one, without having compared any.
  private func expectAskedAnew(
    _ continuation: [UInt8], _ name: String, _ change: (inout Attack) -> Void = { _ in }
  ) throws {
    var attack = Attack(continuation: continuation, answer: try host.code())
    change(&attack)
    let before = comparisons
    let step = send(attack)
    #expect(
      question(step)?.prompt == "Verification code: ",
      "\(name): \(String(describing: step.verdict))")
    #expect(step.verdict == nil, "\(name)")
    #expect(comparisons == before, "\(name)")
    #expect(host.memory.attempts.failures == 0, "\(name)")
  }

  // MARK: Replays

  @Test("a code is accepted once, however often its continuation is sent")
  func replayed() throws {
    try host.enroll()
    let continuation = try ask()
    let attack = Attack(continuation: continuation, answer: try host.code())
    #expect(send(attack).verdict == .allow)
    for _ in 1...3 {
      let step = send(attack)
      #expect(step.verdict == .deny)
      #expect(question(step) == nil)
    }
    // The next code is an attempt like any other.
    #expect(send(Attack(continuation: continuation, answer: try host.code(1))).verdict == .allow)
  }

  @Test("a recovery code is accepted once, however often its continuation is sent")
  func replayedRecoveryCode() throws {
    try host.enroll()
    try host.memory.keep(recoveryCodes: [(Self.bytes("0123456789"), .generated)])
    let attack = Attack(continuation: try ask(), answer: "gayt-emzu-gu3d-oobz")
    #expect(send(attack).verdict == .allow)
    for _ in 1...3 { #expect(send(attack).verdict != .allow) }
  }

  @Test("a continuation that is sent again buys no attempt that is not counted")
  func replayedGuesses() throws {
    try host.enroll()
    let continuation = try ask(Attack(arguments: ["tries=3"]))
    for number in 1...5 {
      let wrong = try host.wrongCode()
      let step = send(Attack(arguments: ["tries=3"], continuation: continuation, answer: wrong))
      #expect(step.verdict == (number == 5 ? .tooManyAttempts : nil), "\(number)")
      #expect(host.memory.attempts.failures == UInt32(number))
    }
    let right = send(
      Attack(arguments: ["tries=3"], continuation: continuation, answer: try host.code()))
    #expect(right.verdict == .tooManyAttempts)
  }

  @Test("the continuation of an earlier try is an attempt of that try, and buys no further one")
  func reordered() throws {
    try host.enroll()
    func attack(_ continuation: [UInt8], _ answer: String) -> Step {
      send(Attack(arguments: ["tries=2"], continuation: continuation, answer: answer))
    }
    let first = try ask(Attack(arguments: ["tries=2"]))
    let second = try #require(
      question(attack(first, try host.wrongCode()))
    ).continuation
    #expect(attack(second, try host.wrongCode()).verdict == .deny)
    #expect(question(attack(first, try host.wrongCode())) != nil)
    #expect(host.memory.attempts.failures == 3)
    #expect(attack(second, try host.code()).verdict == .allow)
    #expect(attack(first, try host.code()).verdict != .allow)
  }

  @Test("an answer to another question is discarded")
  func otherQuestion() throws {
    try host.enroll()
    let plain = try ask()
    host.configuration = "[project]\nprompt_hints = on\n"
    let list = try ask()
    let chosen = try #require(question(send(Attack(continuation: list, answer: "1"))))
    #expect(chosen.prompt == "Device 'Phone'. Verification code: ")
    host.configuration = "[project]\nstate = enabled\n"
    try expectAskedAnew(chosen.continuation, "a question about one factor")
    // The lists of factors and the prompt for any code take the same answers.
    #expect(send(Attack(continuation: plain, answer: try host.code())).verdict == .allow)
  }

  // MARK: Swapped

  @Test("what a continuation is bound to differs for every line, user, service, caller and host")
  func bindings() throws {
    try host.enroll()
    host.configuration = "[project]\nenrollment = required\n"
    let caller = ProcessIdentity(user: 1000, actsAsRoot: true, isConfined: false)
    let own = ProcessIdentity(user: 1000, actsAsRoot: false, isConfined: false)
    let attacks = [
      Attack(), Attack(service: "sshdx"), Attack(user: "alices", service: "shd"),
      Attack(user: "alice", service: "login"), Attack(user: "bob"), Attack(identity: caller),
      Attack(identity: own),
    ]
    for name in ["", "web1", "web2"] {
      host.realmHost = Self.bytes(name)
      for attack in attacks { _ = try ask(attack) }
    }
    host.realmHost = []
    host.memory.record = nil
    _ = try ask(Attack(line: .account, note: "ealice"))
    #expect(host.memory.bindings.count == 3 * attacks.count + 1)
    #expect(Set(host.memory.bindings).count == host.memory.bindings.count)
  }

  @Test("a continuation of another user, service, caller or host asks anew")
  func swapped() throws {
    try host.enroll()
    let record = try #require(host.memory.record)
    let continuation = try ask()
    try expectAskedAnew(continuation, "service") { $0.service = "login" }
    try expectAskedAnew(continuation, "caller") { attack in
      attack.identity = ProcessIdentity(user: 1000, actsAsRoot: true, isConfined: false)
    }
    try expectAskedAnew(continuation, "own process") { attack in
      attack.identity = ProcessIdentity(user: 1000, actsAsRoot: false, isConfined: false)
    }
    try expectAskedAnew(continuation, "spelling") { $0.user = "ALICE" }
    host.realmHost = Self.bytes("web1")
    try expectAskedAnew(continuation, "host")
    host.realmHost = []
    // A user whose record has the same identifier and generation.
    let bob = Account(name: Self.bytes("bob"), uid: 1001)
    host.account = bob
    host.memory.record = FactorRecord(
      user: try #require(UserName(bob.name)), uid: bob.uid, id: record.id)
    _ = try host.memory.enroll("Phone", secret: KnownFactor.secret, for: bob)
    try expectAskedAnew(continuation, "user") { $0.user = "bob" }
    // It is accepted where it belongs.
    host.account = account
    host.memory.record = record
    host.memory.attempts = AttemptState(record: record.id).adding(
      record.factors[0].id, confirmedAt: -1)
    #expect(send(Attack(continuation: continuation, answer: try host.code())).verdict == .allow)
  }

  @Test("a continuation for a name that does not exist is worth nothing for one that does")
  func decoy() throws {
    try host.enroll()
    let unknown = try ask(Attack(user: "mallory"))
    try expectAskedAnew(unknown, "another name")
    host.memory.record = nil
    host.configuration = "[project]\nenrollment = required\n"
    host.stacks = ScriptedStacks()
    let own = ProcessIdentity(user: 1000, actsAsRoot: false, isConfined: false)
    let without = try ask(Attack(identity: own))
    try host.enroll()
    try expectAskedAnew(without, "before the enrolment") { $0.identity = own }
  }

  @Test("a continuation of one line does nothing in another")
  func otherLine() throws {
    try host.enroll()
    let code = try ask()
    host.configuration = "[project]\nenrollment = required\n"
    host.memory.record = nil
    let attack = Attack(line: .account, note: "ealice", continuation: code, answer: try host.code())
    #expect(question(send(attack))?.prompt.contains("authenticator app") == true)
    let form = try ask(Attack(line: .account, note: "ealice"))
    try host.enroll()
    try expectAskedAnew(form, "the question of an enrolment")
  }

  // MARK: Kept

  @Test("a continuation is worth nothing after a change of the record")
  func changedRecord() throws {
    let changes: [(String, (inout FactorRecord) throws -> Void)] = [
      ("a change", { _ in }),
      (
        "another factor",
        { record in
          let secret = Array(KnownFactor.secret.reversed())
          try record.add(
            Factor(
              id: try #require(FactorID(bytes: [UInt8](repeating: 3, count: 16))),
              displayName: try #require(DisplayName(Array("Tablet".utf8))), enrolledAt: 0,
              kind: .totp(.standard, sealedSecret: secret)))
        }
      ),
      (
        "a factor less",
        { record in
          let source = Source(Array("mfa-admin".utf8))
          _ = try record.unenroll(record.factors[1].id, from: source, at: 0)
        }
      ),
    ]
    for (name, change) in changes {
      host.memory.record = nil
      try host.enroll()
      _ = try host.memory.enroll("Other", secret: Array(repeating: 5, count: 20), for: account)
      let continuation = try ask()
      let entry = try host.memory.entry(of: account, creating: false)
      var record = try #require(host.memory.record)
      try change(&record)
      _ = try entry.replace(
        record: record, attempts: host.memory.attempts,
        entering: AuditLogEvent(
          .enrolled, record.factors[0],
          by: AuditLogEvent.Actor(
            name: [], uid: 0, program: [], source: Source(Array("mfa-admin".utf8))), at: 0))
      try expectAskedAnew(continuation, name)
    }
  }

  @Test("a continuation is worth nothing after a revocation, with or without a new enrolment")
  func revoked() throws {
    try host.enroll()
    let continuation = try ask()
    host.memory.record = nil
    // Without a factor, the answer is not verified.
    let step = send(Attack(continuation: continuation, answer: try host.code()))
    #expect(step.verdict != .allow)
    try host.enroll()
    try expectAskedAnew(continuation, "a new enrolment")
  }

  @Test("a continuation is worth nothing after a rename")
  func renamed() throws {
    try host.enroll()
    let continuation = try ask()
    let record = try #require(host.memory.record)
    host.account = Account(name: Self.bytes("alicia"), uid: 1000)
    host.memory.record = FactorRecord(
      user: try #require(UserName(Self.bytes("alicia"))), uid: 1000, id: record.id)
    try host.memory.record?.add(record.factors[0])
    try expectAskedAnew(continuation, "the new name") { $0.user = "alicia" }
    // The old name is unknown.
    let step = send(Attack(continuation: continuation, answer: try host.code()))
    #expect(step.verdict != .allow)
    #expect(!host.memory.steps.contains(.secret))
  }

  @Test("a continuation is worth nothing after a rekey")
  func rekeyed() throws {
    try host.enroll()
    let continuation = try ask()
    host.memory.continuationKey = [UInt8](repeating: 10, count: AES256GCM.keyLength)
    try expectAskedAnew(continuation, "another key")
  }

  @Test("an answer counts for 3,600 seconds, and not before its question was asked")
  func deadline() throws {
    try host.enroll()
    let continuation = try ask()
    let asked = host.time
    for time in [asked + 3601, asked + 86_400, asked - 1, 0, Int64.max] {
      host.time = time
      let step = send(
        Attack(continuation: continuation, answer: time == .max ? "123456" : try host.code()))
      #expect(question(step)?.prompt == "Verification code: ", "\(time - asked)")
    }
    #expect(comparisons == 0)
    host.time = asked + 3600
    #expect(send(Attack(continuation: continuation, answer: try host.code())).verdict == .allow)
  }

  // MARK: Changed

  @Test("a continuation with any other byte, a part of one and a longer one ask anew")
  func changed() throws {
    try host.enroll()
    let continuation = try ask()
    for index in continuation.indices {
      for bit in [0x01, 0x80] as [UInt8] {
        var changed = continuation
        changed[index] ^= bit
        try expectAskedAnew(changed, "byte \(index)")
      }
    }
    for count in 1..<continuation.count {
      try expectAskedAnew(Array(continuation.prefix(count)), "\(count) bytes")
      try expectAskedAnew(Array(continuation.suffix(count)), "the last \(count) bytes")
    }
    for other in [
      continuation + [0], continuation + continuation, [0], [UInt8](repeating: 0, count: 4096),
    ] {
      try expectAskedAnew(other, "\(other.count) bytes")
    }
    #expect(send(Attack(continuation: continuation, answer: try host.code())).verdict == .allow)
  }

  @Test("an answer without a continuation is discarded")
  func noContinuation() throws {
    try host.enroll()
    try expectAskedAnew([], "no continuation")
  }

  @Test("a continuation contains neither the user's name nor a secret in the clear")
  func sealed() throws {
    host.configuration = "[project]\nenrollment = required\n"
    let form = try ask(Attack(line: .account, note: "ealice"))
    let shown = try #require(
      question(
        send(Attack(line: .account, note: "ealice", continuation: form, answer: "3"))))
    let key = try Self.key(shown.prompt)
    for part in [key, Self.bytes("alice"), Self.bytes("sshd")] {
      let isContained = shown.continuation.indices.contains {
        shown.continuation[$0...].starts(with: part)
      }
      #expect(!isContained)
    }
    // The same question is never sealed twice alike.
    let (first, second) = (try ask(Attack(user: "bob")), try ask(Attack(user: "bob")))
    #expect(first != second)
  }

  // MARK: Break-glass

  @Test("a break-glass continuation is worth nothing while the store works, and the reverse")
  func breakGlass() throws {
    try host.enroll()
    let ordinary = try ask()
    host.breakGlass = try Self.credential(salt: 7)
    host.storeFailure = .damaged(.directory)
    let prompt = "The store of second factors cannot be used. Break-glass code: "
    let asked = try #require(question(send(Attack())))
    #expect(asked.prompt == prompt)
    // A continuation that the store has sealed is not opened without it.
    let other = send(Attack(continuation: ordinary, answer: BreakGlassTests.code))
    #expect(question(other)?.prompt == prompt)
    host.storeFailure = nil
    for answer in [BreakGlassTests.code, try host.code()] {
      let step = send(Attack(continuation: asked.continuation, answer: answer))
      #expect(question(step)?.prompt == "Verification code: ")
    }
    #expect(comparisons == 0)
    host.storeFailure = .damaged(.directory)
    // After another code was made, the user is asked anew.
    let credential = host.breakGlass
    host.breakGlass = try Self.credential(salt: 8)
    let renewed = send(Attack(continuation: asked.continuation, answer: BreakGlassTests.code))
    #expect(question(renewed)?.prompt == prompt)
    host.breakGlass = credential
    let attack = Attack(continuation: asked.continuation, answer: BreakGlassTests.code)
    #expect(send(attack).verdict == .allow)
    for (name, change): (String, (inout Attack) -> Void) in [
      ("service", { $0.service = "login" }),
      (
        "caller",
        { $0.identity = ProcessIdentity(user: 1000, actsAsRoot: true, isConfined: false) }
      ),
    ] {
      var swapped = attack
      change(&swapped)
      #expect(question(send(swapped))?.prompt == prompt, "\(name)")
    }
    host.time += 3601
    #expect(question(send(attack))?.prompt == prompt)
  }

  private static func credential(salt: UInt8) throws -> BreakGlassCredential {
    let typed = Array(BreakGlassTests.code.utf8)
    guard let code = RecoveryCode(answer: typed.span) else { throw FactorStoreError.cryptography }
    let salt = [UInt8](repeating: salt, count: BreakGlassCredential.saltLength)
    let hash = try SlowHash.hash(
      code.bytes.span, salt: salt, costLog2: 14, count: BreakGlassCredential.hashLength)
    return BreakGlassCredential(
      users: [Array("alice".utf8)], costLog2: 14, salt: salt, hash: hash.span.copied())
  }

  // MARK: Enrolments

  private static func key(_ prompt: String) throws -> [UInt8] {
    let match = try #require(prompt.firstMatch(of: /\n\n  ([A-Z2-7 ]+)\n/))
    guard let key = Base32.decode(Array(match.output.1.utf8).span) else {
      throw FactorStoreError.cryptography
    }
    return key.span.copied()
  }

  private func enrollment(_ continuation: [UInt8], _ answer: String) -> Step {
    send(Attack(line: .account, note: "ealice", continuation: continuation, answer: answer))
  }

  /// Goes through an enrolment to the question for the name. Returns the continuations of the three
  /// questions, and the code that was typed.
  private func enrolling() throws -> (form: [UInt8], code: [UInt8], name: [UInt8], typed: String) {
    host.configuration = "[project]\nenrollment = required\n"
    let form = try ask(Attack(line: .account, note: "ealice"))
    let shown = try #require(question(enrollment(form, "3")))
    let typed = try KnownFactor.code(at: host.time, secret: Self.key(shown.prompt))
    let named = try #require(question(enrollment(shown.continuation, typed)))
    #expect(named.prompt.hasPrefix("Name for this device"))
    return (form, shown.continuation, named.continuation, typed)
  }

  @Test("an enrolment is committed once, however often its last answer is sent")
  func replayedEnrollment() throws {
    let steps = try enrolling()
    #expect(enrollment(steps.name, "tablet").verdict == .allow)
    let record = try #require(host.memory.record)
    for (continuation, answer) in [
      (steps.name, "tablet"), (steps.name, "phone"), (steps.code, steps.typed), (steps.form, "3"),
    ] {
      let step = enrollment(continuation, answer)
      #expect(step.verdict == .deny)
      #expect(question(step) == nil)
    }
    #expect(host.memory.record?.factors.map(\.id) == record.factors.map(\.id))
    #expect(host.memory.record?.generation == record.generation)
    // The code that was typed is used.
    #expect(send(Attack(continuation: try ask(), answer: steps.typed)).verdict == .deny)
  }

  @Test("an enrolment begins anew after another enrolment was revoked meanwhile")
  func enrollmentAfterRevocation() throws {
    let steps = try enrolling()
    #expect(enrollment(steps.name, "tablet").verdict == .allow)
    let factor = try #require(host.memory.record?.factors.first)
    try host.memory.record?.unenroll(
      factor.id, from: Source(Self.bytes("mfa-admin")), at: host.time)
    host.memory.record?.beginGeneration()
    for (continuation, answer) in [(steps.name, "tablet"), (steps.code, steps.typed)] {
      let step = enrollment(continuation, answer)
      #expect(question(step)?.prompt.contains("Type 1, 2 or 3") == true)
    }
    #expect(host.memory.record?.isEnrolled == false)
  }

  @Test("an enrolment has a deadline, also if the clock is set back")
  func enrollmentDeadline() throws {
    let start = host.time
    for time in [start + 601, start - 1, start + 3601, 0] {
      host.time = start
      let steps = try enrolling()
      host.time = time
      for (continuation, answer) in [(steps.name, "tablet"), (steps.code, steps.typed)] {
        #expect(enrollment(continuation, answer).verdict == .deny, "\(time - start)")
      }
      #expect(host.memory.record == nil)
    }
    host.time = start
    let steps = try enrolling()
    host.time = start + 600
    #expect(enrollment(steps.name, "tablet").verdict == .allow)
  }

  @Test("an enrolment is worth nothing without the note, for another user, service, caller or host")
  func swappedEnrollment() throws {
    let steps = try enrolling()
    let changes: [(String, (inout Attack) -> Void)] = [
      ("service", { $0.service = "login" }),
      (
        "caller",
        { $0.identity = ProcessIdentity(user: 1000, actsAsRoot: true, isConfined: false) }
      ),
      (
        "own process",
        { $0.identity = ProcessIdentity(user: 1000, actsAsRoot: false, isConfined: false) }
      ),
      ("note", { $0.note = nil }), ("another note", { $0.note = "ebob" }),
      ("line", { $0.line = .auth }), ("session", { $0.line = .session }),
      ("spelling", { $0.user = "ALICE" }),
    ]
    for (name, change) in changes {
      var attack = Attack(
        line: .account, note: "ealice", continuation: steps.name, answer: "tablet")
      change(&attack)
      #expect(send(attack).verdict != .allow, "\(name)")
      #expect(host.memory.record == nil, "\(name)")
    }
    host.realmHost = Self.bytes("web1")
    #expect(enrollment(steps.name, "tablet").verdict == nil)
    host.realmHost = []
    host.memory.continuationKey = [UInt8](repeating: 10, count: AES256GCM.keyLength)
    #expect(enrollment(steps.name, "tablet").verdict == nil)
    #expect(host.memory.record == nil)
  }

  @Test("no answer to an earlier question of an enrolment stands for a code of the key")
  func skippedCode() throws {
    let steps = try enrolling()
    for answer in ["tablet", "", "000000000", "1234567"] {
      for continuation in [steps.form, steps.code] {
        #expect(enrollment(continuation, answer).verdict != .allow)
      }
    }
    #expect(host.memory.record == nil)
  }

  // MARK: Notices

  @Test("a confirmation of notices never allows, and confirms only what was shown")
  func notices() throws {
    try host.enroll()
    let pixel = try host.memory.enroll(
      "Pixel", secret: [UInt8](repeating: 5, count: 20), for: account)
    host.memory.record?.note(
      .enrolled, Self.bytes("Pixel"), about: .factor(pixel.id),
      from: Source(Self.bytes("mfa-enroll")),
      at: host.time - 900)
    let step = send(Attack(continuation: try ask(), answer: try host.code()))
    #expect(step.verdict == .allow)
    let confirm = try #require(step.reply.effects.first { $0.kind == .confirm })
    let before = host.memory.attempts
    func confirms(_ change: (inout Attack) -> Void = { _ in }) -> Bool {
      var attack = Attack(continuation: confirm.continuation, answer: "yes")
      change(&attack)
      let verdict = send(attack).verdict
      #expect(verdict == .deny || verdict == nil)
      defer { host.memory.attempts = before }
      return host.memory.attempts != before
    }
    #expect(confirms())
    #expect(!confirms { $0.answer = "no" })
    #expect(!confirms { $0.service = "login" })
    #expect(
      !confirms {
        $0.identity = ProcessIdentity(user: 1000, actsAsRoot: false, isConfined: false)
      })
    host.time += 3601
    #expect(!confirms())
    host.time -= 3601
    // Another notice has been added meanwhile.
    let record = host.memory.record
    host.memory.record?.beginGeneration()
    #expect(!confirms())
    host.memory.record = record
    #expect(confirms())
  }
}
