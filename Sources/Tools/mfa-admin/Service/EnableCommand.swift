import MFAAdmin
import MFADoctor
import MFAServices
import MFABase
import MFAAttempt
import MFAModel
import ArgumentParser

/// `mfa-admin enable`
struct EnableCommand: ParsableCommand {
  static let configuration = command(
    "enable", "Make services ask for a code after the password.",
    """
    Adds the pam_mfa.so lines to the services' files in \(InstalledPath.services), after the \
    lines that ask for the password, and for sshd writes \(SecureShellDropIn.path). All changes \
    are rolled back unless 'mfa-admin confirm' is run in time from a new sign-in through the \
    service. A restart of the machine before the confirmation also rolls them back.

    Before anything is changed, two test accounts sign in through the new files, where no other \
    process sees them: with the right password and code, with wrong ones, and without a factor.
    """)

  @Option(
    help: ArgumentHelp(
      "How long to wait for 'mfa-admin confirm', from 1s to 24h (default: 5m).",
      valueName: "time"))
  var confirmWithin: ConfirmationTime?

  @Flag(help: "Do not wait for a confirmation. A mistake can lock out all users.")
  var noConfirm = false

  @Flag(
    help: ArgumentHelp(
      "Do not try the services with test accounts first. The configuration and the module are "
        + "checked in any case."))
  var untried = false

  @OptionGroup(title: "How the service's program asks") var asking: ConversationOptions

  @OptionGroup(title: "Options for sshd") var secureShell: SecureShellOptions

  @Flag(help: "Print what would change, and change nothing.")
  var dryRun = false

  @Argument(help: ArgumentHelp("The services: sshd, login, su, sudo, ...", valueName: "service"))
  var services: [String]

  private var time: ConfirmationTime { confirmWithin ?? .usual }

  func validate() throws {
    guard !noConfirm || confirmWithin == nil else {
      throw ValidationError("--no-confirm and --confirm-within cannot be combined")
    }
    try secureShell.validate(for: services)
  }

  func run() throws {
    try ThisHost.requireRoot()
    guard !dryRun else {
      let plans = try plans()
      for plan in plans {
        ServiceCommand.show(plan.diff)
        warn(of: plan)
        // After the change, this comes from the settings that sshd then has.
        if ServicePlan.concernsSecureShell(plan.service),
          let warning = SecureShellDropIn.warning(on: DoctorCommand.host)
        {
          Console.printError("warning: \(warning)")
        }
      }
      // Two commands must not use the folder of the journal at the same time.
      return try ChangeJournal.locking(seconds: 10) { (_) throws(AdminError) in try prove(plans) }
    }
    try ChangeJournal.locking(seconds: 10) { (journal) throws(AdminError) in
      try run(ServiceCommand.switching(journal))
    }
  }

  private func run(_ switching: ServiceSwitch) throws(AdminError) {
    let outcome = try switching.rollBackOverdueChanges()
    if let error = outcome.errors.first { throw error }
    let plans = try plans()
    guard !plans.isEmpty else { return }
    for plan in plans { warn(of: plan) }
    try prove(plans)
    let end = try switching.enable(plans, seconds: noConfirm ? nil : time.seconds)
    for plan in plans { report(of: plan) }
    if let end { tellWhatToDo(plans, end) }
  }

  /// Proves that the services would ask for a code and accept a right one.
  private func prove(_ plans: [ServicePlan]) throws(AdminError) {
    _ = try ThisHost.policy()
    if let problem = DoctorCommand.host.loadProblem(Array("pam_mfa.so".utf8)) {
      throw .module(problem)
    }
    guard !untried else { return }
    for (plan, result) in zip(plans, TrialProgram.results(of: plans, told: asking.value)) {
      switch result {
      case .proven(let remark):
        if let remark { Console.printError("note: \(plan.name): \(remark)") }
      case .failed(let reason): throw .trial(service: plan.name, reason: reason)
      case .untried(let reason):
        guard !noConfirm || dryRun else {
          throw .untried(service: plan.name, reason: reason)
        }
        Console.printError("warning: \(plan.name): a trial sign-in was not possible: \(reason)")
      }
    }
  }

  /// Returns the plans for the services that do not ask for a code yet.
  private func plans() throws(AdminError) -> [ServicePlan] {
    var plans: [ServicePlan] = []
    for text in services {
      let service = try ServicePlan.service(text)
      // A service of the same family is changed with the first one.
      guard
        !plans.contains(where: { ServicePlan.family(of: $0.service).contains(service) })
      else { continue }
      let plan = try ServicePlan(service, secureShell.value, asking.value)
      if let present = plan.present {
        let wanted = secureShell.value
        if ServicePlan.concernsSecureShell(service), wanted != .usual,
          wanted != SecureShellFactors.present
        {
          throw .enabledOtherwise
        }
        let place = VisibleText.escaping(present.text)
        if let gap = ServicePlan.gap(of: service, on: DoctorCommand.host) {
          Console.printError(
            "warning: \(plan.name): \(place) calls pam_mfa.so already, but \(gap): run mfa-admin doctor"
          )
        } else {
          let what = plan.deniesEnrolled ? "denies users who have enrolled" : "asks for a code"
          ServiceCommand.say("\(plan.name): already \(what): \(place)")
        }
      } else {
        if ServicePlan.concernsSecureShell(service), secureShell.factors == nil {
          try SecureShellServer.checkThatNoKeyIsRequired()
        }
        plans.append(plan)
      }
    }
    return plans
  }

  private func report(of plan: ServicePlan) {
    for file in plan.files {
      let line = MarkedText(service: plan.service).firstLine(in: file.new) ?? 1
      ServiceCommand.say("\(plan.name): \(file.path):\(line): written")
    }
  }

  private func tellWhatToDo(_ plans: [ServicePlan], _ end: Int64) {
    let names = plans.map(\.name).joined(separator: ", ")
    ServiceCommand.say(
      """

      Keep this terminal open. Sign in from a second terminal (\(names)) and run there:
        sudo mfa-admin confirm
      Unless you confirm within \(time.text), before \(Timestamp(end)?.full ?? "then"), \
      all changes are rolled back.
      """)
  }

  /// Names the users who can sign in by ssh now, and cannot once the plan is carried out.
  private func warnOfKeysAlone(_ plan: ServicePlan) {
    guard ServicePlan.concernsSecureShell(plan.service) else { return }
    let rules = HostRules(of: DoctorCommand.host, countsSecureShell: false)
    let users = LockedOutUsers(by: plan, on: DoctorCommand.host) { user in
      // The stack does not call the module yet, so the decision does not say it.
      let explanation = Explanation.onThisHost(
        Explanation.Question(user, at: plan.service), rules: rules)
      guard case .kept(let record, _) = explanation.stored else { return false }
      return record.isEnrolled && explanation.state != .disabled
    }
    let note = users.isIncomplete ? " (only some users were checked)" : ""
    func names(_ users: [[UInt8]]) -> String {
      NameList.text(users.map { VisibleText.escaping($0) }) + note
    }
    if !users.withKeys.isEmpty {
      Console.printError(
        "warning: users who have keys but no password can no longer sign in by ssh: "
          + names(users.withKeys))
      Console.printError(
        "hint: give them a password, exempt them with --except-group, or let them enrol and then use "
          + "--factors key+code")
    }
    if !users.withPasswords.isEmpty {
      Console.printError(
        "warning: users who have a password but no key can no longer sign in by ssh: "
          + names(users.withPasswords))
      Console.printError("hint: give them a key, or use --factors key-or-password+code")
    }
    if !users.doubtful.isEmpty {
      Console.printError(
        "warning: cannot check whether these users can still sign in by ssh, because \(users.doubt): "
          + names(users.doubtful))
      Console.printError(
        "hint: users with a key and no password can sign in with --factors key+code once they have "
          + "enrolled; users without a key can with password+code")
    }
  }

  /// Says how the service's program asks, where users or administrators would not expect it.
  private func warnOfConversation(_ plan: ServicePlan) {
    if plan.deniesEnrolled {
      Console.printError(
        "warning: \(plan.name): its program cannot ask for a code: users who have enrolled, and those who must, can "
          + "no longer sign in there")
    }
    if plan.conversation == .oneField {
      Console.printError(
        "note: \(plan.name): users type the code directly after the password, in the same field")
      if plan.acceptsProgramPasswords {
        Console.printError(
          "note: \(plan.name): programs can use passwords that users make with: mfa-enroll program-password"
        )
      }
    }
    for follower in plan.followersWithOneField {
      let other = VisibleText.escaping(follower)
      Console.printError(
        "warning: \(plan.name): \(other) includes this file and has one field: users who have enrolled can no "
          + "longer sign in there")
      Console.printError("hint: \(OneField.hint(follower))")
    }
    guard !plan.acceptsProgramPasswords, let program = PAMProgram.with(service: plan.service),
      case .asks(_, let remark?) = program.behaviour
    else { return }
    Console.printError("warning: \(plan.name): \(program.name): \(remark)")
  }

  /// Says what the plan changes for users, before it is carried out.
  private func warn(of plan: ServicePlan) {
    warnOfKeysAlone(plan)
    warnOfConversation(plan)
    for exception in plan.exceptions {
      Console.printError(
        "warning: \(exception.place): \(exception.keyword) has a different value for some sign-ins")
    }
    if ServicePlan.concernsSecureShell(plan.service) {
      let required =
        switch plan.factors.first {
        case .password: "the password is required"
        case .keyOrPassword:
          "a code is required too, and the password of users who have not enrolled"
        case .key: "a code is required, or the password of users who have not enrolled"
        }
      Console.printError("note: a key alone is no longer enough to sign in: \(required)")
      for group in plan.factors.exemptGroups {
        Console.printError("note: a key alone signs in the members of \(group), without a code")
      }
    }
    do throws(AdminError) {
      let users = ServiceCommand.concerned(by: plan.service)
      for sentence in try TrialProgram.forecasts(of: plan, told: asking.value, for: users) {
        Console.printError("warning: \(sentence)")
      }
    } catch {
      Console.printError(
        "warning: \(plan.name): cannot predict who could still sign in: \(error.sentence)")
    }
  }
}
