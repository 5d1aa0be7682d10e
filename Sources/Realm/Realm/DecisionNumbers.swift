/// What a decision service has counted since it was started.
///
/// Both lists may be shorter or longer than those of this version, if the other program has another version.
package struct DecisionNumbers: Equatable, Sendable {
  /// The counters, at the raw values of `DecisionCounter`.
  package var counters: [UInt64]
  /// The distributions, `DecisionTiming.width` numbers each, in the order of `DecisionTiming`.
  package var timings: [UInt64]

  /// The largest number of elements of each list in a packet.
  static var longest: Int { 1024 }

  /// Creates a value.
  package init(counters: [UInt64], timings: [UInt64]) {
    self.counters = counters
    self.timings = timings
  }

  /// Returns a counter; 0 if the service does not count it.
  package subscript(counter: DecisionCounter) -> UInt64 {
    let index = Int(counter.rawValue)
    return counters.indices.contains(index) ? counters[index] : 0
  }

  /// Returns the numbers of observations in each bucket, and the sum of all observations in microseconds.
  package func distribution(_ timing: DecisionTiming) -> (counts: [UInt64], sum: UInt64) {
    let start = Int(timing.rawValue) &* DecisionTiming.width
    let numbers = (0..<DecisionTiming.width).map { offset in
      timings.indices.contains(start &+ offset) ? timings[start &+ offset] : 0
    }
    return (Array(numbers.dropLast()), numbers.last ?? 0)
  }
}

/// What the decision service counts. A raw value is the index of the number in an encoded reply: new cases are
/// added at the end, and none is removed or moved.
package enum DecisionCounter: UInt8, CaseIterable, Sendable {
  // How requests ended: with a verdict;
  case denied, allowed, passed, tooManyAttempts, endedSignIn
  // with a question to the user; as a session; as a user's management of factors; refused.
  case asked, session, managed, hostRefused, notPermitted, busy, malformed, failed
  // The results of sign-ins.
  case accepted, recoveryCode, bypassCode, remembered, enrolled, notEnrolled, enrollmentPending
  case wrong, replayed, throttled, locked, notACode, unknownUser, enrollmentRequired, hostBudget
  case error
  // What the database did not do.
  case conflict, budgetUsedUp, abandoned, unreachable, deadline, notPrimary, notice, refused
  // Hosts.
  case joined, renewed, wrongTicket, renewalRefused
  // The clock of the verifier, compared with the database's.
  case clockAhead, clockTooFarAhead

  /// Where a counter is exported: a metric, and the value of its label.
  package enum Place: Equatable, Sendable {
    case requests(end: String)
    case results(String)
    case engineErrors(String)
    case hosts(event: String)
    case clock(effect: String)
  }

  /// Where the counter is exported.
  package var place: Place {
    switch self {
    case .denied: .requests(end: "deny")
    case .allowed: .requests(end: "allow")
    case .passed: .requests(end: "pass")
    case .tooManyAttempts: .requests(end: "too-many-attempts")
    case .endedSignIn: .requests(end: "end-sign-in")
    case .asked: .requests(end: "question")
    case .session: .requests(end: "session")
    case .managed: .requests(end: "managed")
    case .hostRefused: .requests(end: "host-refused")
    case .notPermitted: .requests(end: "not-permitted")
    case .busy: .requests(end: "busy")
    case .malformed: .requests(end: "malformed")
    case .failed: .requests(end: "failed")
    case .accepted: .results("accepted")
    case .recoveryCode: .results("recovery-code")
    case .bypassCode: .results("bypass-code")
    case .remembered: .results("remembered")
    case .enrolled: .results("enrolled")
    case .notEnrolled: .results("not-enrolled")
    case .enrollmentPending: .results("enrollment-pending")
    case .wrong: .results("wrong")
    case .replayed: .results("replayed")
    case .throttled: .results("throttled")
    case .locked: .results("locked")
    case .notACode: .results("not-a-code")
    case .unknownUser: .results("unknown-user")
    case .enrollmentRequired: .results("enrollment-required")
    case .hostBudget: .results("host-budget")
    case .error: .results("error")
    case .conflict: .engineErrors("conflict")
    case .budgetUsedUp: .engineErrors("host-budget")
    case .abandoned: .engineErrors("abandoned")
    case .unreachable: .engineErrors("unreachable")
    case .deadline: .engineErrors("deadline")
    case .notPrimary: .engineErrors("not-primary")
    case .notice: .engineErrors("notice")
    case .refused: .engineErrors("refused")
    case .joined: .hosts(event: "joined")
    case .renewed: .hosts(event: "renewed")
    case .wrongTicket: .hosts(event: "wrong-ticket")
    case .renewalRefused: .hosts(event: "renewal-refused")
    case .clockAhead: .clock(effect: "limited")
    case .clockTooFarAhead: .clock(effect: "denied")
    }
  }
}

/// The calls of the database whose time the decision service measures. A raw value is the index of the
/// distribution in an encoded reply: new cases are added at the end.
package enum DecisionTiming: UInt8, CaseIterable, Sendable {
  case load, commit

  /// The upper bounds of the buckets in microseconds, without infinity.
  package static var bounds: [UInt64] {
    [250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000]
  }

  /// The number of numbers of a distribution: the buckets, the one without an upper bound, and the sum in
  /// microseconds.
  package static var width: Int { bounds.count &+ 2 }

  /// The name of the call.
  package var name: String {
    switch self {
    case .load: "load"
    case .commit: "commit"
    }
  }
}
