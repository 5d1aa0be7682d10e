import ArgumentParser
import MFAAdmin
import MFADoctor
import MFAModel
import MFAServices

/// `mfa-admin try-sign-in`, which `enable` runs in a process of its own: signs test accounts in
/// through the files that `enable` would write, where no other process sees them.
struct TrySignInCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: TrialProgram.command,
    abstract: "Try sign-ins of test accounts, for mfa-admin enable.", shouldDisplay: false)

  @OptionGroup var asking: ConversationOptions
  @OptionGroup var secureShell: SecureShellOptions

  @Option(help: "Predict sign-ins of this user, and try none.")
  var forecast: [String] = []

  @Argument(help: "The services.")
  var services: [String]

  func run() throws {
    try ThisHost.requireRoot()
    var plans: [ServicePlan] = []
    for service in services {
      plans.append(
        try ServicePlan(try ServicePlan.service(service), secureShell.value, asking.value))
    }
    guard forecast.isEmpty else { return try write(forecasts(of: plans)) }
    let namespace: TrialNamespace
    do throws(AdminError) { namespace = try TrialNamespace() } catch {
      for plan in plans { try write(.untried(error.sentence), plan) }
      return
    }
    let trial = Trial(in: namespace, expecting: Self.expectation)
    for plan in plans {
      if let complaint = checkSecureShell(plan, namespace) {
        try write(.failed(complaint), plan)
        continue
      }
      let first =
        ServicePlan.concernsSecureShell(plan.service) ? secureShell.value.first : .password
      try write(
        trial.result(
          of: Trial.Plan(
            service: plan.service, files: plan.replacedFiles, needsPassword: first != .key,
            acceptsKey: first == .keyOrPassword, verifiesPasswords: plan.deniesEnrolled)), plan)
    }
  }

  /// Predicts sign-ins with the new files. A prediction that is not possible has no line.
  private func forecasts(of plans: [ServicePlan]) throws(AdminError) -> [String] {
    let users = forecast.compactMap { UserName(Array($0.utf8)) }
    // A user who cannot sign in now is not locked out by the change.
    let present = HostRules(of: DoctorCommand.host)
    let concerned = plans.map { plan in users.filter { failure(of: $0, plan, present) == nil } }
    let mounts = try PrivateMounts()
    try mounts.openWorkspace()
    for plan in plans { try mounts.show(plan) }
    let planned = HostRules(of: DoctorCommand.host)
    return zip(plans, concerned).flatMap { plan, users in
      users.compactMap { user in
        failure(of: user, plan, planned).map {
          "\(plan.name): a sign-in of \(VisibleText(user)) would fail: \($0)"
        }
      }
    }
  }

  /// Returns why a sign-in would fail, or nil.
  private func failure(of user: UserName, _ plan: ServicePlan, _ rules: HostRules) -> String? {
    let decision = Explanation.onThisHost(
      Explanation.Question(user, at: plan.service), rules: rules
    ).decision
    switch decision.kind {
    case .asked, .allowed, .hasToEnroll: return nil
    case .denied, .throttled, .unknown: return decision.sentence
    }
  }

  private func write(_ lines: [String]) throws {
    for line in lines { try Console.write(line + "\n") }
  }

  private func write(_ result: TrialResult, _ plan: ServicePlan) throws {
    try Console.write(result.line(of: plan.name))
  }

  /// Lets sshd check its files together with the new drop-in. Returns the reason why it would not
  /// ask for a password and a code, or nil.
  private func checkSecureShell(
    _ plan: ServicePlan, _ namespace: TrialNamespace
  ) -> String? {
    guard ServicePlan.concernsSecureShell(plan.service) else { return nil }
    do throws(AdminError) {
      for file in plan.files where file.path == SecureShellDropIn.path {
        try namespace.mounts.show(file.new, in: SecureShellDropIn.folder, as: file.path)
      }
      _ = try SecureShellServer.check(expecting: secureShell.value.first)
      return nil
    } catch .unusableFile(let place, let reason) {
      return "\(VisibleText.escaping(place)): \(reason)"
    } catch {
      return "\(error.message) (\(error.hint))"
    }
  }

  /// Predicts a sign-in of a test account with the files that are in place for this process.
  private static func expectation(_ user: [UInt8], _ service: [UInt8]) -> Trial.Expectation {
    guard let name = UserName(user) else { return .denied("denied: the name is not valid") }
    let address = TrialNamespace.remoteHost(at: service).map { Array($0.utf8) }
    // The trial carries out the stack. sshd's settings are checked apart.
    var question = Explanation.Question(name, at: service, from: address)
    question.isTrial = true
    let explanation = Explanation.onThisHost(
      question, rules: HostRules(of: DoctorCommand.host, countsSecureShell: false))
    let decision = explanation.decision
    return switch decision.kind {
    case .asked: explanation.state == .observe ? .observed : .asked
    case .allowed: .allowed(decision.sentence)
    case .hasToEnroll, .denied, .throttled, .unknown: .denied(decision.sentence)
    }
  }
}
