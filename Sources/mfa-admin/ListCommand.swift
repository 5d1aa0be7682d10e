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
    let count: Count
    if json {
      count = try write(administration, { $0 }) { reports throws(AdminError) in
        try JSON.writeObject("users", reports, value: \.json) { text throws(AdminError) in
          try Console.write(text)
        }
      }
    } else {
      count = try write(administration, { UserTable.Row($0) }) { rows throws(AdminError) in
        guard !rows.isEmpty else { return }
        try UserTable(rows).write(columns: Console.columns) { text throws(AdminError) in
          try Console.write(text)
        }
      }
      if count.shown == 0 { Console.complain(nobody(of: count.all)) }
    }
    // What cannot be read may belong to anybody who was asked for: it is an error all the same.
    if count.unusable > 0 {
      if let failure { Console.report(failure) }
      throw .unusableRecords(count.unusable, of: count.all)
    }
    if let failure { throw failure }
  }

  /// How many there are.
  private struct Count {
    var all = 0
    var unusable = 0
    var shown = 0
  }

  /// One of those who might be listed.
  private struct Candidate<Shown: Sendable>: Sendable {
    let isUsable: Bool
    /// What is shown; nil where it is not asked for.
    let shown: Shown?
  }

  /// Has what `show` makes of those who are asked for written.
  private func write<Shown: Sendable>(
    _ administration: Administration, _ show: @Sendable (UserReport) -> Shown,
    by write: ([Shown]) throws(AdminError) -> Void
  ) throws(AdminError) -> Count {
    let (filter, now) = (filter, administration.now)
    @Sendable func candidate(_ report: UserReport) -> Candidate<Shown> {
      Candidate(
        isUsable: report.isUsable, shown: filter.includes(report, now: now) ? show(report) : nil)
    }
    let candidates =
      notEnrolled
      ? try administration.notEnrolled(progress: Console.progress).map { candidate($0) }
      : try administration.users(progress: Console.progress) { candidate($0) }
    let shown = candidates.compactMap(\.shown)
    try write(shown)
    return Count(
      all: candidates.count, unusable: candidates.count { !$0.isUsable }, shown: shown.count)
  }

  private func nobody(of all: Int) -> String {
    if notEnrolled { return "everybody has enrolled a factor" }
    return all == 0 ? "nobody has enrolled a factor" : "that fits nobody who has enrolled"
  }
}
