import MFAAttempt
import MFABase
import MFACMFA
import MFARealm
import MFASignIn
import MFAStore

/// The numbers that all processes of a decision service count together, in memory that they share.
///
/// MUST 1: a number does not fall when its lower half overflows. (`DecisionCountersTests.carries`)
struct DecisionCounters {
  /// Two halves for each number, the lower one first.
  private let halves: SharedNumbers

  /// The index of the first number of distributions.
  private static var timings: Int { DecisionCounter.allCases.count }
  private static var count: Int {
    timings &+ DecisionTiming.allCases.count &* DecisionTiming.width
  }

  /// Creates the memory. Returns nil if there is none.
  init?() {
    guard let halves = SharedNumbers(count: Self.count &* 2) else { return nil }
    self.halves = halves
  }

  /// Adds 1 to a counter.
  func add(_ counter: DecisionCounter) { add(1, at: counter.index) }

  /// Adds the time of a call, in microseconds.
  func add(_ timing: DecisionTiming, microseconds: UInt64) {
    let start = Self.timings &+ Int(timing.rawValue) &* DecisionTiming.width
    let bounds = DecisionTiming.bounds
    add(1, at: start &+ (bounds.firstIndex { microseconds <= $0 } ?? bounds.count))
    add(UInt32(clamping: microseconds), at: start &+ DecisionTiming.width &- 1)
  }

  private func add(_ number: UInt32, at index: Int) {
    let sum = halves.add(Int32(bitPattern: number), at: index &* 2)
    if sum < number { halves.add(1, at: index &* 2 &+ 1) }
  }

  private func number(at index: Int) -> UInt64 {
    while true {
      let upper = halves[index &* 2 &+ 1]
      let lower = halves[index &* 2]
      // Another process may have carried in between.
      if halves[index &* 2 &+ 1] == upper { return UInt64(upper) << 32 | UInt64(lower) }
    }
  }

  /// The present numbers.
  var numbers: DecisionNumbers {
    DecisionNumbers(
      counters: (0..<Self.timings).map { number(at: $0) },
      timings: (Self.timings..<Self.count).map { number(at: $0) })
  }
}

extension DecisionCounter {
  /// The counter of a verdict.
  init(_ verdict: Verdict) {
    self =
      switch verdict {
      case .deny, .notPermitted: .denied
      case .allow: .allowed
      case .pass: .passed
      case .tooManyAttempts: .tooManyAttempts
      case .endSignIn: .endedSignIn
      }
  }

  /// The counter of a result, or nil if the result is not logged either.
  init?(_ result: SignInResult) {
    switch result {
    case .allowed(let reason): self.init(reason)
    case .passed(.notEnrolled), .passed(.offered): self = .notEnrolled
    case .passed(.enrollmentPending): self = .enrollmentPending
    case .passed(.switchedOff), .passed(.leftToNextLines): return nil
    case .denied(.code(let rejected)): self.init(rejected)
    case .denied(.programPassword): self = .wrong
    case .denied(.unknownUser): self = .unknownUser
    case .denied(.enrollmentRequired): self = .enrollmentRequired
    case .denied(.codeRequired): self = .codeRequired
    case .denied(.failed(.store(.engine(.budgetUsedUp)))): self = .hostBudget
    case .denied(.failed): self = .error
    }
  }

  private init?(_ reason: SignInResult.AllowedReason) {
    switch reason {
    case .code(.factor): self = .accepted
    case .code(.recoveryCode): self = .recoveryCode
    case .code(.bypassCode): self = .bypassCode
    case .remembered: self = .remembered
    case .programPassword: self = .programPassword
    case .enrolledNow: self = .enrolled
    // A verifier has no break-glass code.
    case .enrolled, .breakGlass: return nil
    }
  }

  private init(_ rejected: Attempt.Rejected) {
    switch rejected {
    case .wrong, .ofAnotherTime, .lockedNow(nil), .repeated(.rejected): self = .wrong
    case .replayed, .lockedNow, .notYet, .typeNotAllowed, .repeated(.used): self = .replayed
    case .throttled: self = .throttled
    case .locked: self = .locked
    case .notACode: self = .notACode
    case .notEnrolled: self = .error
    }
  }
}

extension SignInResult {
  /// Whether the sign-in moves the factors of a renamed user to the present name: the user proved to
  /// have a factor or a recovery code that was enrolled under the name before.
  var movesFactors: Bool {
    switch self {
    case .allowed(.code(.factor)), .allowed(.code(.recoveryCode)): true
    case .allowed, .passed, .denied: false
    }
  }
}
