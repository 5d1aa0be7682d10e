import MFAAdmin
import ArgumentParser

/// `mfa-admin list`
struct ListCommand: ParsableCommand {
  static let configuration = command(
    "list", "List the enrolled users and their standing.",
    """
    Filters are combined with AND.
    """)

  @Flag(help: "Users with an enrolled factor. This is the default.")
  var enrolled = false

  @Flag(help: "Users who can sign in and have no factor.")
  var notEnrolled = false

  @Flag(help: "Users whose factors are locked after too many wrong codes.")
  var locked = false

  @Flag(help: "Users who are throttled after wrong codes.")
  var throttled = false

  @Option(
    help: ArgumentHelp(
      "Users without an accepted code or a new factor for this many days.", valueName: "days"))
  var stale: Int64?

  @Flag(help: "Users with an imported key of fewer than 128 bits.")
  var weak = false

  @Flag(help: "Users with an imported factor.")
  var imported = false

  @Flag(help: "Users whose record cannot be used.")
  var unusable = false

  @Flag(help: "Users with a valid ticket or bypass code.")
  var granted = false

  @Flag(help: "Print JSON, for programs; times are in UTC, in ISO 8601 format.")
  var json = false

  func validate() throws {
    if let stale, !(1...36_500).contains(stale) {
      throw ValidationError("--stale takes a number of days from 1 to 36500")
    }
    guard !notEnrolled || (!enrolled && filter == UserFilter()) else {
      throw ValidationError("--not-enrolled cannot be combined with another filter")
    }
  }

  private var filter: UserFilter {
    UserFilter(
      locked: locked, throttled: throttled, unusable: unusable, granted: granted,
      imported: imported, weak: weak, staleDays: stale)
  }

  func run() throws(AdminError) {
    let realm = try ThisHost.realm()
    var failure: AdminError?
    var administration: Administration?
    if realm == nil {
      (administration, failure) = try ThisHost.administration(needsConfiguration: false)
    }
    let count: Count
    if json {
      count = try write(realm, administration, { $0 }) { reports throws(AdminError) in
        try JSON.writeObject("users", reports, value: \.json) { text throws(AdminError) in
          try Console.write(text)
        }
      }
    } else {
      count = try write(realm, administration, { UserTable.Row($0) }) { rows throws(AdminError) in
        guard !rows.isEmpty else { return }
        try UserTable(rows).write(columns: Console.columns) { text throws(AdminError) in
          try Console.write(text)
        }
      }
      if count.shown == 0 { Console.printError(nobody(of: count.all)) }
    }
    // An unusable record might match the filters, so it is an error with any filter.
    if count.unusable > 0 {
      if let failure { Console.report(failure) }
      throw .unusableRecords(count.unusable, of: count.all)
    }
    if let failure { throw failure }
  }

  /// Numbers of users.
  private struct Count {
    var all = 0
    var unusable = 0
    var shown = 0
  }

  /// A user who is checked against the filters.
  private struct Candidate<Shown: Sendable>: Sendable {
    /// Whether no user is locked out by the record. A deleted account has no sign-ins.
    let isUsable: Bool
    /// The value to show for the user, or nil if the user does not match the filters.
    let shown: Shown?
  }

  /// Converts the matching users with `show` and passes them to `write`. Returns the numbers of
  /// users.
  private func write<Shown: Sendable>(
    _ realm: RealmAdministrator?, _ administration: Administration?,
    _ show: @Sendable (UserReport) -> Shown,
    by write: ([Shown]) throws(AdminError) -> Void
  ) throws(AdminError) -> Count {
    let (filter, now) = (filter, try ThisHost.now())
    @Sendable func candidate(_ report: UserReport) -> Candidate<Shown> {
      Candidate(
        isUsable: report.isUsable || report.isOrphaned,
        shown: filter.includes(report, now: now) ? show(report) : nil)
    }
    let candidates: [Candidate<Shown>]
    if let realm {
      let reports = notEnrolled ? try realm.notEnrolled() : try realm.users()
      candidates = reports.map { candidate($0) }
    } else if let administration {
      candidates =
        notEnrolled
        ? try administration.notEnrolled(progress: Console.progress).map { candidate($0) }
        : try administration.users(progress: Console.progress) { candidate($0) }
    } else {
      candidates = []
    }
    let shown = candidates.compactMap(\.shown)
    try write(shown)
    return Count(
      all: candidates.count, unusable: candidates.count { !$0.isUsable }, shown: shown.count)
  }

  private func nobody(of all: Int) -> String {
    if notEnrolled { return "all users have enrolled a factor" }
    return all == 0 ? "no user has enrolled a factor" : "no enrolled user matches"
  }
}
