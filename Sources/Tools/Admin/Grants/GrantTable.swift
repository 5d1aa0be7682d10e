/// The table of `mfa-admin grants`.
package struct GrantTable {
  private let rows: [[String]]

  private static let heading = ["USER", "KIND", "ID", "USES", "UNTIL (UTC)", "REASON"]

  /// The minimum width of a shortened column.
  private static let narrowest = 8

  /// Creates a table of grants, in the given order.
  package init(_ reports: [GrantReport]) {
    rows = [Self.heading] + reports.map { Self.row($0) }
  }

  private static func row(_ report: GrantReport) -> [String] {
    let grant = report.grant
    return [
      "\(VisibleText(report.user))", grant.kind.word, VisibleText.escaping(grant.id.hexadecimal),
      "\(grant.usesLeft)", report.isGood ? report.expires?.short ?? "an unknown time" : "expired",
      grant.reason.map { VisibleText.escaping($0.utf8) } ?? "-",
    ]
  }

  /// Returns the table, whose lines each end with a line feed. To fit `columns`, it shortens first
  /// the reasons and then the names, as far as possible.
  package func text(columns: Int?) -> String {
    var widths = Self.heading.indices.map { column in
      rows.reduce(0) { max($0, TextWidth.of($1[column])) }
    }
    let (user, reason) = (0, widths.count - 1)
    if let columns {
      // Two spaces separate columns.
      let others = widths[1..<reason].reduce(2 * reason, +)
      let room = columns - others
      let narrowReason = min(widths[reason], max(room - widths[user], Self.narrowest))
      widths[user] = min(widths[user], max(room - narrowReason, Self.narrowest))
      widths[reason] = narrowReason
    }
    return rows.map { row in
      zip(row, widths).dropLast().map { cell, width in
        TextWidth.pad(TextWidth.cut(cell, to: width), to: width + 2)
      }.joined() + TextWidth.cut(row[reason], to: widths[reason]) + "\n"
    }.joined()
  }
}
