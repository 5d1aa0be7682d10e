/// What is different in a file, as `diff -u` shows it and `patch` takes it.
struct UnifiedDiff {
  /// The file's path.
  let path: String
  /// What it holds; nil where it does not exist.
  let old: [UInt8]?
  /// What it is to hold; nil where it is to be removed.
  let new: [UInt8]?

  /// How many lines that stay are shown around those that change.
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

  /// The text, which is empty where nothing is different.
  var text: String {
    guard old != new else { return "" }
    let steps = Self.steps(MarkedText.lines(of: old ?? []), MarkedText.lines(of: new ?? []))
    var text = "--- \(old == nil ? "/dev/null" : path)\n+++ \(new == nil ? "/dev/null" : path)\n"
    for hunk in Self.hunks(steps) { text += Self.text(of: hunk, steps) }
    return text
  }

  /// Where there is something to show, as indices of steps.
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

  /// A range of lines as hunks name it: of none, the line before it.
  private static func range(_ before: Int, _ count: Int) -> String {
    "\(count == 0 ? before : before + 1),\(count)"
  }

  /// The longest row of lines in the middle of which what is common is looked for.
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

  /// Both texts line by line, with the longest row of common lines kept.
  private static func changes(_ old: [[UInt8]], _ new: [[UInt8]]) -> [Step] {
    guard !old.isEmpty, !new.isEmpty, old.count <= longest, new.count <= longest else {
      return old.map { .remove($0) } + new.map { .add($0) }
    }
    let width = new.count + 1
    // How many lines are common to what is left of the two from here on.
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
