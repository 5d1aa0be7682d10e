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
