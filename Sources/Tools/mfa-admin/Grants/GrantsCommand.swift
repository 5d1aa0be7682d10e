import ArgumentParser
import MFAAdmin
import MFAAttempt
import MFAModel

/// `mfa-admin grants`
struct GrantsCommand: ParsableCommand {
  static let configuration = command(
    "grants", "List tickets, bypass codes and program passwords, without the codes themselves.")

  @Flag(help: "Print JSON, for programs; times are in UTC, in ISO 8601 format.")
  var json = false

  @Argument(help: "The user's name. Without it, all users.")
  var user: String?

  func run() throws(AdminError) {
    let reports = try ThisHost.userAdministrator(needsConfiguration: false).grants(user)
    if json {
      let grants = JSON.array(reports.map { JSON.object($0.members) })
      try Console.write(JSON.object([("grants", grants)]).text + "\n")
    } else if reports.isEmpty {
      Console.printError("there are no tickets, bypass codes or program passwords")
    } else {
      try Console.write(TextTable(reports).text(columns: Console.columns))
    }
  }
}

/// `mfa-admin ticket`
struct TicketCommand: ParsableCommand {
  static let configuration = command(
    "ticket", "Create a ticket for a user to enrol without a password.",
    """
    For users who sign in with a key alone. The ticket is valid once, in place of the password, \
    when 'mfa-enroll --ticket' asks for it. A user with a factor must give a code as well.
    """)

  @Option(
    help: ArgumentHelp("How long the ticket is valid: 1m to 30d.", valueName: "time"))
  var valid: GrantDuration = .hours(24)

  @Option(help: "The reason, for the log and for the user.")
  var reason: String?

  @OptionGroup var options: UserChangeOptions

  func validate() throws { _ = try reason.map { try grantReason($0) } }

  func run() throws {
    let reason = try reason.map { try grantReason($0) }
    let administrator = try ThisHost.userAdministrator(needsConfiguration: true)
    let made = try options.change { user throws(AdminError) in
      try administrator.grant(.ticket, to: user, for: valid, uses: 1, reason: reason)
    }
    try Console.write(made, asJSON: options.json)
  }
}

/// `mfa-admin bypass`
struct BypassCommand: ParsableCommand {
  static let configuration = command(
    "bypass", "Create a code for a user without access to any factor.",
    """
    The code is accepted in place of a one-time code, under the same rules. First make sure that \
    the request really comes from the user.
    """)

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("How long the code is valid: 1m to 30d.", valueName: "time"))
  var duration: GrantDuration = .minutes(30)

  @Option(help: "How many sign-ins the code is valid for: 1 to 20.")
  var uses: UInt8 = 1

  @Option(help: "The reason, for the log and for the user.")
  var reason: String

  @OptionGroup var options: UserChangeOptions

  func validate() throws {
    guard UserChange.GrantTerms.numbersOfUses.contains(uses) else {
      throw ValidationError("--uses takes 1 to 20")
    }
    _ = try grantReason(reason)
  }

  func run() throws {
    let reason = try grantReason(reason)
    let administrator = try ThisHost.userAdministrator(needsConfiguration: true)
    let made = try options.change { user throws(AdminError) in
      try administrator.grant(.bypass, to: user, for: duration, uses: uses, reason: reason)
    }
    try Console.write(made, asJSON: options.json)
  }
}

/// `mfa-admin withdraw`
struct WithdrawCommand: ParsableCommand {
  static let configuration = command(
    "withdraw", "Withdraw a ticket, a bypass code or a program password.")

  @Flag(help: "Withdraw all tickets, bypass codes and program passwords of the user.")
  var all = false

  @OptionGroup var options: UserChangeOptions

  @Argument(help: "The id, as 'mfa-admin grants' shows it.")
  var id: String?

  func validate() throws {
    guard all != (id != nil) else { throw ValidationError("give either an ID or --all") }
    if let id, GrantID(hexadecimal: Array(id.utf8)) == nil {
      throw ValidationError("an id has 8 hexadecimal digits")
    }
  }

  func run() throws(AdminError) {
    let administrator = try ThisHost.userAdministrator(needsConfiguration: false)
    let id = id.flatMap { GrantID(hexadecimal: Array($0.utf8)) }
    let report = try options.change { user throws(AdminError) in
      try administrator.withdraw(id, of: user)
    }
    try options.write(report.json, report.sentence)
  }
}

extension Console {
  /// Prints a new grant, with its code.
  static func write(_ made: NewGrantReport, asJSON: Bool) throws(AdminError) {
    let code = made.code.value.written()
    if asJSON {
      let text = JSON.object(made.report.members + [("code", .string(""))]).text
      // The code comes last, between the two quotation marks of an empty string.
      try write(String(text.dropLast(3)))
      try write(secret: code)
      try write("\"\n}\n")
    } else {
      try write(secret: code)
      try write("\n")
      try write(made.explanation)
    }
    if let warning = made.warning { printError("warning: \(warning)") }
  }
}

extension GrantDuration: ExpressibleByArgument {
  /// The duration, as `--help` shows it.
  package var defaultValueDescription: String { text }
}

/// Parses the argument of --reason.
func grantReason(_ text: String) throws -> Grant.Reason {
  guard let reason = Grant.Reason(Array(text.utf8)) else {
    throw ValidationError(
      "--reason takes 1 to \(Grant.Reason.maximumLength) characters on one line")
  }
  return reason
}
