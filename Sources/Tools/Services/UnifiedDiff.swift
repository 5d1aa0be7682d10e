import MFAAdmin

/// The changes to a file in the unified format of `diff -u`, which `patch` accepts.
package enum UnifiedDiff {
  /// The number of unchanged lines shown around a change.
  private static var context: Int { 3 }

  /// A line, and whether it is kept (a space), removed (`-`) or added (`+`).
  private typealias Step = (sign: Character, line: [UInt8])

  /// Returns the changes to the file at a path, or an empty text if there are none. The contents are nil
  /// if the file does not exist, or is to be removed.
  package static func text(path: String, old: [UInt8]?, new: [UInt8]?) -> String {
    guard old != new else { return "" }
    let steps = steps(MarkedText.lines(of: old ?? []), MarkedText.lines(of: new ?? []))
    var text = "--- \(old == nil ? "/dev/null" : path)\n+++ \(new == nil ? "/dev/null" : path)\n"
    for hunk in hunks(steps) { text += Self.text(of: hunk, steps) }
    return text
  }

  /// Returns the ranges of steps to show.
  private static func hunks(_ steps: [Step]) -> [Range<Int>] {
    var hunks: [Range<Int>] = []
    for (index, step) in steps.enumerated() where step.sign != " " {
      let around = max(index - context, 0)..<min(index + context + 1, steps.count)
      if let last = hunks.last, last.upperBound >= around.lowerBound {
        hunks[hunks.count - 1] = last.lowerBound..<around.upperBound
      } else {
        hunks.append(around)
      }
    }
    return hunks
  }

  private static func text(of hunk: Range<Int>, _ steps: [Step]) -> String {
    var counts = (old: 0, new: 0)
    var starts = (old: 0, new: 0)
    var body = ""
    for (index, (sign, line)) in steps[..<hunk.upperBound].enumerated() {
      if index == hunk.lowerBound { starts = counts }
      if sign != "+" { counts.old += 1 }
      if sign != "-" { counts.new += 1 }
      guard index >= hunk.lowerBound else { continue }
      let isEnded = line.last == UInt8(ascii: "\n")
      body += "\(sign)\(VisibleText.escaping(isEnded ? line.dropLast() : line))\n"
      if !isEnded { body += "\\ No newline at end of file\n" }
    }
    let old = range(starts.old, counts.old - starts.old)
    let new = range(starts.new, counts.new - starts.new)
    return "@@ -\(old) +\(new) @@\n" + body
  }

  /// Formats a range of lines for a hunk header. An empty range is named by the line before it.
  private static func range(_ before: Int, _ count: Int) -> String {
    "\(count == 0 ? before : before + 1),\(count)"
  }

  /// Returns the steps from one text to the other: a shortest edit script.
  private static func steps(_ old: [[UInt8]], _ new: [[UInt8]]) -> [Step] {
    var (removed, added): (Set<Int>, Set<Int>) = ([], [])
    for change in new.difference(from: old) {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): added.insert(offset)
      }
    }
    var steps: [Step] = []
    var (row, column) = (0, 0)
    while row < old.count || column < new.count {
      let isRemoved = removed.contains(row)
      let isAdded = !isRemoved && added.contains(column)
      steps.append(isRemoved ? ("-", old[row]) : isAdded ? ("+", new[column]) : (" ", old[row]))
      if !isAdded { row += 1 }
      if !isRemoved { column += 1 }
    }
    return steps
  }
}
