@testable import MFAPAMStack
@testable import MFAServices

/// Reads PAM service files, which the byte 0x1E separates: the file of the service, then those
/// named `other`, `common-auth` and `common-account`.
///
/// A stack is bounded, and names existing places. Comments and blank lines have no effect. A line
/// that is reported as certain to deny does so for every result of the other modules. Lines that
/// `mfa-admin enable` inserts are removed again byte for byte.
enum ServicesTarget {
  private static let names = ["service", "other", "common-auth", "common-account"]

  private struct Source: StackSource {
    let files: [[UInt8]]

    func file(_ name: [UInt8]) throws(StackRefusal) -> StackFile? {
      guard let index = names.firstIndex(where: { Array($0.utf8) == name }), index < files.count
      else { return nil }
      return StackFile(path: Array("/etc/pam.d/\(names[index])".utf8), contents: files[index])
    }
  }

  static func check(_ input: [UInt8]) throws {
    let files = parts(of: input, atMost: names.count)
    let source = Source(files: files)
    let commented = Source(files: files.map { $0 + Array("\n\n  # comment \n\t\n".utf8) })
    let service = Array(names[0].utf8)
    for facility in StackType.allCases {
      let stack: ServiceStack
      do throws(StackRefusal) {
        stack = try ServiceStack(facility, of: service, from: source)
      } catch {
        try checkPlace(error.place, files)
        continue
      }
      try require(stack.entries.count <= ServiceStack.maximumLineCount, "a stack is too long")
      for entry in stack.entries { try checkPlace(entry.position.text, files) }
      try require(
        try ServiceStack(facility, of: service, from: commented) == stack,
        "a comment changes a stack")
    }
    try checkAccountLine(service, source)
    for file in files { try checkMarks(in: file, fingerprint(of: input)) }
  }

  private static func checkPlace(_ place: [UInt8], _ files: [[UInt8]]) throws {
    let text = String(decoding: place, as: UTF8.self).split(separator: ":")
    let index = try requireValue(
      names.firstIndex { "/etc/pam.d/\($0)" == text.first ?? "" }, "a place is not in a file")
    guard text.count > 1 else { return }
    let lines = files[index].count { $0 == UInt8(ascii: "\n") } + 1
    let line = try requireValue(Int(text[1]), "a place has no line")
    try require((1...lines).contains(line), "a place names a line that does not exist")
  }

  /// Compares the analysis with runs of the stack.
  private static func checkAccountLine(_ service: [UInt8], _ source: Source) throws {
    func line(isCalledByRoot: Bool) -> AccountLine {
      AccountLine(
        of: "pam_mfa.so", service: service, authArguments: [], isCalledByRoot: isCalledByRoot,
        from: source)
    }
    let lines = (root: line(isCalledByRoot: true), user: line(isCalledByRoot: false))
    for (line, isRoot) in [(lines.root, true), (lines.user, false)] {
      guard case .certain = line else { continue }
      let stack = try ServiceStack(.account, of: service, from: source)
      let run = StackRun(stack)
      try require(
        !run.maySucceed { entry in
          let isFailing =
            entry.asks(module: "pam_mfa.so") || !isRoot && entry.asks(module: "pam_rootok.so")
          return isFailing
            ? [.authenticationError, .accountExpired] : [.success, .authenticationError, .ignore]
        }, "a stack may succeed although a certain line denies")
    }
    if case .certain = lines.root {
      guard case .certain = lines.user else {
        throw Violation(description: "a line is certain for root but not for other users")
      }
    }
  }

  private static func checkMarks(in text: [UInt8], _ choice: UInt64) throws {
    let marks = MarkedText(service: Array(names[0].utf8))
    let lines = MarkedText.lines(of: text)
    let starts = lines.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }
    try require(lines.flatMap { $0 } == text, "removing lines loses bytes")
    guard marks.removing(from: text) == .absent else { return }
    let offset = starts[Int(choice % UInt64(starts.count))]
    let inserted = marks.inserting(Array(StackPlan.knownLines.prefix(2)), into: text, at: offset)
    try require(
      marks.removing(from: inserted) == .removed(text, editedLine: nil),
      "inserted lines are not removed")
  }
}
