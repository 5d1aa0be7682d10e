import ArgumentParser
import MFAAdmin
import MFABase
import MFADoctor
import MFAModel
import MFAServices

/// Functions shared by the commands that change services.
enum ServiceCommand {
  /// Returns a `ServiceSwitch` that reports to the terminal.
  static func switching(_ journal: ChangeJournal) -> ServiceSwitch {
    ServiceSwitch(journal: journal, actor: Console.actor, report: { Console.printError($0) })
  }

  /// Writes a line to standard output. A write error does not undo the change.
  static func say(_ line: String) { show(line + "\n") }

  /// Writes a text to standard output.
  static func show(_ text: String) {
    do throws(AdminError) { try Console.write(text) } catch { Console.report(error) }
  }

  /// Returns the users whose sign-ins are checked after a service is enabled: root for su, the
  /// administrator and root for login, and the administrator for any other service.
  static func concerned(by service: [UInt8]) -> [[UInt8]] {
    let root = Array("root".utf8)
    let name = String(decoding: service, as: UTF8.self)
    if ["su", "su-l"].contains(name) { return [root] }
    let actor = Console.actor
    return name == "login" && actor != root ? [actor, root] : [actor]
  }

  /// Rolls back overdue changes before any command that root runs. Without systemd, no unit rolls
  /// them back when the machine starts.
  static func rollBackOverdueChanges() {
    guard Console.isRoot, !ChangeJournal.isEmpty else { return }
    do throws(AdminError) {
      try ChangeJournal.locking(seconds: 0) { (journal) throws(AdminError) in
        for error in try switching(journal).rollBackOverdueChanges().errors {
          Console.printError("warning: \(error.message)")
          Console.printError("hint: \(error.hint)")
        }
      }
    } catch {
      // Another process holds the lock, or the records cannot be read. Neither concerns this
      // command.
    }
  }
}

/// `mfa-admin services`
struct ServicesCommand: ParsableCommand {
  static let configuration = command(
    "services", "List the services and whether each asks for a code.")

  @Flag(help: "Print JSON, for programs; times are in UTC, in ISO 8601 format.")
  var json = false

  func run() throws {
    try ThisHost.requireRoot()
    let states = try ServiceState.all(journal: .unlocked)
    let resident = LocalExaminedHost().residentStatus()
    if json {
      let values = states.map { name, state in
        JSON.object(
          [("service", .string(name))] + state.members
            + (name == "sshd" ? SecureShellFactors.present?.members ?? [] : []))
      }
      let members: [(name: String, value: JSON)] = [
        ("services", .array(values)), ("residentService", .string(resident.word)),
      ]
      return try Console.write(JSON.object(members).text + "\n")
    }
    let width = states.map(\.name.count).max() ?? 0
    for (name, state) in states {
      let space = String(repeating: " ", count: width - name.count)
      let line = "\(name)\(space)  \(state.sentence)\n"
      try Console.write(
        TextWidth.wrapped(line, to: Console.columns, hanging: width + 2))
    }
    let sentence = resident.sentence(inRealm: ThisHost.belongsToRealm)
    try Console.write(TextWidth.wrapped("\(sentence)\n", to: Console.columns))
  }
}

/// `mfa-admin confirm`
struct ConfirmCommand: ParsableCommand {
  static let configuration = command(
    "confirm", "Keep the changes that 'enable' made.",
    """
    Run this command from a sign-in through the enabled service. The sign-in must have begun \
    after the change: it proves that users can still sign in. For sudo and su, that sign-in is \
    'sudo mfa-admin confirm' or 'su -c "mfa-admin confirm"'.
    """)

  @Flag(
    help: "Confirm from a sign-in that is exempt from codes, such as that of a program.")
  var unattended = false

  func run() throws {
    try ThisHost.requireRoot()
    try ChangeJournal.locking(seconds: 10) { (journal) throws(AdminError) in
      let switching = ServiceCommand.switching(journal)
      for error in try switching.rollBackOverdueChanges().errors {
        Console.printError("warning: \(error.message)")
      }
      let (confirmed, waiting) = try switching.confirm(isUnattended: unattended)
      for service in confirmed { ServiceCommand.say("\(service): confirmed") }
      for (service, reason) in waiting {
        ServiceCommand.say("\(service): still waiting for confirmation: \(reason)")
      }
    }
  }
}

extension ConfirmationTime: ExpressibleByArgument {}

/// `mfa-admin restore`
struct RestoreCommand: ParsableCommand {
  static let configuration = command(
    "restore", "Roll back changes that 'enable' made and that were not confirmed in time.")

  @Flag(help: "Roll back all pending changes, as when the machine starts.")
  var boot = false

  @Flag(help: .hidden)
  var `guard` = false

  func run() throws {
    try ThisHost.requireRoot()
    if `guard` { return try RollbackWatcher.run() }
    guard !ChangeJournal.isEmpty else { return }
    try ChangeJournal.locking(seconds: 30) { (journal) throws(AdminError) in
      var switching = ServiceCommand.switching(journal)
      // At boot, sshd is not running yet and needs no reload.
      if boot { switching.mayReload = false }
      let outcome = try switching.rollBackOverdueChanges(all: boot)
      for error in outcome.errors { ServiceSwitch.log(failure: error.message) }
      if let error = outcome.errors.first { throw error }
    }
  }
}

/// `mfa-admin disable`
struct DisableCommand: ParsableCommand {
  static let configuration = command(
    "disable", "Undo the changes that 'enable' made for services.",
    """
    A file that was not edited since is restored byte for byte. In a file that was edited, the \
    edits stay and only the lines that 'enable' wrote are removed; if those were edited, a copy of \
    the file is kept beside it. A service that cannot be disabled does not keep the others from \
    it. Before 'mfa-admin confirm', the \
    file from before 'enable' is restored in any case, and what was edited is kept beside it.
    """)

  @Flag(help: "Print what would change, and change nothing.")
  var dryRun = false

  @Flag(help: "Undo every change that 'enable' made and that is not undone yet.")
  var all = false

  @Argument(help: ArgumentHelp("The services.", valueName: "service"))
  var services: [String] = []

  func validate() throws {
    guard all == services.isEmpty else {
      throw ValidationError("Name the services, or give --all.")
    }
  }

  func run() throws {
    try ThisHost.requireRoot()
    guard !dryRun else { return try run(ServiceCommand.switching(.unlocked)) }
    try ChangeJournal.locking(seconds: 10) { (journal) throws(AdminError) in
      var switching = ServiceCommand.switching(journal)
      switching.report = { line in
        if line.hasPrefix("warning: ") {
          Console.printError(line)
        } else {
          ServiceCommand.say(line)
        }
      }
      try run(switching)
    }
  }

  /// Disables the services. One that cannot be disabled does not keep the others from it.
  private func run(_ switching: ServiceSwitch) throws(AdminError) {
    var failures: [AdminError] = []
    func attempt(_ body: () throws(AdminError) -> Void) {
      do throws(AdminError) { try body() } catch { failures.append(error) }
    }
    if all {
      let changed = try switching.journal.changedServices()
      if changed.isEmpty { ServiceCommand.say("no change of mfa-admin enable is in force") }
      for service in changed {
        attempt { () throws(AdminError) in
          // Without the record, the marks in the files tell what to remove.
          if try switching.change(of: service) == nil {
            try switching.journal.checkRecords(of: service)
          }
          try run(service, switching)
        }
      }
    } else {
      for text in services {
        attempt { () throws(AdminError) in
          try run(try ServicePlan.service(text), switching)
        }
      }
    }
    guard let last = failures.popLast() else { return }
    for failure in failures { Console.report(failure) }
    throw last
  }

  private func run(_ service: [UInt8], _ switching: ServiceSwitch) throws(AdminError) {
    guard let change = try switching.change(of: service) else {
      switch ServiceState(service, journal: switching.journal) {
      case .byHand(let place), .passwordAlone(let place, _), .deniesEnrolled(let place, _):
        throw .enabledByHand(service: VisibleText.escaping(service), place: place)
      case .on(_, let other?, _):
        throw .enabledWith(service: VisibleText.escaping(service), other: other)
      case .on, .lost, .off, .unknown:
        try ServicePlan.requireFile(of: service)
        return ServiceCommand.say("\(VisibleText.escaping(service)): does not ask for a code")
      }
    }
    guard dryRun else { return try switching.disable(change) }
    for (file, present, remedy) in try switching.remedies(change) {
      let new: [UInt8]?
      switch remedy {
      case .unchanged, .gone: continue
      case .remove: new = nil
      case .putBack: new = file.old
      case .write(let text, _), .writeKeeping(let text, _): new = text
      }
      ServiceCommand.show(UnifiedDiff.text(path: file.path, old: present.contents, new: new))
    }
  }
}

extension SecureShellFactors.First: ExpressibleByArgument {}

/// How a service's program asks.
struct ConversationOptions: ParsableArguments {
  @Flag(help: "Its program asks the user each question.")
  var fields = false

  @Flag(help: "Its program has one field, for the password and the code.")
  var oneField = false

  /// What was told, or nil.
  var value: ServiceConversation? { fields ? .fields : oneField ? .oneField : nil }

  func validate() throws {
    guard !(fields && oneField) else {
      throw ValidationError("--fields and --one-field cannot be combined")
    }
  }
}

/// The options of `enable` that matter to sshd alone.
struct SecureShellOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What sshd asks for: password+code (the default), key+code, or key-or-password+code.",
      valueName: "factors"))
  var factors: SecureShellFactors.First?

  @Option(
    name: .customLong("except-group"),
    help: ArgumentHelp(
      "Let the members of this group sign in by ssh with a key alone; may be repeated.",
      valueName: "group"))
  var exemptGroups: [String] = []

  var value: SecureShellFactors {
    SecureShellFactors(first: factors ?? .password, exemptGroups: exemptGroups)
  }

  /// Checks the options for these services.
  func validate(for services: [String]) throws {
    for group in exemptGroups where !SecureShellFactors.isGroup(group) {
      throw ValidationError("--except-group takes the name of one group")
    }
    guard value == .usual || services.contains("sshd") else {
      throw ValidationError("--factors and --except-group require the service sshd")
    }
  }
}
