/// The changes to a file in the unified format of `diff -u`, which `patch` accepts.
struct UnifiedDiff {
  /// The path of the file.
  let path: String
  /// The current contents, or nil if the file does not exist.
  let old: [UInt8]?
  /// The new contents, or nil if the file is to be removed.
  let new: [UInt8]?

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
  var text: String {
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

  /// The maximum number of changed lines in each text that are searched for common lines. The
  /// memory used is quadratic.
  private static var longest: Int { 2000 }

  private static func steps(_ old: [[UInt8]], _ new: [[UInt8]]) -> [Step] {
    var start = 0
    while start < min(old.count, new.count), old[start] == new[start] { start += 1 }
    var end = 0
    while end < min(old.count, new.count) - start,
      old[old.count - 1 - end] == new[new.count - 1 - end]
    { end += 1 }
    let middle = changes(
      Array(old[start..<(old.count - end)]), Array(new[start..<(new.count - end)]))
    return old[..<start].map { .keep($0) } + middle + old[(old.count - end)...].map { .keep($0) }
  }

  /// Returns the steps from one text to the other that keep a longest common subsequence of lines.
  private static func changes(_ old: [[UInt8]], _ new: [[UInt8]]) -> [Step] {
    guard !old.isEmpty, !new.isEmpty, old.count <= longest, new.count <= longest else {
      return old.map { .remove($0) } + new.map { .add($0) }
    }
    let width = new.count + 1
    // The length of the longest common subsequence of the remaining lines from each position on.
    var common = [Int](repeating: 0, count: (old.count + 1) * width)
    for row in old.indices.reversed() {
      for column in new.indices.reversed() {
        common[row * width + column] =
          old[row] == new[column]
          ? common[(row + 1) * width + column + 1] + 1
          : max(common[(row + 1) * width + column], common[row * width + column + 1])
      }
    }
    var steps: [Step] = []
    var (row, column) = (0, 0)
    while row < old.count || column < new.count {
      if row < old.count, column < new.count, old[row] == new[column] {
        steps.append(.keep(old[row]))
        row += 1
        column += 1
      } else if column == new.count
        || (row < old.count
          && common[(row + 1) * width + column] >= common[row * width + column + 1])
      {
        steps.append(.remove(old[row]))
        row += 1
      } else {
        steps.append(.add(new[column]))
        column += 1
      }
    }
    return steps
  }
}
