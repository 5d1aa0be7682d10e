import Foundation
import Glibc
import MFATestSupport
import Testing

/// Three accounts, and random requests to them.
final class RandomPlay {
  private struct Person {
    let user: MachineUser
    var phone: Enrollment
    var model: AccountModel
    /// The revoked factors.
    var retired: [Authenticator] = []
    /// A session for changes, and whether a different process has changed something since it began.
    var session: HelperSession?
    var isSessionOver = false
  }

  private let machine: Machine
  private let helper: WrappedHelper
  private let service: String
  private let seed: UInt64
  private var generator: SeededGenerator
  private var people: [Person] = []
  /// The number of seconds that the applications' clock is ahead.
  private var clockOffset = 0
  private var number = 0
  /// The current request, for messages.
  private var request = ""
  private var names = 0
  /// How often each result occurred, by kind of request: a run without a result proves nothing
  /// about it.
  private var seen: [String: Int] = [:]

  init(_ machine: Machine, seed: UInt64) throws {
    self.machine = machine
    helper = try WrappedHelper(on: machine)
    self.seed = seed
    generator = SeededGenerator(seed: seed)
    service = try machine.makeService([
      "auth required pam_mfa.so tries=1", "auth required pam_permit.so",
    ])
    for _ in 0..<3 {
      let user = try machine.addUser()
      people.append(
        Person(user: user, phone: try machine.enroll(user), model: AccountModel(watermark: 0)))
      try enrolled(people.count - 1)
      try rename(people.count - 1)
    }
  }

  private func random(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }

  private func now() -> Int { Int(Date().timeIntervalSince1970) + clockOffset }

  private func title(_ text: String) -> String {
    "seed \(seed), request \(number), \(request), clock \(clockOffset): \(text)"
  }

  private func saw(_ what: String) { seen[what, default: 0] += 1 }

  private func begin(_ what: String, _ index: Int) {
    request += (request.isEmpty ? "" : ", ") + "\(what) of \(people[index].user.name)"
  }

  // MARK: Requests

  /// Makes one random request.
  func step() throws {
    number += 1
    request = ""
    // Most requests concern the first user, because a few consecutive failures cause no wait.
    let index = max(random(-2..<people.count), 0)
    switch random(0..<20) {
    case 0..<6: try signIn(index)
    case 6..<9: try killedSignIn(index)
    case 9..<11: try parallelSignIns(index)
    case 11: try stoppedSignIn(index)
    case 12..<15: jump()
    case 15: try test(index)
    case 16: try unlock(index)
    case 17: try rename(index)
    case 18: try bypass(index)
    default: try enrollAnew(index)
    }
    try compare()
  }

  /// Ends the sessions, and expects that the run has covered all results.
  func end() throws {
    for index in people.indices { people[index].session = nil }
    clockOffset = 0
    try unlock(0)
    for _ in 0...AccountModel.freeFailures {
      let time = now()
      let text = try wrong(0, time)
      let outcome = try typing(text, 0)
      try follow(0, .wrong, text, at: time, outcome, "a wrong code in a row")
    }
    try compare()
    for what in [
      "accepted", "denied", "refused", "killed", "one of several", "stopped", "session over",
      "session used", "repeated",
    ] {
      #expect(seen[what, default: 0] > 0, "seed \(seed): never \(what) in \(seen)")
    }
  }

  /// Compares the store with the models.
  private func compare() throws {
    for person in people {
      let files = StoreFiles(of: person.user.name)
      let found = (failures: try files.failures(), steps: try files.acceptedSteps())
      guard found == (person.model.failures, [person.model.watermark]) else {
        throw HarnessFailure("\(title(person.user.name)): \(found), not \(person.model)")
      }
    }
  }

  /// Changes the clock by minutes or by days.
  private func jump() {
    let reach = random(0..<8) == 0 ? 200_000 : 400
    clockOffset += random(-reach / 4..<reach)
    if random(0..<6) == 0 { clockOffset = 0 }
  }

  /// Returns a random answer at `time`, as a model value and as text.
  private func typed(_ index: Int, at time: Int) throws -> (AccountModel.Typed, String) {
    let person = people[index]
    let step = time / 30
    switch random(0..<8) {
    case 0..<3:
      let wanted = max(person.model.watermark + 1, step - 4) + random(0..<3)
      return (.code(step: wanted), try person.phone.phone.codes(fromStep: wanted, count: 1)[0])
    case 3:
      let used = person.model.watermark - random(0..<2)
      return (.code(step: used), try person.phone.phone.codes(fromStep: used, count: 1)[0])
    case 4 where !person.retired.isEmpty:
      let factor = person.retired[random(0..<person.retired.count)]
      let code = try factor.codes(fromStep: step, count: 1)[0]
      if try isRight(code, index, time) { return (.wrong, try wrong(index, time)) }
      return (.wrong, code)
    case 5 where !person.model.answers.isEmpty:
      // An answer that was typed before.
      let text = person.model.answers[random(0..<person.model.answers.count)].text
      if try !isRight(text, index, time) { return (.wrong, text) }
      return (.wrong, try wrong(index, time))
    default: return (.wrong, try wrong(index, time))
    }
  }

  /// Returns whether a code happens to be one of the current factor's near `time`.
  private func isRight(_ code: String, _ index: Int, _ time: Int) throws -> Bool {
    try people[index].phone.phone.codes(fromStep: time / 30 - 8, count: 17).contains(code)
  }

  private func wrong(_ index: Int, _ time: Int) throws -> String {
    while true {
      let digits = String(random(0..<1_000_000))
      let code = String(repeating: "0", count: 6 - digits.count) + digits
      if try !isRight(code, index, time) { return code }
    }
  }

  /// Performs a sign-in with a helper whose clock is ahead.
  private func withClock<Value>(
    _ request: Int = 0, through command: [String] = [], _ body: () throws -> Value
  ) throws -> Value {
    helper.set(ahead: clockOffset)
    return try helper.during(request, through: command, body)
  }

  private func typing(
    _ text: String, _ index: Int, _ request: Int = 0, through command: [String] = []
  ) throws -> PAMOutcome {
    try withClock(request, through: command) {
      try PAMClient.signIn(service: service, user: people[index].user.name, answers: [.text(text)])
    }
  }

  private func result(_ outcome: PAMOutcome) -> AccountModel.Result {
    guard let code = outcome.results.last?.code else { return .unreported }
    switch code {
    case "PAM_SUCCESS": return .accepted
    default: return outcome.prompts.isEmpty ? .refused : .denied
    }
  }

  /// Expects that the result of a sign-in is possible, and applies it to the model.
  private func follow(
    _ index: Int, _ typed: AccountModel.Typed, _ text: String, at time: Int, _ outcome: PAMOutcome,
    _ request: String
  ) throws {
    let result = result(outcome)
    let model = people[index].model
    let expected = model.results(of: typed, text, at: time)
    #expect(
      expected.contains(result),
      "\(title(request)): \(typed) \(text), \(model): \(expected), not \(outcome)")
    people[index].model.take(result, of: typed, text, at: time)
    var isEarly: Bool? = false
    if case .code(let step) = typed { isEarly = model.isEarly(step: step, at: time) }
    if result == .denied, model.refuses(text, at: time) == nil || isEarly == nil {
      // The answer was compared and counted, or neither.
      let failures = try StoreFiles(of: people[index].user.name).failures()
      if failures == model.failures { people[index].model = model }
    }
    if result == .denied, model.refuses(text, at: time) == true { saw("repeated") }
    if result == .denied, isEarly == true { saw("early") }
    saw("\(result)")
  }

  private func signIn(_ index: Int) throws {
    begin("signIn", index)
    let time = now()
    let (typed, text) = try typed(index, at: time)
    let outcome = try typing(text, index)
    try follow(index, typed, text, at: time, outcome, "sign-in")
  }

  /// The helper of the answer is killed at a system call, or finishes if it does not make that call.
  private func killedSignIn(_ index: Int) throws {
    begin("killedSignIn", index)
    let time = now()
    let (typed, text) = try typed(index, at: time)
    let names = ["pwrite64", "fdatasync", "flock", "pread64", "close", "write"]
    let call = SystemCall(name: names[random(0..<names.count)], number: random(1..<5))
    let list = machine.folder + "/kill"
    let outcome = try typing(
      text, index, 2, through: SystemCallTrace.inject(.kill, at: call, to: list, copies: .refused))
    let lines = machine.text(of: list)
    if lines.contains("killed by SIGKILL") {
      try followKilled(index, people[index].model.afterKill(of: typed, text, at: time), "\(call)")
    } else {
      try follow(index, typed, text, at: time, outcome, "sign-in killed at its end, \(call)")
    }
  }

  /// Applies to the model the possible state that matches the store.
  private func followKilled(_ index: Int, _ states: [AccountModel], _ request: String) throws {
    let files = StoreFiles(of: people[index].user.name)
    let failures = try files.failures()
    let steps = try files.acceptedSteps()
    let state = states.first { $0.failures == failures && [$0.watermark] == steps }
    #expect(
      state != nil, "\(title(request)): \(failures) failures, steps \(steps), not one of \(states)")
    if let state { people[index].model = state }
    saw("killed")
  }

  /// Several processes type the same code at the same moment.
  private func parallelSignIns(_ index: Int) throws {
    begin("parallelSignIns", index)
    let time = now()
    let model = people[index].model
    guard model.standing(at: time) == .open else { return }
    let step = max(model.watermark + 1, time / 30 - 3)
    guard let isFresh = model.accepts(step: step, at: time) else { return }
    let code = try people[index].phone.phone.codes(fromStep: step, count: 1)[0]
    guard model.refuses(code, at: time) == false else { return }
    let count = 3
    let results = try withClock {
      let clients = try HeldSignIns(
        service: service, user: people[index].user.name,
        answers: Array(repeating: [.text(code)], count: count), options: PAMClient.Options())
      _ = try clients.waitUntilAsked()
      clients.release()
      return try clients.outcomes().map { result($0) }
    }
    let accepted = results.count { $0 == .accepted }
    // Attempts are verified one after the other. The first is verified, and the others are the same answer
    // again, unless the time step changes meanwhile.
    #expect(accepted <= 1 && (accepted == 1) == isFresh, "\(title("\(results), step \(step)"))")
    let failures = try StoreFiles(of: people[index].user.name).failures()
    let base = isFresh ? 0 : model.failures
    #expect(
      (base...base + (isFresh ? 0 : 2)).contains(failures),
      "\(title("\(results), \(failures) failures"))")
    if isFresh {
      people[index].model.take(.accepted, of: .code(step: step), code, at: time)
      saw("one of several")
    }
    while people[index].model.failures < failures {
      people[index].model.count(at: time)
      people[index].model.reject(code, at: time)
    }
  }

  /// The helper is stopped while it holds the user's lock, others sign in, and then it is killed or
  /// continued.
  private func stoppedSignIn(_ index: Int) throws {
    begin("stoppedSignIn", index)
    let time = now()
    guard people[index].model.standing(at: time) == .open else { return }
    let (typed, text) = try typed(index, at: time)
    // An answer that is refused without being counted writes nothing, and the process would not stop.
    guard people[index].model.refuses(text, at: time) == false else { return }
    let other = (index + 1) % people.count
    let session = try withClock {
      let session = try PAMSession(service: service, user: people[index].user.name)
      if try session.question() == nil { Issue.record("\(title("nothing is asked"))") }
      return session
    }
    let list = machine.folder + "/stop"
    try Command.succeed(["/bin/rm", "-f", list])
    let stop = SystemCallTrace.inject(
      .stop, at: SystemCall(name: "pwrite64", number: 1), to: list,
      copies: .followed)
    var stopped: Int32?
    try withClock(1, through: stop) {
      session.answer(.text(text))
      let isStopped = Deadline.usual.waits {
        let lines = machine.text(of: list)
        stopped = lines.firstMatch(of: /(\d+) +--- stopped by SIGSTOP/).flatMap {
          Int32($0.output.1)
        }
        return stopped != nil
      }
      guard isStopped else { throw HarnessFailure(title("the helper does not stop")) }
    }
    let helper = try #require(stopped)
    try signIn(other)
    if random(0..<2) == 0 {
      kill(helper, SIGKILL)
      _ = try session.finish()
      try followKilled(
        index, people[index].model.afterKill(of: typed, text, at: time), "stopped, killed")
    } else {
      kill(helper, SIGCONT)
      try follow(index, typed, text, at: time, try session.finish(), "stopped")
    }
    saw("stopped")
  }

  // MARK: Changes

  private func enrolled(_ index: Int) throws {
    let steps = try StoreFiles(of: people[index].user.name).acceptedSteps()
    people[index].model = AccountModel(watermark: try #require(steps.first))
    let session = try HelperSession(as: people[index].user)
    _ = try session.greet()
    let step = people[index].phone.phone.step()
    let code = try people[index].phone.phone.code()
    let proof = try session.prove(password: people[index].user.password, code: code)
    #expect(proof?.kind == 0x84, "\(title("\(String(describing: proof))"))")
    people[index].model.watermark = try StoreFiles(of: people[index].user.name).acceptedSteps()[0]
    #expect((step...step + 1).contains(people[index].model.watermark))
    people[index].model.accept(code, at: Int(Date().timeIntervalSince1970))
    people[index].session = session
    people[index].isSessionOver = false
  }

  /// The factor is revoked, by a process that may be killed, and a different one is enrolled.
  private func enrollAnew(_ index: Int) throws {
    begin("enrollAnew", index)
    let name = people[index].user.name
    let revoke = ["/usr/sbin/mfa-admin", "revoke", "--yes", "--all", name]
    if random(0..<2) == 0 {
      let calls = ["pwrite64", "fdatasync", "fsync", "renameat", "unlinkat", "write"]
      let call = SystemCall(name: calls[random(0..<calls.count)], number: random(1..<6))
      _ = try Command.run(SystemCallTrace.inject(.kill, at: call, copies: .followed) + revoke)
      saw("revocation killed")
      // The user is enrolled or not, but never in a state that denies without an explanation.
      let shown = try Command.run(["/usr/sbin/mfa-admin", "show", name])
      #expect(
        shown.status == .exited(0) || shown.errorText.contains("not enrolled"),
        "\(title("\(call)")): \(shown)")
    }
    _ = try Command.run(revoke)
    people[index].retired.append(people[index].phone.phone)
    if let session = people[index].session { try expectOver(session, index) }
    people[index].session = nil
    people[index].phone = try machine.enroll(people[index].user)
    try enrolled(index)
  }

  private func unlock(_ index: Int) throws {
    begin("unlock", index)
    let model = people[index].model
    try machine.mustAdminister("unlock", people[index].user.name)
    if model.failures + model.ownFailures > 0 {
      people[index].isSessionOver = true
      people[index].model.generation += 1
    }
    people[index].model.forgive()
  }

  /// The user's own program sends a wrong code, without a password.
  private func test(_ index: Int) throws {
    begin("test", index)
    let session = try HelperSession(as: people[index].user)
    _ = try session.greet()
    let time = Int(Date().timeIntervalSince1970)
    let text = try wrong(index, time)
    let answer = try session.ask(0x0A, Array(text.utf8))
    try session.end()
    #expect(answer?.kind == 0x8B, "\(title("\(String(describing: answer))"))")
    let shown = try machine.mustAdminister("show", people[index].user.name, "--json").text
    let found = try #require(shown.firstMatch(of: /"wrongCodesInOwnPrograms": (\d+)/)?.output.1)
    let own = try #require(Int(found))
    let before = people[index].model.ownFailures
    #expect(
      own <= min(before + 1, AccountModel.mostOwnFailures), "\(title("\(own) after \(before)"))")
    if own > before { people[index].model.reject(text, at: time) }
    people[index].model.ownFailures = own
  }

  /// A session makes a change, unless something else was changed since it began.
  private func rename(_ index: Int) throws {
    begin("rename", index)
    guard let session = people[index].session else { return }
    guard !people[index].isSessionOver else {
      people[index].session = nil
      return try expectOver(session, index)
    }
    names += 1
    let answer = try session.ask(8, people[index].phone.identifier, Array("name \(names)".utf8))
    #expect(answer?.kind == 0x88, "\(title("\(String(describing: answer))"))")
    people[index].model.generation += 1
    saw("session used")
  }

  private func expectOver(_ session: HelperSession, _ index: Int) throws {
    let answer = try session.ask(8, people[index].phone.identifier, Array("late".utf8))
    #expect(answer == nil || answer?.kind == 0x8B, "\(title("\(String(describing: answer))"))")
    saw("session over")
  }

  /// An administrator creates a bypass code: it is accepted once, and does not reset failures.
  private func bypass(_ index: Int) throws {
    begin("bypass", index)
    let name = people[index].user.name
    let made = try machine.mustAdminister("bypass", name, "--for", "24h", "--reason", "test").text
    let pattern = /^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/.anchorsMatchLineEndings()
    let code = String(try #require(made.firstMatch(of: pattern)).output.0)
    people[index].isSessionOver = true
    people[index].model.generation += 1
    // Its validity depends on the machine's clock.
    let before = clockOffset
    clockOffset = min(max(clockOffset, 0), 3600)
    defer { clockOffset = before }
    for typed in [AccountModel.Typed.bypass, .usedBypass] {
      let time = now()
      let isLooked = people[index].model.standing(at: time) == .open
      let outcome = try typing(code, index)
      try follow(index, typed, code, at: time, outcome, "bypass code")
      guard isLooked else {
        try machine.mustAdminister("withdraw", name, "--all")
        people[index].model.generation += 1
        return
      }
    }
  }
}
