/// Whether the verifiers of the realm answer a relay.
///
/// One verifier that answers is enough to be online. A failure makes the state uncertain, in which sign-ins are
/// denied and the verifiers are tried; only after `patience` without any answer is the relay offline. From
/// offline it is online again after `answersNeeded` answers in a row, so that a verifier that answers now and
/// then does not change the rules for each sign-in.
///
/// MUST 1: the relay is offline only if every verifier failed since the last answer, and for at least
/// `patience`. (`RelayStateTests`)
package struct RelayState: Equatable, Sendable {
  /// The state as a word.
  package enum Phase: String, CaseIterable, Sendable {
    case online, uncertain, offline
  }

  /// The state.
  package private(set) var phase: Phase
  /// When the state began, in seconds of a clock that does not go back.
  package private(set) var since: Double
  private let count: Int
  private var failed: Set<Int> = []
  private var firstFailure: Double?
  private var answers = 0

  /// How long no verifier must have answered before the relay is offline, in seconds.
  package static let patience: Double = 5
  /// How many answers in a row end the state offline.
  package static let answersNeeded = 2

  /// Begins in the state uncertain, with this number of verifiers.
  package init(verifiers: Int, at time: Double) {
    count = verifiers
    phase = .uncertain
    since = time
  }

  /// Notes that a verifier answered, in whatever way.
  package mutating func answered(_ verifier: Int, at time: Double) {
    failed.remove(verifier)
    firstFailure = nil
    answers += answers < Self.answersNeeded ? 1 : 0
    guard phase != .offline || answers >= Self.answersNeeded else { return }
    move(to: .online, at: time)
  }

  /// Notes that a verifier did not answer.
  package mutating func failed(_ verifier: Int, at time: Double) {
    failed.insert(verifier)
    guard failed.count >= count else { return }
    answers = 0
    let first = firstFailure ?? time
    firstFailure = first
    guard phase != .offline else { return }
    move(to: time - first >= Self.patience ? .offline : .uncertain, at: time)
  }

  private mutating func move(to next: Phase, at time: Double) {
    guard next != phase else { return }
    phase = next
    since = time
  }
}

/// The rule for the names of hosts in a realm.
package enum RealmHostName {
  /// The longest name in bytes.
  private static let longest = 253
  /// The longest label in bytes.
  private static let longestLabel = 63

  /// Returns whether a host can have this name: labels of lower-case letters, digits and hyphens, separated by
  /// dots. A label neither begins nor ends with a hyphen.
  package static func isValid(_ name: [UInt8]) -> Bool {
    guard (1...longest).contains(name.count) else { return false }
    let hyphen = UInt8(ascii: "-")
    return name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy {
      label in
      (1...longestLabel).contains(label.count) && label.first != hyphen && label.last != hyphen
        && label.allSatisfy { byte in
          (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == hyphen
        }
    }
  }
}
