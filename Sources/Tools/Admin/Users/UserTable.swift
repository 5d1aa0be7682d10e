import MFAAttempt
import MFABase
import MFAModel

/// A table of users, with one line for each user.
package struct UserTable {
  private let rows: [Row]

  /// The cells of a line. A class, because there can be many rows and they are passed on several
  /// times.
  package final class Row: Sendable {
    fileprivate let user: String
    fileprivate let factors: String
    fileprivate let newest: String
    fileprivate let wrong: String
    fileprivate let state: String

    fileprivate init(
      user: String, factors: String, newest: String, wrong: String, state: String
    ) {
      self.user = user
      self.factors = factors
      self.newest = newest
      self.wrong = wrong
      self.state = state
    }
  }

  /// The minimum width of a truncated column, in columns of the terminal.
  private static let narrowest = 8

  /// The approximate size in bytes of the pieces passed to `write`.
  private static let piece = 1 << 18

  /// Creates a table of these users, in this order.
  package init(_ rows: [Row]) { self.rows = rows }

  private static let heading = Row(
    user: "USER", factors: "FACTORS", newest: "NEWEST (UTC)", wrong: "WRONG", state: "STANDING")

  /// Passes the lines to `write` in pieces. Lines are cut to `columns` where possible: first the
  /// names of the factors, then the names of the users. The reason why a record cannot be used is
  /// never cut.
  package func write(columns: Int?, to write: ([UInt8]) throws(AdminError) -> Void)
    throws(AdminError)
  {
    let newest = width { $0.newest }
    let wrong = width { $0.wrong }
    var factors = width { $0.factors }
    var user = width { $0.user }
    if let columns {
      let state = width { $0.state.utf8.contains(UInt8(ascii: ":")) ? "" : $0.state }
      // Two spaces between columns.
      let room = columns - newest - wrong - state - 8
      let narrowFactors = min(factors, max(room - user, Self.narrowest))
      user = min(user, max(room - narrowFactors, Self.narrowest))
      factors = narrowFactors
    }
    var text: [UInt8] = []
    text.reserveCapacity(Self.piece + 4096)
    func add(_ row: Row) {
      TextWidth.add(row.user, cutTo: user, blanks: 2, to: &text)
      TextWidth.add(row.factors, cutTo: factors, blanks: 2, to: &text)
      TextWidth.add(row.newest, cutTo: newest, blanks: 2, to: &text)
      TextWidth.add(row.wrong, cutTo: wrong, blanks: 2, to: &text)
      text.append(contentsOf: row.state.utf8)
      text.append(UInt8(ascii: "\n"))
    }
    add(Self.heading)
    for row in rows {
      add(row)
      guard text.count > Self.piece else { continue }
      try write(text)
      text.removeAll(keepingCapacity: true)
    }
    try write(text)
  }

  private func width(_ cell: (Row) -> String) -> Int {
    rows.reduce(TextWidth.of(cell(Self.heading))) { max($0, TextWidth.of(cell($1))) }
  }
}

extension UserTable.Row {
  /// Creates the row of a user.
  package convenience init(_ report: UserReport) {
    switch report.content {
    case .usable(let user):
      self.init(
        user: report.visibleName, factors: Self.names(user.factors),
        newest: report.newestEnrollment.flatMap { Timestamp($0) }?.short ?? "-",
        wrong: String(user.failures.failures), state: report.standing)
    case .unusable, .notEnrolled:
      self.init(
        user: report.visibleName, factors: "-", newest: "-", wrong: "-", state: report.standing)
    }
  }

  private static func names(_ factors: [UserSummary.ListedFactor]) -> String {
    // Nearly all users have one factor.
    if factors.count == 1, let factor = factors.first {
      return VisibleText(factor.summary.displayName).description
    }
    return factors.map { VisibleText($0.summary.displayName).description }.joined(separator: ", ")
  }
}
