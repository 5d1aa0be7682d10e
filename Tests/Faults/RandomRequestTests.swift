import Glibc
import MFATestSupport
import Testing

extension Faults {
  /// Random requests of three users to the installed programs, compared with `AccountModel`, while
  /// processes are killed and stopped and the applications' clock jumps.
  ///
  /// The test verifies that a code is accepted once; that an attempt is counted before it is
  /// compared, even if its process is killed; that no code is verified while the user is throttled;
  /// that revoked factors stay revoked; and that a session ends with any change that it did not
  /// make.
  @Suite struct RandomRequests {
    @Test("after any mixture of requests, the accounts match the model", arguments: 1...12)
    func followTheRules(seed: UInt64) throws {
      try machine.takeAuditLogAway()
      let limits = """
        [project]
        throttle_after = \(AccountModel.freeFailures)
        throttle_first_wait = \(AccountModel.firstWait)s
        throttle_longest_wait = \(AccountModel.longestWait)s
        disable_after = \(AccountModel.mostFailures)

        """
      try machine.writeConfiguration(limits)
      let play = try RandomPlay(machine, seed: seed)
      for _ in 0..<150 { try play.step() }
      try play.end()
      // Accounts of other tests disappeared without an entry, so only the log itself is verified
      // here.
      let auditLog = try Command.run(["/usr/sbin/mfa-admin", "audit-log", "verify", "--json"])
      #expect(auditLog.text.contains("\"fault\": null"), "seed \(seed): \(auditLog.text)")
    }
  }
}

/// A model of the rules for one account, written independently of the product's code: which answers
/// are correct at a time, and the state after an answer.
struct AccountModel {
  /// The limits in the configuration of the test.
  static let freeFailures = 5
  static let firstWait = 30
  static let longestWait = 900
  static let mostFailures = 30
  /// The number of failures that the user's own programs may add to those of sign-ins.
  static let mostOwnFailures = mostFailures / 5

  /// The number of steps around the current one whose codes are accepted.
  static let adjacentSteps = 5

  /// The answer that is typed.
  enum Typed {
    /// A code of the current factor.
    case code(step: Int)
    /// A valid bypass code.
    case bypass
    /// A code that never was, or no longer is, a code of the current factor.
    case wrong
    /// An answer in the format of a bypass code when no bypass code is left.
    case usedBypass
  }

  /// Whether codes are verified.
  enum Standing: Equatable {
    case open, throttled, locked
    /// The result depends on the exact second.
    case unknown
  }

  /// The result of a sign-in.
  enum Result: Equatable {
    case accepted, denied
    /// Denied before any prompt.
    case refused
    /// The process was killed before it reported a result.
    case unreported
  }

  /// The last accepted step.
  var watermark: Int
  /// The consecutive failed sign-ins.
  var failures = 0
  /// The time of the last failure, in seconds since the epoch.
  var lastFailure = 0
  /// The consecutive failures of the user's own programs.
  var ownFailures = 0
  /// The number of changes of the record. Answers before a change are compared again after it.
  var generation = 0

  /// An answer that was counted as wrong or was accepted.
  struct Answer {
    let text: String
    let generation: Int
    let time: Int
    /// How often it was wrong; 0 if it was accepted.
    let rejections: Int
    /// Whether the product has certainly recorded it: a process that was killed may have counted the
    /// attempt and not recorded the answer.
    var isCertain = true
  }

  /// The last eight answers, oldest first.
  var answers: [Answer] = []

  /// Returns whether an answer is refused without being compared and counted, or nil if that depends on
  /// the exact second.
  func refuses(_ text: String, at time: Int) -> Bool? {
    var isUncertain = false
    for answer in answers where answer.text == text {
      guard answer.isCertain else {
        isUncertain = true
        continue
      }
      let age = max(time - answer.time, 0)
      if answer.rejections == 0 {
        if abs(age - (2 * Self.adjacentSteps + 1) * 30) <= 3 { isUncertain = true }
        if age < (2 * Self.adjacentSteps + 1) * 30 - 3 { return true }
        continue
      }
      guard answer.generation == generation else { continue }
      if answer.rejections == 1 {
        if time < answer.time - 3 { return true }
        if time / 30 != (time + 3) / 30 || time / 30 != (time - 3) / 30
          || answer.time / 30 != (answer.time + 3) / 30
        {
          isUncertain = true
        } else if time / 30 == answer.time / 30 {
          return true
        }
        continue
      }
      let length = 30 << min(answer.rejections - 1, 16)
      if abs(age - length) <= 3 { isUncertain = true } else if age < length { return true }
    }
    return isUncertain ? nil : false
  }

  private mutating func remember(_ answer: Answer) {
    answers.removeAll { $0.text == answer.text && $0.generation == answer.generation }
    if answers.count >= 8 { answers.removeFirst() }
    answers.append(answer)
  }

  /// Records a wrong answer that was counted.
  mutating func reject(_ text: String, at time: Int, isCertain: Bool = true) {
    let earlier = answers.first { $0.text == text && $0.generation == generation }
    remember(
      Answer(
        text: text, generation: generation, time: time,
        rejections: (earlier?.rejections ?? 0) + 1,
        isCertain: isCertain && earlier?.isCertain != false))
  }

  /// Records a code that was accepted.
  mutating func accept(_ text: String, at time: Int) {
    answers.removeAll { $0.text == text }
    remember(Answer(text: text, generation: generation, time: time, rejections: 0))
  }

  /// Returns how long no code is verified after this number of consecutive failures, in seconds.
  static func wait(after failures: Int) -> Int {
    guard failures >= freeFailures else { return 0 }
    return min(firstWait << min(failures - freeFailures, 10), longestWait)
  }

  /// Returns whether codes are verified in a sign-in that begins at `time`.
  func standing(at time: Int) -> Standing {
    guard failures + ownFailures < Self.mostFailures else { return .locked }
    let wait = Self.wait(after: failures)
    let elapsed = time - lastFailure
    if wait == 0 { return .open }
    if elapsed < 0 { return abs(elapsed) <= 3 ? .unknown : .throttled }
    if abs(elapsed - wait) <= 3 { return .unknown }
    return elapsed > wait ? .open : .throttled
  }

  /// Returns whether the current factor's code of a step is accepted at `time`, or nil if that
  /// depends on the exact second.
  func accepts(step: Int, at time: Int) -> Bool? {
    guard step > watermark else { return false }
    let distance = abs(step - time / 30)
    return distance == Self.adjacentSteps || distance == Self.adjacentSteps + 1
      ? nil : distance < Self.adjacentSteps
  }

  /// Returns whether the current factor's code of a step is right at `time`, but neither accepted nor counted: a
  /// later step was accepted when the clock was ahead, and no code of the device is accepted yet. nil if that
  /// depends on the exact second.
  func isEarly(step: Int, at time: Int) -> Bool? {
    guard step < watermark, time / 30 <= watermark else { return false }
    let distance = abs(step - time / 30)
    if distance > Self.adjacentSteps + 1 { return false }
    return distance >= Self.adjacentSteps || (time + 3) / 30 >= watermark ? nil : true
  }

  /// Returns the possible results of a sign-in at `time`.
  func results(of typed: Typed, _ text: String, at time: Int) -> [Result] {
    var looked: [Result] =
      switch typed {
      case .code(let step):
        accepts(step: step, at: time).map { $0 ? [.accepted] : [.denied] } ?? [.accepted, .denied]
      case .bypass: [.accepted]
      case .wrong, .usedBypass: [.denied]
      }
    switch refuses(text, at: time) {
    case true: looked = [.denied]
    case nil: looked.append(.denied)
    case _: break
    }
    switch standing(at: time) {
    case .open: return looked
    case .throttled, .locked: return [.refused]
    case .unknown: return looked + [.refused]
    }
  }

  /// Counts the attempt, as the product does before any comparison.
  mutating func count(at time: Int) {
    failures += 1
    lastFailure = max(lastFailure, time)
  }

  /// Resets all failure counts, as after a correct code.
  mutating func forgive() {
    failures = 0
    lastFailure = 0
    ownFailures = 0
  }

  /// Applies the result of a sign-in.
  mutating func take(_ result: Result, of typed: Typed, _ text: String, at time: Int) {
    switch (result, typed) {
    case (.accepted, .code(let step)):
      watermark = step
      forgive()
      accept(text, at: time)
    case (.accepted, .bypass): generation += 1
    // The answer cannot be a code, so it is not compared or counted.
    case (.denied, .usedBypass): break
    case (.denied, _):
      guard refuses(text, at: time) != true else { break }
      if case .code(let step) = typed, isEarly(step: step, at: time) == true { break }
      count(at: time)
      reject(text, at: time)
    case (.accepted, _), (.refused, _), (.unreported, _): break
    }
  }

  /// Returns the possible states after a process was killed during a sign-in.
  func afterKill(of typed: Typed, _ text: String, at time: Int) -> [AccountModel] {
    var states = [self]
    guard refuses(text, at: time) != true else { return states }
    guard standing(at: time) == .open || standing(at: time) == .unknown else { return states }
    var counted = self
    counted.count(at: time)
    counted.reject(text, at: time, isCertain: false)
    states.append(counted)
    if case .code(let step) = typed, accepts(step: step, at: time) != false {
      var accepted = self
      accepted.take(.accepted, of: typed, text, at: time)
      states.append(accepted)
    }
    return states
  }
}
