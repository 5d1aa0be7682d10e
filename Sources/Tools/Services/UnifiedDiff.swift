import MFAAdmin

/// The changes to a file in the unified format of `diff -u`, which `patch` accepts.
package struct UnifiedDiff {
  /// The path of the file.
  package let path: String
  /// The current contents, or nil if the file does not exist.
  package let old: [UInt8]?
  /// The new contents, or nil if the file is to be removed.
  package let new: [UInt8]?

  /// Creates the diff of a file.
  package init(path: String, old: [UInt8]?, new: [UInt8]?) {
    self.path = path
    self.old = old
    self.new = new
  }

  /// The number of unchanged lines shown around a change.
  private static var context: Int { 3 }

  private enum Step: Equatable {
    case keep([UInt8])
    case remove([UInt8])
    case add([UInt8])

    var isChange: Bool {
      switch self {
      case .keep: false
      case .remove, .add: true
      }
    }
  }

  /// The diff, or an empty text if there is no change.
  package var text: String {
    guard old != new else { return "" }
    let steps = Self.steps(MarkedText.lines(of: old ?? []), MarkedText.lines(of: new ?? []))
    var text = "--- \(old == nil ? "/dev/null" : path)\n+++ \(new == nil ? "/dev/null" : path)\n"
    for hunk in Self.hunks(steps) { text += Self.text(of: hunk, steps) }
    return text
  }

  /// Returns the ranges of steps to show.
  private static func hunks(_ steps: [Step]) -> [Range<Int>] {
    var hunks: [Range<Int>] = []
    for (index, step) in steps.enumerated() where step.isChange {
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
    for (index, step) in steps.enumerated() where index < hunk.upperBound {
      if index == hunk.lowerBound { starts = counts }
      let (sign, line): (String, [UInt8])
      switch step {
      case .keep(let kept):
        (sign, line) = (" ", kept)
        counts.old += 1
        counts.new += 1
      case .remove(let removed):
        (sign, line) = ("-", removed)
        counts.old += 1
      case .add(let added):
        (sign, line) = ("+", added)
        counts.new += 1
      }
      guard index >= hunk.lowerBound else { continue }
      let isEnded = line.last == UInt8(ascii: "\n")
      body += sign + VisibleText.escaping(isEnded ? line.dropLast() : line) + "\n"
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
    let difference = new.difference(from: old)
    let removed = offsets(of: difference.removals)
    let added = offsets(of: difference.insertions)
    var steps: [Step] = []
    var (row, column) = (0, 0)
    while row < old.count || column < new.count {
      if removed.contains(row) {
        steps.append(.remove(old[row]))
        row += 1
      } else if added.contains(column) {
        steps.append(.add(new[column]))
        column += 1
      } else {
        steps.append(.keep(old[row]))
        row += 1
        column += 1
      }
    }
    return steps
  }

  private static func offsets(of changes: [CollectionDifference<[UInt8]>.Change]) -> Set<Int> {
    Set(
      changes.map { change in
        switch change {
        case .remove(let offset, _, _), .insert(let offset, _, _): offset
        }
      })
  }
}
