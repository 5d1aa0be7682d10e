import MFAAdmin
import MFAModel
import MFAPAMStack

/// What lets a user into a service without a code although policy asks for one: lines that leave out pam_mfa.so
/// or do not need what it decides, and programs that run no `auth` line.
///
/// Everything that says so speaks from this value: `explain`, `readiness` and the effect of a change of policy
/// through `Explanation`, which takes the findings of `doctor` about the same lines.
///
/// MUST 1: a user is called exempt from a denial only if nothing unknown decides it.
/// (`EndToEnd.Insight.signInReadiness`, `ExplanationTests`)
struct StackExemption {
  /// Findings about lines that let users in without a code.
  private static let bypasses = ["auth-skippable", "auth-denial-ignored", "auth-result-reset"]

  /// Why no `auth` line of the module counts for the user, or nil if one does.
  private let absence: String?
  /// Whether the program of the service runs no `auth` line.
  private let runsNoAuthLine: Bool
  /// The line because of which a denial of the module does not count, or nil.
  private let indifference: String?
  /// The line because of which an answer does not count on some way, or nil.
  private let bypass: String?
  /// Whether the answer counts on no way.
  private let isOnEveryWay: Bool
  /// Whether the user is asked for a code although no answer counts.
  private let isAsked: Bool
  /// The user, without a code.
  private let claimant: Claimant

  /// Examines the lines of a service for a user who has everything, as `all` says. `findings` are those about
  /// the service; `settings` are those of sshd for the user. Nil if every way needs a code.
  init?(
    from service: ServiceWithModule, _ stacks: ServiceStacks, _ findings: [Finding],
    _ settings: SSHDSettings?, _ all: Claimant, isRoot: Bool
  ) {
    var claimant = all
    claimant.authenticators = [.password, .other, .key]
    self.claimant = claimant
    runsNoAuthLine = PAMCaller.asksNothing(at: service.name, isRoot: isRoot)
    let effect = stacks.authEffect(for: claimant).flatMap { $0.canSucceed ? $0 : nil }
    if PAMCaller.asksNothing(at: service.name, isRoot: false) {
      absence = "the program of this service runs no auth line"
    } else if runsNoAuthLine {
      absence = "the program of this service runs no auth line for root"
    } else if let effect, !effect.callsModule {
      absence = "the lines of the service leave out pam_mfa.so for the user"
    } else {
      absence = nil
    }
    indifference = effect.flatMap { effect in
      (effect.skipping + effect.ignoring).first { effect.isCertain($0) }.map {
        VisibleText.escaping(effect.entries[$0.index].position.text)
      }
    }
    bypass = findings.first { Self.bypasses.contains($0.code) }?.place
    let withPassword = bypass.map { _ in service.effect(for: Claimant([.password])) }
    isAsked = withPassword?.callsModule ?? true
    isOnEveryWay =
      withPassword.map { effect in
        settings.map { service.ways($0).allSatisfy { !$0.asksForCode } } ?? effect.canSucceed
      } ?? false
    guard absence != nil || indifference != nil || bypass != nil else { return nil }
  }

  /// Returns the decision of the `account` lines alone, if what the module decides in its `auth` line does not
  /// matter. Nil if it does. `policy` is what the module would decide, and `obstacle` is why.
  func decision(
    instead policy: Decision, _ obstacle: Readiness.Obstacle?, _ state: Configuration.State,
    _ stacks: ServiceStacks
  ) -> Decision? {
    let isRefused = policy.kind == .denied || policy.kind == .throttled
    guard runsNoAuthLine || policy.kind != .allowed else { return nil }
    let reason: String
    if let absence {
      reason = absence
    } else if isRefused, let indifference {
      reason = "the stack does not need what pam_mfa.so decides: \(indifference)"
    } else {
      return nil
    }
    var claimant = claimant
    switch obstacle {
    case .throttled, .locked: claimant.enrollment = .enrolled
    // The `account` line enrols a user only after the `auth` line.
    case .notEnrolled, .offerOver, .unusable, .denied: claimant.enrollment = .required
    case nil:
      claimant.enrollment =
        policy.kind == .denied ? .required : policy.kind == .allowed ? .notRequired : .enrolled
    }
    if runsNoAuthLine, state == .observe { claimant.enrollment = .notRequired }
    guard let denial = stacks.accountDenial(of: claimant) else {
      return policy.kind == .allowed ? policy : Decision(.allowed, reason)
    }
    guard !runsNoAuthLine else {
      guard policy.kind == .hasToEnroll else { return Decision(.denied, denial.reason) }
      return Decision(
        .denied,
        "\(policy.reason); the program of this service cannot ask for it (reason=no-conversation)",
        by: policy.rules)
    }
    guard policy.kind == .hasToEnroll else { return nil }
    return Decision(.denied, "\(reason), but the account lines require a factor: \(denial.place)")
  }

  /// Returns the decision about a user whom the module asks for a code, if the answer need not count.
  func qualified(_ policy: Decision) -> Decision? {
    guard policy.kind == .asked, let bypass else { return nil }
    guard isOnEveryWay else {
      return Decision(
        .asked, "\(policy.reason), but not on every way: \(bypass)", by: policy.rules)
    }
    return Decision(
      .allowed,
      isAsked
        ? "a code is asked for, and any answer is accepted: \(bypass)"
        : "the password is enough: \(bypass)", by: policy.rules)
  }
}

extension StackEffect {
  /// Returns whether a step is taken whenever its way is: what its line returns is known.
  fileprivate func isCertain(_ step: Step) -> Bool {
    switch ModuleKind(entries[step.index]) {
    case .code, .password, .caller, .denial, .permission, .preparation: true
    case .condition, .otherAuthenticator, .unknown: false
    }
  }
}
