import MFAPAMStack
import MFAModel

// The decision about a sign-in: the module's own, and what the rest of the host makes of it.
extension Explanation {
  /// What the programs of a service ask PAM for, by their own rules.
  struct Gate {
    /// The findings about the rules of sudo for the user.
    let sudo: [Finding]
    /// What sshd's settings mean for the user.
    let secureShell: SecureShellRules?
    /// Whether the user's account can reach a shell through sshd; nil if that is not examined.
    var access: AccountAccess?
  }

  /// Returns the decision about a sign-in for which the module would decide `policy`.
  static func decision(
    _ stacks: ServiceStacks, _ module: ModuleLine, _ gate: Gate, _ policy: Decision,
    state: Configuration.State
  ) -> Decision {
    if let decision = decision(gate, stacks) { return decision }
    switch module {
    case .unknown(let refusal):
      return denial(by: stacks, of: Claimant([.password, .code, .other]))
        ?? Decision(.unknown, "the stack cannot be evaluated: \(StackFinding.reason(refusal))")
    case .notCalled:
      return denial(by: stacks, of: Claimant([.password, .code, .other]))
        ?? Decision(.allowed, "no auth line of the service calls pam_mfa.so")
    case .called:
      if let problem = stacks.moduleProblem {
        return denial(by: stacks, of: Claimant([.password, .code, .other]))
          ?? Decision(
            .allowed, "libpam cannot load pam_mfa.so, and the stack succeeds without: \(problem)")
      }
      if gate.secureShell?.deniesUnenrolled == true, !policy.asksForCode(state) {
        return Decision(.denied, Decision.unproven)
      }
      return claimant(after: policy, state).flatMap { denial(by: stacks, of: $0) } ?? policy
    }
  }

  /// Returns the decision if the `auth` lines are not carried out for the user, or nil.
  private static func decision(_ gate: Gate, _ stacks: ServiceStacks) -> Decision? {
    let admission: String
    switch gate.secureShell?.effect {
    case .denies(let reason): return Decision(.denied, reason)
    case .bypassesPAM(let reason, ignoresPAM: true): return Decision(.allowed, reason)
    case .bypassesPAM(let reason, ignoresPAM: false): admission = reason
    case .asksPAM, nil:
      if case .closed(let reason) = gate.access { return Decision(.denied, reason) }
      let sudo = gate.sudo.first { $0.code == Doctor.sudoWithoutCode && $0.severity == .error }
      guard let sudo else { return nil }
      admission = "the rules of sudo ask for no code: \(sudo.place)"
    }
    return stacks.accountDenial.map { Decision(.denied, $0.reason) }
      ?? Decision(.allowed, admission)
  }

  /// Returns the user as the modules of the stack see them if the module decides this, or nil if the
  /// module itself denies the sign-in.
  private static func claimant(after policy: Decision, _ state: Configuration.State) -> Claimant? {
    switch policy.kind {
    case .asked where state == .observe: Claimant([.password, .other], .notRequired)
    case .asked: Claimant([.password, .code, .other])
    case .allowed: Claimant([.password, .other], .notRequired)
    case .hasToEnroll: Claimant([.password, .other], .required)
    case .denied, .throttled, .unknown: nil
    }
  }

  private static func denial(by stacks: ServiceStacks, of claimant: Claimant) -> Decision? {
    stacks.denial(of: claimant).map { Decision(.denied, $0.reason) }
  }
}
