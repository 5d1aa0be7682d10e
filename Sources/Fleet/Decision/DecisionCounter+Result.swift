import MFACMFA
import MFAFleetProtocol
import MFASignIn

extension DecisionCounter {
  /// The counter of a verdict.
  init(_ verdict: Verdict) {
    self =
      switch verdict {
      case .deny: .denied
      case .allow: .allowed
      case .pass: .passed
      case .tooManyAttempts: .tooManyAttempts
      case .endSignIn: .endedSignIn
      case .tryAgain: .triedAgain
      case .askAgain: .askedAgain
      }
  }

  /// The counter of the result that the text of a log line tells (pam_mfa(8)), or nil if it tells none.
  init?(_ line: [UInt8]) {
    let words = line.split(separator: UInt8(ascii: " "))
    guard let first = words.first, let result = Self.value(of: "result", in: first) else {
      return nil
    }
    switch result {
    case "accepted": self = .accepted
    case "recovery-code": self = .recoveryCode
    case "bypass-code": self = .bypassCode
    case "remembered": self = .remembered
    case "enrolled": self = .enrolled
    case "not-enrolled": self = .notEnrolled
    case "enrollment-pending": self = .enrollmentPending
    case "wrong": self = .wrong
    case "replayed": self = .replayed
    case "throttled": self = .throttled
    case "locked": self = .locked
    case "not-a-code": self = .notACode
    case "unknown-user": self = .unknownUser
    case "enrollment-required": self = .enrollmentRequired
    case "error":
      let isBudget = words.contains { Self.value(of: "reason", in: $0) == "host-budget" }
      self = isBudget ? .hostBudget : .error
    default: return nil
    }
  }

  private static func value(of key: String, in word: ArraySlice<UInt8>) -> String? {
    let parts = word.split(separator: UInt8(ascii: "="), maxSplits: 1)
    guard parts.count == 2, parts[0].elementsEqual(key.utf8) else { return nil }
    return String(decoding: parts[1], as: UTF8.self)
  }
}
