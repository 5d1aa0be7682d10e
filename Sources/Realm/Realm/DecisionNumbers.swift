/// What a decision service has counted since it was started.
///
/// Both lists may be shorter or longer than those of this version, if the other program has another version.
package struct DecisionNumbers: Equatable, Sendable {
  /// The counters, in the order of `DecisionCounter`.
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
    counters.indices.contains(counter.index) ? counters[counter.index] : 0
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

/// What the decision service counts. The place of a case is the index of the number in an encoded reply: new cases are
/// added at the end, and none is removed or moved. A raw value is the label with which the counter is exported.
package enum DecisionCounter: String, CaseIterable, Sendable {
  // How requests ended: with a verdict;
  case denied = "end=deny"
  case allowed = "end=allow"
  case passed = "end=pass"
  case tooManyAttempts = "end=too-many-attempts"
  case endedSignIn = "end=end-sign-in"
  // with a question to the user; as a session; as a user's management of factors; refused.
  case asked = "end=question"
  case session = "end=session"
  case managed = "end=managed"
  case hostRefused = "end=host-refused"
  case notPermitted = "end=not-permitted"
  case busy = "end=busy"
  case malformed = "end=malformed"
  case failed = "end=failed"
  // The results of sign-ins.
  case accepted = "result=accepted"
  case recoveryCode = "result=recovery-code"
  case bypassCode = "result=bypass-code"
  case remembered = "result=remembered"
  case programPassword = "result=program-password"
  case enrolled = "result=enrolled"
  case notEnrolled = "result=not-enrolled"
  case enrollmentPending = "result=enrollment-pending"
  case wrong = "result=wrong"
  case replayed = "result=replayed"
  case throttled = "result=throttled"
  case locked = "result=locked"
  case notACode = "result=not-a-code"
  case unknownUser = "result=unknown-user"
  case enrollmentRequired = "result=enrollment-required"
  case hostBudget = "result=host-budget"
  case error = "result=error"
  // What the database did not do, with the names of `EngineError`.
  case conflict = "error=conflict"
  case budgetUsedUp = "error=host-budget"
  case abandoned = "error=abandoned"
  case unreachable = "error=unreachable"
  case deadline = "error=deadline"
  case notPrimary = "error=not-primary"
  case notice = "error=notice"
  case refused = "error=refused"
  // Hosts.
  case joined = "event=joined"
  case renewed = "event=renewed"
  case wrongTicket = "event=wrong-ticket"
  case renewalRefused = "event=renewal-refused"
  // The clock of the verifier, compared with the database's.
  case clockAhead = "effect=limited"
  case clockTooFarAhead = "effect=denied"
  // A result of sign-ins.
  case codeRequired = "result=code-required"

  /// The index of the number in an encoded reply.
  package var index: Int { Self.allCases.firstIndex(of: self) ?? Self.allCases.count }

  /// The key and the value of the label with which the counter is exported.
  package var label: (key: String, value: String) {
    let parts = rawValue.split(separator: "=").map(String.init)
    return (parts[0], parts[1])
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
