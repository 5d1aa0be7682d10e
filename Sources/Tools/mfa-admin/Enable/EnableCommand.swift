import MFABytes
import MFAFactors
import MFASignIn
import ArgumentParser
import MFASystem

/// `mfa-admin enable`
struct EnableCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enable", abstract: "Make services ask for a code after the password.",
    discussion: """
      Adds the pam_mfa.so lines to the services' files in \(InstalledPath.services), after the \
      lines that ask for the password, and for sshd writes \(SecureShellDropIn.path). All changes \
      are rolled back \
      unless 'mfa-admin confirm' is run in time from a new sign-in through the service. A restart \
      of the machine before the confirmation also rolls them back.

      \(AdminStatus.explanation)
      """)

  @Option(
    help: ArgumentHelp(
      "How long to wait for 'mfa-admin confirm', from 1s to 24h (default: 5m).",
      valueName: "time"))
  var confirmWithin: ConfirmationTime?

  @Flag(help: "Do not wait for a confirmation. A mistake can lock out all users.")
  var noConfirm = false

  @Flag(help: "Print what would change, and change nothing.")
  var dryRun = false

  @Argument(help: ArgumentHelp("The services: sshd, login, su, sudo, ...", valueName: "service"))
  var services: [String]

  private var time: ConfirmationTime { confirmWithin ?? .usual }

  func validate() throws {
    guard !noConfirm || confirmWithin == nil else {
      throw ValidationError("--no-confirm and --confirm-within cannot be combined")
    }
  }

  func run() throws(AdminError) {
    try ServiceCommand.needRoot()
    try ServiceCommand.translating { () throws(ChangeError) in
      guard !dryRun else {
        for plan in try plans() {
          ServiceCommand.show(plan.diff)
          warn(of: plan)
        }
        return
      }
      try ChangeJournal.locking(seconds: 10) { (journal) throws(ChangeError) in
        try run(ServiceCommand.switching(journal))
      }
    }
  }

  private func run(_ switching: ServiceSwitch) throws(ChangeError) {
    let outcome = try switching.rollBackOverdueChanges()
    if let error = outcome.errors.first { throw error }
    let plans = try plans()
    guard !plans.isEmpty else { return }
    let end = try switching.enable(plans, seconds: noConfirm ? nil : time.seconds)
    for plan in plans { tell(of: plan) }
    for plan in plans { warn(of: plan) }
    if let end { tellWhatToDo(plans, end) }
  }

  /// Returns the plans for the services that do not ask for a code yet.
  private func plans() throws(ChangeError) -> [ServicePlan] {
    var plans: [ServicePlan] = []
    for text in services {
      let service = try ServicePlan.service(text)
      // A service of the same family is changed with the first one.
      guard
        !plans.contains(where: { ServicePlan.family(of: $0.service).contains(service) })
      else { continue }
      let plan = try ServicePlan(service)
      if let present = plan.present {
        ServiceCommand.say(
          "\(plan.name): already asks for a code: \(VisibleText.escaping(present.text))")
      } else {
        plans.append(plan)
      }
    }
    return plans
  }

  private func tell(of plan: ServicePlan) {
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

  private func warn(of plan: ServicePlan) {
    for exception in plan.exceptions {
      Console.complain(
        "warning: \(exception.place): \(exception.keyword) has a different value for some sign-ins")
    }
    if ServicePlan.concernsSecureShell(plan.service) {
      Console.complain("note: a key alone is no longer enough to sign in: the password is required")
    }
    guard !dryRun else { return }
    for name in ServiceCommand.concerned(by: plan.service) {
      guard let user = UserName(name) else { continue }
      let explanation = Explanation(
        user: user, service: plan.service, remoteHost: nil, on: LocalHost())
      switch explanation.decision.kind {
      case .asked, .letThrough, .hasToEnroll: continue
      case .turnedAway, .waits:
        Console.complain(
          "warning: \(plan.name): a sign-in of \(VisibleText(user)) would fail: "
            + explanation.decision.sentence)
      }
    }
  }
}

/// `mfa-admin disable`
struct DisableCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "disable", abstract: "Undo the changes that 'enable' made for services.",
    discussion: """
      A file that was not edited since is restored byte for byte. In a file that was edited, the \
      edits stay and only the lines that 'enable' wrote are removed.

      \(AdminStatus.explanation)
      """)

  @Flag(help: "Print what would change, and change nothing.")
  var dryRun = false

  @Argument(help: ArgumentHelp("The services.", valueName: "service"))
  var services: [String]

  func run() throws(AdminError) {
    try ServiceCommand.needRoot()
    try ServiceCommand.translating { () throws(ChangeError) in
      guard !dryRun else { return try run(ServiceCommand.switching(.unlocked)) }
      try ChangeJournal.locking(seconds: 10) { (journal) throws(ChangeError) in
        var switching = ServiceCommand.switching(journal)
        switching.tell = { line in
          if line.hasPrefix("warning: ") {
            Console.complain(line)
          } else {
            ServiceCommand.say(line)
          }
        }
        try run(switching)
      }
    }
  }

  private func run(_ switching: ServiceSwitch) throws(ChangeError) {
    for text in services { try run(try ServicePlan.service(text), switching) }
  }

  private func run(_ service: [UInt8], _ switching: ServiceSwitch) throws(ChangeError) {
    guard let change = try switching.change(of: service) else {
      switch ServiceState(service, journal: switching.journal) {
      case .byHand(let place):
        throw .notOurs(service: VisibleText.escaping(service), place: place)
      case .on, .waiting, .off, .unknown:
        try ServicePlan.needFile(of: service)
        return ServiceCommand.say("\(VisibleText.escaping(service)): does not ask for a code")
      }
    }
    guard dryRun else { return try switching.disable(change) }
    for (file, present, remedy) in try switching.remedies(change) {
      let new: [UInt8]?
      switch remedy {
      case .none, .gone, .altered: continue
      case .remove: new = nil
      case .write(let text, _): new = text
      }
      ServiceCommand.show(UnifiedDiff(path: file.path, old: present?.contents, new: new).text)
    }
  }
}

/// `mfa-admin confirm`
struct ConfirmCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "confirm", abstract: "Keep the changes that 'enable' made.",
    discussion: """
      Run this command from a sign-in through the enabled service. The sign-in must have begun \
      after the change: it proves that users can still sign in. For sudo and su, that sign-in is \
      'sudo mfa-admin confirm' or 'su -c "mfa-admin confirm"'.

      \(AdminStatus.explanation)
      """)

  func run() throws(AdminError) {
    try ServiceCommand.needRoot()
    try ServiceCommand.translating { () throws(ChangeError) in
      try ChangeJournal.locking(seconds: 10) { (journal) throws(ChangeError) in
        let switching = ServiceCommand.switching(journal)
        for error in try switching.rollBackOverdueChanges().errors {
          Console.complain("warning: \(error.message)")
        }
        let (confirmed, waiting) = try switching.confirm()
        for service in confirmed { ServiceCommand.say("\(service): confirmed") }
        for (service, reason) in waiting {
          ServiceCommand.say("\(service): still waiting for confirmation: \(reason)")
        }
      }
    }
  }
}

/// `mfa-admin restore`
struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Roll back changes that 'enable' made and that were not confirmed in time.",
    discussion: AdminStatus.explanation)

  @Flag(help: "Roll back all pending changes, as when the machine starts.")
  var boot = false

  @Flag(help: .hidden)
  var `guard` = false

  func run() throws(AdminError) {
    try ServiceCommand.needRoot()
    if `guard` { return try RollbackWatcher.run() }
    guard !ChangeJournal.isEmpty else { return }
    try ServiceCommand.translating { () throws(ChangeError) in
      try ChangeJournal.locking(seconds: 30) { (journal) throws(ChangeError) in
        var switching = ServiceCommand.switching(journal)
        // At boot, sshd is not running yet and needs no reload.
        if boot { switching.mayReload = false }
        let outcome = try switching.rollBackOverdueChanges(all: boot)
        for error in outcome.errors { ServiceSwitch.log(failure: error.message) }
        if let error = outcome.errors.first { throw error }
      }
    }
  }
}

/// `mfa-admin services`
struct ServicesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "services", abstract: "List the services and whether each asks for a code.",
    discussion: AdminStatus.explanation)

  @Flag(help: "Print JSON, for programs; times are in UTC, in ISO 8601 format.")
  var json = false

  func run() throws(AdminError) {
    try ServiceCommand.needRoot()
    let states = try ServiceCommand.translating { () throws(ChangeError) in
      try ServiceState.all(journal: .unlocked)
    }
    if json {
      let values = states.map { JSON.object([("service", .string($0.name))] + $0.state.members) }
      return try Console.write(JSON.object([("services", .array(values))]).text + "\n")
    }
    let width = states.map(\.name.count).max() ?? 0
    for (name, state) in states {
      let space = String(repeating: " ", count: width - name.count)
      try Console.write("\(name)\(space)  \(state.sentence)\n")
    }
  }
}
