import ArgumentParser
import MFAAdmin
import MFAAttempt
import MFABase
import MFADoctor
import MFAModel
import MFAPAMStack
import MFAServices
import MFAStore

/// `mfa-admin check`
struct CheckCommand: ParsableCommand {
  static let configuration = command(
    "check", "Check this host quietly, for monitoring.",
    """
    Makes the checks of 'mfa-admin doctor' and prints a line for each error and warning, and \
    nothing if there is none. mfa-check.timer runs it every hour. 'mfa-admin doctor' also says \
    what to do.
    """)

  @Flag(help: "Print JSON, for programs; times are in UTC, in ISO 8601 format.")
  var json = false

  @Flag(help: "Print the text format of Prometheus.")
  var prometheus = false

  @Option(
    help: ArgumentHelp(
      "Write to this file instead, which is replaced at once.", valueName: "file"))
  var output: String?

  func validate() throws {
    guard !json || !prometheus else {
      throw ValidationError("--json and --prometheus cannot be combined")
    }
    guard output?.hasPrefix("/") ?? true else {
      throw ValidationError("--output takes an absolute path")
    }
  }

  func run() throws {
    try ThisHost.requireRoot()
    let report = CheckReport(try HostSnapshot.ofThisHost(), at: try ThisHost.now())
    let text = json ? report.json.text + "\n" : prometheus ? report.prometheus : report.text
    if let output {
      // Never replaces a device such as /dev/null, a link, or a file that others can write to.
      try ReportFile.write(Array(text.utf8), to: output)
    } else {
      try Console.write(text)
    }
    guard report.findings.isEmpty else { Console.end(.findings) }
  }
}

/// `mfa-admin explain`
struct ExplainCommand: ParsableCommand {
  static let configuration = command(
    "explain", "Predict the result of a sign-in, and explain it.",
    """
    Shows the decision, the account, the lines of the service's PAM stack, the stored factors, \
    which tenants match and why, and each setting in force with its section, file and line. \
    Changes nothing, and verifies no code.
    """)

  @Option(help: "The user's name.")
  var user: String

  @Option(help: "The PAM service, such as sshd.")
  var service: String

  @Option(
    help: ArgumentHelp("The address that the user signs in from.", valueName: "address"))
  var rhost: String?

  @Flag(help: "Print JSON, for programs; times are in UTC, in ISO 8601 format.")
  var json = false

  func validate() throws { _ = try serviceName() }

  private func serviceName() throws -> PAMServiceName {
    guard let name = PAMServiceName(service) else {
      throw ValidationError("--service takes the name of a PAM service, such as sshd")
    }
    return name
  }

  func run() throws {
    try ThisHost.refuseInRealm()
    guard let name = UserName(Array(user.utf8)) else { throw AdminError.notAUserName(user) }
    // An empty address means a local sign-in: some programs set PAM_RHOST to an empty string.
    let address = rhost.flatMap { $0.isEmpty ? nil : Array($0.utf8) }
    let explanation = Explanation.onThisHost(
      Explanation.Question(name, at: try serviceName().bytes, from: address),
      rules: HostRules(of: DoctorCommand.host), countsSudo: true)
    try Console.write(
      json ? explanation.json.text + "\n" : explanation.text(columns: Console.columns))
    guard explanation.isAboutAnAccount else { throw AdminError.noSuchUser(name) }
  }
}

/// `mfa-admin readiness`
struct ReadinessCommand: ParsableCommand {
  static let configuration = command(
    "readiness", "Show which users could sign in, or would be locked out, if policy were enforced.",
    """
    Predicts the sign-ins at each service that calls pam_mfa.so, as 'mfa-admin explain' does. \
    Without users, checks root, the accounts with a UID from 1000 to 60000, and those with a shell \
    and a higher UID, if the system lists them: for the host, and for each tenant that selects them, \
    their groups, or no users at all. 'state = observe' counts as 'enabled'. The exit status is 1 if \
    a user would be locked out, or if a service requires nothing before the code.
    """)

  @Argument(
    help: ArgumentHelp("Check only these users, listed by the system or not.", valueName: "user"))
  var users: [String] = []

  @Option(
    name: .customLong("users-from"),
    help: ArgumentHelp(
      "Check the users in this file, one a line; - is standard input.", valueName: "file"))
  var file: String?

  @Option(help: ArgumentHelp("Check the members of this group.", valueName: "name"))
  var group: [String] = []

  @Option(help: ArgumentHelp("Check only this tenant.", valueName: "name"))
  var tenant: String?

  @Flag(help: "Print JSON, for programs.")
  var json = false

  func run() throws(AdminError) {
    try ThisHost.refuseInRealm()
    let (_, failure) = try ThisHost.administration(needsConfiguration: true)
    if let failure { throw failure }
    let policy = try ThisHost.policy()
    let listed = try file.map { path throws(AdminError) in try Self.names(in: path) } ?? []
    var selection: ReadinessSelection?
    if !users.isEmpty || file != nil || !group.isEmpty {
      selection = try ReadinessSelection(names: users + listed, groups: group)
    }
    let snapshot = try HostSnapshot.ofThisHost()
    var readiness = try Readiness.onThisHost(
      snapshot, under: policy, selection, tenant: tenant.map { Array($0.utf8) })
    readiness.withoutFirstFactor = Doctor.waysWithoutFirstFactor(on: snapshot)
    try Console.write(
      json ? readiness.json.text + "\n" : readiness.text(columns: Console.columns))
    let count = readiness.lockedOut.count
    guard count == 0 else { throw .lockedOut(count, of: readiness.accounts) }
    guard readiness.withoutFirstFactor.isEmpty else {
      throw .firstFactorMissing(readiness.withoutFirstFactor.count)
    }
  }

  /// The longest list of users, in bytes.
  private static let longestList = 16 << 20

  /// Returns the names in a file, one a line. Empty lines, and lines that begin with `#`, are left out.
  private static func names(in path: String) throws(AdminError) -> [String] {
    let text: [UInt8]
    do throws(SystemError) {
      text =
        try path == "-"
        ? PlainFile.standardInput(longest: longestList).get()
        : PlainFile.read(path, longest: longestList).get()
      guard text.count <= longestList else { throw .untrusted(.tooLarge) }
    } catch {
      throw .unreadable(path == "-" ? "/dev/stdin" : path, error)
    }
    return String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline)
      .map { $0.trimmingPrefix { $0 == " " || $0 == "\t" } }
      .map { String($0.reversed().drop { $0 == " " || $0 == "\t" }.reversed()) }
      .filter { !$0.isEmpty && !$0.hasPrefix("#") }
  }
}

/// `mfa-admin report`
struct ReportCommand: ParsableCommand {
  static let configuration = command(
    "report", "Compare this host with NIST SP 800-63B-4 and PCI DSS 4.0.1, item by item.",
    """
    For each item, shows the requirement, whether the current settings and stored records meet \
    it, the settings with their files and lines, and the evidence. An item that this software \
    cannot decide is 'outside'. The exit status is 1 if an item is not met.
    """)

  @Flag(help: "Print JSON, for programs.")
  var json = false

  func run() throws(AdminError) {
    let administration = try ThisHost.localAdministration(needsConfiguration: true)
    let policy = try ThisHost.policy()
    let snapshot = try HostSnapshot.ofThisHost()
    var facts = try administration.reportFacts(of: try snapshot.stored.get())
    facts.hasMailer = Program.isThere(Delivery.mailer)
    facts.add(snapshot)
    let report = Report(policy, facts)
    try Console.write(
      json ? report.json.text + "\n" : report.text(columns: Console.columns))
    guard report.notMet == 0 else { throw .notMet(report.notMet, of: report.items.count) }
  }
}

extension HostSnapshot {
  /// Reads the state of this machine, with the records of enabled services and accepted findings.
  ///
  /// `users` are the users for whom sshd's settings are read individually.
  static func ofThisHost(users: [UserName] = []) throws(AdminError) -> HostSnapshot {
    do throws(StackRefusal) {
      return try HostSnapshot(of: DoctorCommand.host, users: users)
    } catch {
      throw .services(error)
    }
  }
}

/// `mfa-admin try-writing`, which doctor runs in a process of its own.
struct TryWritingCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: LocalExaminedHost.writing, abstract: "Write a file, for mfa-admin doctor.",
    shouldDisplay: false)

  @Argument(help: "The folder.")
  var folder: String

  func run() throws {
    try ThisHost.requireRoot()
    do throws(AdminError) { try LocalExaminedHost.write(in: folder) } catch {
      Console.printError(error.reason)
      Console.end(.failure)
    }
  }
}

/// `mfa-admin load-module`, which doctor runs in a process of its own, because loading a damaged file
/// can end the process.
struct LoadModuleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "load-module", abstract: "Load a PAM module, for mfa-admin doctor.",
    shouldDisplay: false)

  @Argument(help: "The module's path.")
  var path: String

  func run() throws {
    try ThisHost.requireRoot()
    guard let problem = ModuleLoader.problem(path) else { return }
    Console.printError(problem)
    Console.end(.failure)
  }
}
