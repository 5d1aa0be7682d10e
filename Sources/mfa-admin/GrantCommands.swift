import ArgumentParser
import Factors

/// `mfa-admin ticket`
struct TicketCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ticket", abstract: "Make a ticket with which a user enrols without a password.",
    discussion: """
      For people who sign in with a key alone. The ticket is good once, and proves the account where \
      'mfa-enroll --ticket' asks for it; a present factor is asked for besides.

      \(AdminStatus.explanation)
      """)

  @Option(
    help: ArgumentHelp("How long it is good: from 1m to 30d.", valueName: "time"))
  var valid: GrantDuration = .hours(24)

  @Option(help: "Why, in a few words, for the log and for the user.")
  var reason: String?

  @Flag(help: "Kill a process that holds a lock which this command needs for too long.")
  var endHolder = false

  @Flag(help: "Print JSON, for programs; times are UTC, as ISO 8601 writes them.")
  var json = false

  @Argument(help: "The user's name.")
  var user: String

  func validate() throws { _ = try reason.map { try grantReason($0) } }

  func run() throws {
    let (administration, _) = try ThisHost.administration(needsConfiguration: true)
    let reason = try reason.map { try grantReason($0) }
    let made = try LockedStore.run(ending: endHolder) { () throws(AdminError) in
      try administration.grant(.ticket, to: user, for: valid, uses: 1, reason: reason)
    }
    try Console.write(made, asJSON: json)
  }
}

/// `mfa-admin bypass`
struct BypassCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bypass", abstract: "Make a code for a user who has lost every factor.",
    discussion: """
      The code is accepted where a one-time code is asked for, by all the rules that hold there. Make \
      sure first that it is the user who asks you for it.

      \(AdminStatus.explanation)
      """)

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("How long it is good: from 1m to 30d.", valueName: "time"))
  var duration: GrantDuration = .minutes(30)

  @Option(help: "For how many sign-ins: 1 to 20.")
  var uses: UInt8 = 1

  @Option(help: "Why, in a few words, for the log and for the user.")
  var reason: String

  @Flag(help: "Kill a process that holds a lock which this command needs for too long.")
  var endHolder = false

  @Flag(help: "Print JSON, for programs; times are UTC, as ISO 8601 writes them.")
  var json = false

  @Argument(help: "The user's name.")
  var user: String

  func validate() throws {
    guard (1...20).contains(uses) else { throw ValidationError("--uses takes 1 to 20") }
    _ = try grantReason(reason)
  }

  func run() throws {
    let (administration, _) = try ThisHost.administration(needsConfiguration: true)
    let reason = try grantReason(reason)
    let made = try LockedStore.run(ending: endHolder) { () throws(AdminError) in
      try administration.grant(.bypass, to: user, for: duration, uses: uses, reason: reason)
    }
    try Console.write(made, asJSON: json)
  }
}

/// `mfa-admin grants`
struct GrantsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "grants", abstract: "List tickets and bypass codes; never the codes themselves.",
    discussion: AdminStatus.explanation)

  @Flag(help: "Print JSON, for programs; times are UTC, as ISO 8601 writes them.")
  var json = false

  @Argument(help: "The user's name; everybody's without it.")
  var user: String?

  func run() throws(AdminError) {
    let (administration, _) = try ThisHost.administration(needsConfiguration: false)
    let reports = try administration.grants(user)
    if json {
      let grants = JSON.array(reports.map { JSON.object($0.members) })
      try Console.write(JSON.object([("grants", grants)]).text + "\n")
    } else if reports.isEmpty {
      Console.complain("nothing is granted")
    } else {
      try Console.write(GrantTable(reports).text(columns: Console.columns))
    }
  }
}

/// `mfa-admin withdraw`
struct WithdrawCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "withdraw", abstract: "Take a ticket or a bypass code back.",
    discussion: AdminStatus.explanation)

  @Flag(help: "Take back all that the user was granted.")
  var all = false

  @Flag(help: "Kill a process that holds a lock which this command needs for too long.")
  var endHolder = false

  @Flag(help: "Print JSON, for programs; times are UTC, as ISO 8601 writes them.")
  var json = false

  @Argument(help: "The user's name.")
  var user: String

  @Argument(help: "The id, as 'mfa-admin grants' shows it.")
  var id: String?

  func validate() throws {
    guard all != (id != nil) else { throw ValidationError("name either an ID or --all") }
    if let id, GrantID(hexadecimal: Array(id.utf8)) == nil {
      throw ValidationError("an id has 8 hexadecimal digits")
    }
  }

  func run() throws(AdminError) {
    let (administration, _) = try ThisHost.administration(needsConfiguration: false)
    let target: Administration.WithdrawalTarget =
      if let id = id.flatMap({ GrantID(hexadecimal: Array($0.utf8)) }) { .one(id) } else {
        .everything
      }
    let report = try LockedStore.run(ending: endHolder) { () throws(AdminError) in
      try administration.withdraw(target, of: user)
    }
    try Console.write((json ? report.json.text : report.sentence) + "\n")
  }
}

/// A reason as it was typed.
func grantReason(_ text: String) throws -> Grant.Reason {
  do throws(DisplayName.Refusal) {
    return try Grant.Reason(Array(text.utf8))
  } catch {
    throw ValidationError(
      "--reason takes 1 to \(Grant.Reason.maximumLength) characters in one line")
  }
}
