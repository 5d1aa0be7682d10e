import MFAAdmin

/// The lines of sudoers and of the files that it includes, used to locate rules and settings. The
/// rules themselves come from sudo's own parser.
package struct SudoersFiles {
  /// A line, with the lines that continue it.
  struct Line: Equatable {
    /// `FILE:LINE`
    let place: String
    /// The text without quotation marks, backslashes and superfluous blanks.
    let text: String
  }

  /// The first file.
  package let path: String
  /// The name of the host, for `%h` in the names of included files.
  private let host: String
  private let machine: any ExaminedHost
  private(set) var lines: [Line] = []
  private var filesRead = 0

  /// The maximum depth of included files, which is the same as in sudo.
  private static let deepest = 128

  /// The maximum number of files that are read.
  private static let mostFiles = 1000

  /// Reads the files. Only the places of rules are missing for a file or folder that cannot be read.
  package init(path: String, host: SudoersHost, on machine: any ExaminedHost) {
    self.path = path
    self.host = String(host.name.prefix { $0 != "." })
    self.machine = machine
    read(path, depth: 0)
  }

  private mutating func read(_ path: String, depth: Int) {
    filesRead += 1
    guard depth < Self.deepest, filesRead <= Self.mostFiles else { return }
    let text: [UInt8]
    do throws(AdminError) { text = try machine.text(of: path) ?? [] } catch { return }
    var continued = ""
    var start = 0
    let physical = String(decoding: text, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in physical.enumerated() {
      if continued.isEmpty { start = index }
      continued += line
      if line.hasSuffix("\\") {
        continued.removeLast()
        continued += " "
        continue
      }
      add(continued, at: "\(VisibleText.escaping(Array(path.utf8))):\(start + 1)", path, depth)
      continued = ""
    }
  }

  private mutating func add(_ line: String, at place: String, _ path: String, _ depth: Int) {
    let text = Self.normalized(Self.withoutComment(line))
    guard !text.isEmpty else { return }
    let words = text.split(separator: " ", maxSplits: 1).map(String.init)
    guard let keyword = words.first, words.count == 2,
      ["@include", "#include", "@includedir", "#includedir"].contains(keyword)
    else { return lines.append(Line(place: place, text: text)) }
    var name = words[1].replacing("%h", with: host)
    if !name.hasPrefix("/") {
      name = path[..<(path.lastIndex(of: "/") ?? path.startIndex)] + "/" + name
    }
    guard keyword.hasSuffix("dir") else { return read(name, depth: depth + 1) }
    let names: [String]
    do throws(AdminError) { names = try machine.names(in: name) } catch { return }
    for file in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    where !file.contains(".") && !file.hasSuffix("~") {
      read("\(name)/\(file)", depth: depth + 1)
    }
  }

  /// Returns a line without its comment. A number sign before a digit belongs to an ID.
  private static func withoutComment(_ line: String) -> String {
    var previous: Character = " "
    var index = line.startIndex
    let isInclude = line.drop { $0 == " " || $0 == "\t" }.hasPrefix("#include")
    while index < line.endIndex {
      let next = line.index(after: index)
      let isID = next < line.endIndex && line[next].isNumber
      if line[index] == "#", previous != "\\", !isID, !isInclude {
        return String(line[..<index])
      }
      previous = line[index]
      index = next
    }
    return line
  }

  /// Returns a text without quotation marks and backslashes, and with single blanks.
  static func normalized(_ text: String) -> String {
    text.filter { $0 != "\"" && $0 != "\\" && $0 != "\r" }
      .split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ")
  }

  /// Returns whether a word occurs in a line, and not only as a part of another word.
  static func contains(_ text: String, _ word: String) -> Bool {
    let word = normalized(word)
    guard !word.isEmpty else { return true }
    var rest = text[...]
    while let range = rest.firstRange(of: word) {
      let before =
        range.lowerBound == text.startIndex
        ? nil : text[text.index(before: range.lowerBound)]
      let after = range.upperBound == text.endIndex ? nil : text[range.upperBound]
      if [before, after].allSatisfy({ $0.map { " ,=:()!>@\t".contains($0) } ?? true }) {
        return true
      }
      rest = text[text.index(after: range.lowerBound)...]
    }
    return false
  }
}

extension SudoersFiles {
  /// Returns the places of the user specifications and `Defaults` lines of a policy, by number.
  ///
  /// They have the order of the files. One that is not found has the path of the first file.
  package func places(of policy: SudoersPolicy) -> (rules: [String], defaults: [String]) {
    var specifications: [[String]] = []
    for rule in policy.rules {
      while specifications.count <= rule.specification { specifications.append([]) }
      let tag = rule.authenticates.map { $0 ? "PASSWD" : "NOPASSWD" }
      specifications[rule.specification] +=
        rule.users.words + rule.hosts.words + rule.commands.words + (tag.map { [$0] } ?? [])
    }
    var settings: [[String]] = []
    for item in policy.defaults {
      while settings.count <= item.line { settings.append([]) }
      settings[item.line] += item.members.words + [item.name]
    }
    let isSetting = { (line: Line) in line.text.hasPrefix("Defaults") }
    let rules = lines.filter { !isSetting($0) && !Self.isAlias($0) }
    return (
      // One line can have several user specifications, separated by colons.
      places(of: specifications, among: rules, each: 0),
      places(of: settings, among: lines.filter(isSetting), each: 1)
    )
  }

  private static func isAlias(_ line: Line) -> Bool {
    ["User_Alias ", "Runas_Alias ", "Host_Alias ", "Cmnd_Alias ", "Cmd_Alias "]
      .contains { line.text.hasPrefix($0) }
  }

  /// Returns the places of items, by the words that their lines contain. The line of the next item is
  /// at least `distance` lines further.
  private func places(
    of items: [[String]], among lines: [Line], each distance: Int
  ) -> [String] {
    var next = 0
    return items.map { words in
      guard !words.isEmpty,
        let found = lines[next...].firstIndex(where: { line in
          words.allSatisfy { Self.contains(line.text, $0) }
        })
      else { return path }
      next = found + distance
      return lines[found].place
    }
  }
}
