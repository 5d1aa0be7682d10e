import ArgumentParser

/// `mfa-admin list`
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List everybody who has enrolled, and how things stand.",
    discussion: """
      Of the options that say whom to list, all those that are given have to fit.

      \(AdminStatus.explanation)
      """)

  @Flag(help: "Those who have enrolled a factor: what is listed unless told otherwise.")
  var enrolled = false

  @Flag(help: "Those who have an account to sign in with, and no factor.")
  var notEnrolled = false

  @Flag(help: "Those whose factors too many wrong codes have disabled.")
  var disabled = false

  @Flag(help: "Those who have to wait after wrong codes.")
  var waiting = false

  @Option(
    help: ArgumentHelp(
      "Those of whom no code was accepted in so many days.", valueName: "days"))
  var stale: Int64?

  @Flag(help: "Those with an imported key of fewer than 128 bits.")
  var weak = false

  @Flag(help: "Those with a factor that was imported.")
  var imported = false

  @Flag(help: "Those whose record cannot be used.")
  var unusable = false

  @Flag(help: "Those with a ticket or a bypass code that is good now.")
  var granted = false

  @Flag(help: "Print JSON, for programs; times are UTC, as ISO 8601 writes them.")
  var json = false

  func validate() throws {
    if let stale, !(1...36_500).contains(stale) {
      throw ValidationError("--stale takes a number of days from 1 to 36500")
    }
    guard !notEnrolled || (!enrolled && filter == UserFilter()) else {
      throw ValidationError("--not-enrolled goes with none of the others")
    }
  }

  private var filter: UserFilter {
    UserFilter(
      disabled: disabled, waiting: waiting, unusable: unusable, granted: granted,
      imported: imported, weak: weak, staleDays: stale)
  }

  func run() throws(AdminError) {
    let (administration, failure) = try ThisHost.administration(needsConfiguration: false)
    let everybody =
      notEnrolled
      ? try administration.notEnrolled(progress: Console.progress)
      : try administration.users(progress: Console.progress)
    let reports = everybody.filter { filter.includes($0, now: administration.now) }
    if json {
      try JSON.writeObject("users", reports, value: \.json) { text throws(AdminError) in
        try Console.write(text)
      }
    } else if reports.isEmpty {
      Console.complain(nobody(of: everybody))
    } else {
      try Console.write(UserTable(reports).text(columns: Console.columns))
    }
    // What cannot be read may belong to anybody who was asked for: it is an error all the same.
    let unusable = everybody.count { !$0.isUsable }
    if unusable > 0 {
      if let failure { Console.report(failure) }
      throw .unusableRecords(unusable, of: everybody.count)
    }
    if let failure { throw failure }
  }

  private func nobody(of everybody: [UserReport]) -> String {
    if notEnrolled { return "everybody has enrolled a factor" }
    return everybody.isEmpty ? "nobody has enrolled a factor" : "that fits nobody who has enrolled"
  }
}
