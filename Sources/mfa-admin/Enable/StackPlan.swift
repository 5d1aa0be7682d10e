import PAMStack

/// Where the module's lines go in a service's file.
///
/// MUST 1: nothing is put in place that PAMStack has not read back and judged. (`StackPlanTests`)
struct StackPlan: Equatable {
  /// What the file is to hold.
  let text: [UInt8]

  private static let auth = "auth requisite pam_mfa.so"
  private static let account = "account required pam_mfa.so"
  /// Keeps root, who is not asked, from being stopped by accounts without a factor.
  private static let rootAccount = "account sufficient pam_rootok.so"

  /// All lines that are put into service files.
  static let knownLines = [auth, account, rootAccount]

  private static func accountLines(of service: [UInt8]) -> [String] {
    CallingUser.isRoot(at: service) ? [account] : [rootAccount, account]
  }

  /// Finds the place: behind what asks for the password, the first one that will do.
  ///
  /// `mark` is the service that the marks name, and `source` has all files as they are.
  init<Source: StackSource>(
    _ service: [UInt8], mark: [UInt8], file: StackFile, in source: OverlaidStacks<Source>
  ) throws(StackProof.Obstacle) {
    let ends = Self.ends(of: file.contents)
    guard let first = try Self.passwordLine(service, file, ends, source) else { throw .noPassword }
    var obstacle = StackProof.Obstacle.missing
    for end in ends[first...] {
      for lines in try Self.drafts(service, mark, file, end, source) {
        let draft = source.replacing(service, with: StackFile(path: file.path, contents: lines))
        guard let found = StackProof.obstacle(of: service, in: draft) else {
          text = lines
          return
        }
        if obstacle == .missing { obstacle = found }
      }
    }
    throw obstacle
  }

  /// The file with both lines at `end`, and with the `account` line above all others.
  private static func drafts<Source: StackSource>(
    _ service: [UInt8], _ mark: [UInt8], _ file: StackFile, _ end: Int,
    _ source: OverlaidStacks<Source>
  ) throws(StackProof.Obstacle) -> [[UInt8]] {
    let marks = MarkedText(service: mark)
    let text = file.contents
    let together = marks.inserting([auth] + accountLines(of: service), into: text, at: end)
    guard let top = try accountStart(service, file, source), top <= end else { return [together] }
    let below = marks.inserting([auth], into: text, at: end)
    return [together, marks.inserting(accountLines(of: service), into: below, at: top)]
  }

  /// Where each line ends, with those that continue it: the offset behind it.
  private static func ends(of text: [UInt8]) -> [Int] {
    var ends: [Int] = []
    var offset = 0
    for line in MarkedText.lines(of: text) {
      offset += line.count
      let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      let isComment = words.first?.hasPrefix("#") == true
      guard isComment || words.last?.hasSuffix("\\") != true else { continue }
      ends.append(offset)
    }
    return ends
  }

  /// The first line that asks for a password, by way of other files or not, as an index of `ends`.
  private static func passwordLine<Source: StackSource>(
    _ service: [UInt8], _ file: StackFile, _ ends: [Int], _ source: OverlaidStacks<Source>
  ) throws(StackProof.Obstacle) -> Int? {
    for (index, end) in ends.enumerated() {
      let entries = try entries(.auth, service, file, until: end, source)
      if entries.contains(where: { StackProof.asksPassword($0) }) { return index }
    }
    return nil
  }

  /// Where the first line begins that is an `account` line, or includes one; nil for none.
  private static func accountStart<Source: StackSource>(
    _ service: [UInt8], _ file: StackFile, _ source: OverlaidStacks<Source>
  ) throws(StackProof.Obstacle) -> Int? {
    var start = 0
    for end in ends(of: file.contents) {
      guard try entries(.account, service, file, until: end, source).isEmpty else { return start }
      start = end
    }
    return nil
  }

  /// What is asked where the file ends at `end`.
  private static func entries<Source: StackSource>(
    _ facility: StackFacility, _ service: [UInt8], _ file: StackFile, until end: Int,
    _ source: OverlaidStacks<Source>
  ) throws(StackProof.Obstacle) -> [StackEntry] {
    let beginning = StackFile(path: file.path, contents: Array(file.contents[..<end]))
    var truncated = source.replacing(service, with: beginning)
    truncated.hasOther = false
    do throws(StackRefusal) {
      return try ServiceStack(facility, of: service, from: truncated).entries
    } catch {
      throw .unknown(error)
    }
  }
}
