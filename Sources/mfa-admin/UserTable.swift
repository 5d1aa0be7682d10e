import Factors

/// The users as a table, a line a user.
struct UserTable {
  private let rows: [Row]

  /// The cells of a line.
  fileprivate struct Row {
    var user: String
    var factors: String
    let newest: String
    let wrong: String
    let state: String
  }

  /// A column is cut no shorter than this.
  private static let narrowest = 8

  /// A table of these users, in this order.
  init(_ reports: [UserReport]) {
    rows =
      [
        Row(
          user: "USER", factors: "FACTORS", newest: "NEWEST (UTC)", wrong: "WRONG", state: "STATE")
      ] + reports.map { Row($0) }
  }

  /// The lines, each with a line feed, cut to `columns` where that is possible: first the names of
  /// the factors, then those of the users. What is wrong with a record is never cut.
  func text(columns: Int?) -> String {
    let newest = Self.width(rows.map(\.newest))
    let wrong = Self.width(rows.map(\.wrong))
    let state = Self.width(rows.map(\.state).filter { !$0.contains(":") })
    var factors = Self.width(rows.map(\.factors))
    var user = Self.width(rows.map(\.user))
    if let columns {
      // Two blanks between columns.
      let room = columns - newest - wrong - state - 8
      let narrowFactors = min(factors, max(room - user, Self.narrowest))
      user = min(user, max(room - narrowFactors, Self.narrowest))
      factors = narrowFactors
    }
    return rows.map { row in
      Self.cell(row.user, user) + Self.cell(row.factors, factors) + Self.cell(row.newest, newest)
        + Self.cell(row.wrong, wrong) + row.state + "\n"
    }.joined()
  }

  private static func width(_ cells: [String]) -> Int { cells.map { TextWidth.of($0) }.max() ?? 0 }

  private static func cell(_ text: String, _ width: Int) -> String {
    TextWidth.pad(TextWidth.cut(text, to: width), to: width + 2)
  }
}

extension UserTable.Row {
  fileprivate init(_ report: UserReport) {
    switch report.content {
    case .usable(let snapshot, _):
      factors = snapshot.record.factors.map { "\(VisibleText($0.displayName))" }
        .joined(separator: ", ")
      newest = report.newestEnrollment.flatMap { Timestamp($0) }?.short ?? "-"
      wrong = String(snapshot.attempts.failures)
    case .unusable, .notEnrolled:
      factors = "-"
      newest = "-"
      wrong = "-"
    }
    user = report.visibleName
    state = report.state
  }
}
