import TestSupport

/// What the rules say of one account, written apart from the product's own code: which answers are right
/// at which time, and what an answer leaves behind.
struct AccountModel {
  /// The limits that the configuration of the test sets.
  static let freeFailures = 5
  static let firstWait = 30
  static let longestWait = 900
  static let mostFailures = 30
  /// How many failures the user's own programs may add to those of sign-ins.
  static let mostOwnFailures = mostFailures / 5

  /// The steps around the present one whose codes are right.
  static let adjacentSteps = 5

  /// What somebody types.
  enum Typed {
    /// A code of the present factor.
    case code(step: Int)
    /// A bypass code that is good.
    case bypass
    /// Something that was never a code of the present factor, or no longer is.
    case wrong
    /// What has the form of a bypass code, where there is none any more.
    case usedBypass
  }

  /// Whether a code is looked at.
  enum Standing: Equatable {
    case open, waiting, disabled
    /// It depends on what second it is.
    case unknown
  }

  /// What comes of a sign-in.
  enum Result: Equatable {
    case accepted, denied
    /// Denied before anything was asked.
    case refused
    /// The process was killed before it told.
    case untold
  }

  /// The last step that was accepted.
  var watermark: Int
  /// The consecutive failures of sign-ins.
  var failures = 0
  /// When the last one was, in seconds since the epoch.
  var lastFailure = 0
  /// The consecutive failures of the user's own programs.
  var ownFailures = 0

  /// How long nothing is looked at after so many consecutive failures, in seconds.
  static func wait(after failures: Int) -> Int {
    guard failures >= freeFailures else { return 0 }
    return min(firstWait << min(failures - freeFailures, 10), longestWait)
  }

  /// Whether a code is looked at in a sign-in that begins at `time`.
  func standing(at time: Int) -> Standing {
    guard failures + ownFailures < Self.mostFailures else { return .disabled }
    let wait = Self.wait(after: failures)
    let elapsed = time - lastFailure
    if wait == 0 { return .open }
    if elapsed < 0 { return abs(elapsed) <= 3 ? .unknown : .waiting }
    if abs(elapsed - wait) <= 3 { return .unknown }
    return elapsed > wait ? .open : .waiting
  }

  /// Whether the present factor's code of a step is accepted at `time`; nil where that depends on what
  /// second it is.
  func accepts(step: Int, at time: Int) -> Bool? {
    guard step > watermark else { return false }
    let distance = abs(step - time / 30)
    return distance == Self.adjacentSteps || distance == Self.adjacentSteps + 1
      ? nil : distance < Self.adjacentSteps
  }

  /// What may come of a sign-in at `time`.
  func results(of typed: Typed, at time: Int) -> [Result] {
    let looked: [Result] =
      switch typed {
      case .code(let step):
        accepts(step: step, at: time).map { $0 ? [.accepted] : [.denied] } ?? [.accepted, .denied]
      case .bypass: [.accepted]
      case .wrong, .usedBypass: [.denied]
      }
    switch standing(at: time) {
    case .open: return looked
    case .waiting, .disabled: return [.refused]
    case .unknown: return looked + [.refused]
    }
  }

  /// What the attempt is counted as before anything is compared.
  mutating func count(at time: Int) {
    failures += 1
    lastFailure = max(lastFailure, time)
  }

  /// Forgets all failures, as for a right code.
  mutating func forgive() {
    failures = 0
    lastFailure = 0
    ownFailures = 0
  }

  /// Takes over what came of a sign-in.
  mutating func take(_ result: Result, of typed: Typed, at time: Int) {
    switch (result, typed) {
    case (.accepted, .code(let step)):
      watermark = step
      forgive()
    // Nothing is compared with it: it cannot be a code.
    case (.denied, .usedBypass): break
    case (.denied, _): count(at: time)
    case (.accepted, _), (.refused, _), (.untold, _): break
    }
  }

  /// The states that may be there after a process was killed in the middle of a sign-in.
  func afterKill(of typed: Typed, at time: Int) -> [AccountModel] {
    var states = [self]
    guard standing(at: time) == .open || standing(at: time) == .unknown else { return states }
    var counted = self
    counted.count(at: time)
    states.append(counted)
    if case .code(let step) = typed, accepts(step: step, at: time) != false {
      var accepted = self
      accepted.take(.accepted, of: typed, at: time)
      states.append(accepted)
    }
    return states
  }
}
