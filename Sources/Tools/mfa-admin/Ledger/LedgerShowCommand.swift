import MFAAdmin
import MFAStore
import ArgumentParser

/// `mfa-admin ledger show`
struct LedgerShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the latest entries of the audit log.",
    discussion: AdminStatus.explanation)

  @Option(help: ArgumentHelp("Show only entries about this user.", valueName: "name"))
  var user: String?

  @Option(
    help: ArgumentHelp(
      "Show only entries from this time on, in UTC: 2026-11-21 or 2026-11-21T10:18:00Z.",
      valueName: "time"))
  var since: String?

  @Option(
    help: ArgumentHelp(
      "Show at most this many entries. Default: 20; with --user or --since, 1000000.",
      valueName: "count"))
  var last: Int?

  @Flag(help: "Print JSON, for programs; times are in UTC, in ISO 8601 format.")
  var json = false

  func validate() throws {
    if let last, !(1...1_000_000).contains(last) {
      throw ValidationError("--last takes a number from 1 to 1000000")
    }
    if let since, since.wholeMatch(of: /\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?/) == nil {
      throw ValidationError("--since takes a time such as 2026-11-21 or 2026-11-21T10:18:00Z")
    }
  }

  func run() throws(AdminError) {
    let name = user.map { Array($0.utf8) }
    // With a user or a time, show all matching entries.
    let count = last ?? (name == nil && since == nil ? 20 : 1_000_000)
    let includes = { (entry: LedgerEntry) in
      if let name, entry.bytes("user") != name { return false }
      // Both use ISO 8601 in UTC, so the order of the texts is the order of the times.
      if let since, (entry.text("time") ?? "") < since { return false }
      return true
    }
    let entries: [LedgerEntry]
    let problem: AuditLogProblem?
    if let realm = try ThisHost.realm() {
      (entries, problem) = try realm.ledger(
        last: count, isFiltered: name != nil || since != nil, where: includes)
    } else {
      let (administration, _) = try ThisHost.administration(needsConfiguration: false)
      let verification: Administration.LedgerVerification
      (entries, verification) = try administration.ledger(last: count, where: includes)
      problem = verification.problem
    }
    if json {
      try JSON.writeObject("entries", entries, value: \.json) { text throws(AdminError) in
        try Console.write(text)
      }
    } else if entries.isEmpty {
      if problem == nil { Console.printError("no matching entries") }
    } else {
      try Console.write(
        TextWidth.wrapped(entries.map(\.line).joined(), to: Console.columns))
    }
    if let problem { throw .ledger(problem) }
  }
}
