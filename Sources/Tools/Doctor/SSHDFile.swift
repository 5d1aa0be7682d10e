import MFAAdmin
import MFABase
import MFAModel

/// The lines of sshd_config and of the files that it includes, used to locate settings. The
/// effective values come from sshd itself.
package struct SSHDFile {
  /// A line that sets a keyword.
  package struct Line: Equatable {
    /// The path of the file.
    package let file: String
    /// `FILE:LINE`
    package let place: String
    /// The keyword, in lower case.
    package let keyword: String
    /// The words after the keyword.
    let arguments: [String]
    /// The index of the `Match` line that the line belongs to, or nil.
    package let match: Int?

    /// The keyword as `sshd -T` spells it.
    package var name: String { SSHDFile.names[keyword] ?? keyword }

    /// The words after the keyword, with single blanks.
    package var value: String { arguments.joined(separator: " ") }
  }

  /// An `Include` line.
  package struct Include {
    /// The path of the file.
    package let file: String
    package let place: String
    package let patterns: [String]
    /// The index of the `Match` line that the line belongs to, or nil.
    package let match: Int?
    /// The number of `lines` that sshd reads before the files of the line.
    package let position: Int
  }

  /// A `Match` line.
  package struct Match: Equatable {
    let place: String
    /// The criteria and patterns, alternating.
    let arguments: [String]
  }

  /// The path of sshd's main configuration file.
  package static let path = "\(InstalledPath.sshd)"

  /// The maximum include depth, which is the same as in sshd.
  private static let deepest = 16

  /// The maximum number of files read. A file that is included several times counts each time, so
  /// that reading ends even if files include each other.
  private static let mostFiles = 1000

  package private(set) var lines: [Line] = []
  package private(set) var matches: [Match] = []
  package private(set) var includes: [Include] = []
  /// The paths of the files that were read.
  package private(set) var files: [String] = []
  /// The places that could not be read, each with the reason.
  package private(set) var unread: [AdminError] = []
  /// Whether the remaining lines are ignored. sshd, too, stops reading if includes are nested too
  /// deep.
  private var isStopped = false

  private let path: String

  /// Reads the configuration of a host: its main file, or another one.
  package init(of host: any ExaminedHost, at path: String = Self.path) {
    self.path = path
    read(path, under: nil, depth: 0, host)
  }

  /// Returns whether what belongs to a `Match` line applies to some sign-ins only. `Match all` ends a
  /// conditional block.
  package func isConditional(_ match: Int?) -> Bool {
    match.map { matches[$0].arguments.joined(separator: " ").lowercased() != "all" } ?? false
  }

  /// Returns whether a `Match` line is followed by a setting that an examination uses, or whether
  /// that is not known.
  func matters(_ match: Int) -> Bool { !unread.isEmpty || !keywords(under: match).isEmpty }

  /// Returns the keywords that follow a `Match` line and that an examination uses, as `sshd -T` spells
  /// them.
  func keywords(under match: Int) -> Set<String> {
    Set(lines.filter { $0.match == match }.map(\.name))
      .intersection(SSHDSettings.keys)
  }

  /// The earlier names of keywords.
  private static let names = [
    "challengeresponseauthentication": "kbdinteractiveauthentication",
    "skeyauthentication": "kbdinteractiveauthentication",
  ]

  /// Returns the place of the line that determines a setting, for connections to which `Match` lines
  /// apply or in general: the first line counts. Returns the path of the file if no line sets the
  /// keyword.
  package func place(
    of keywords: [String], saying settings: SSHDSettings, under matches: Set<Int> = []
  ) -> String {
    let candidates = lines.filter { keywords.contains($0.keyword) }
    let values = keywords.compactMap { settings.value(of: $0)?.lowercased() }
    let fitting = candidates.filter {
      values.contains($0.value.lowercased())
    }
    func applies(_ line: Line) -> Bool { line.match.map { matches.contains($0) } == true }
    let line =
      fitting.first(where: applies) ?? candidates.first(where: applies)
      ?? fitting.first { $0.match == nil } ?? fitting.first
      ?? candidates.first { $0.match == nil }
    return line?.place ?? mainPlace
  }

  /// Returns the `Match` line that the line at a place belongs to, escaped for display, or nil if the line applies
  /// to all sign-ins.
  func match(ofLineAt place: String) -> String? {
    guard let match = lines.first(where: { $0.place == place })?.match, isConditional(match) else {
      return nil
    }
    return VisibleText.escaping("Match " + matches[match].arguments.joined(separator: " "))
  }

  /// The path of the file that was read first, escaped for display.
  var mainPlace: String { VisibleText.escaping(path) }

  private mutating func read(
    _ path: String, under outer: Int?, depth: Int, _ host: any ExaminedHost
  ) {
    let text: [UInt8]
    do throws(AdminError) {
      guard let found = try host.text(of: path) else { return }
      text = found
    } catch {
      return unread.append(error)
    }
    files.append(path)
    var match = outer
    let physical = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, bytes) in physical.enumerated() {
      guard !isStopped else { return }
      let words = Self.words(bytes)
      guard let keyword = words.first?.lowercased(), !keyword.isEmpty else { continue }
      let place = "\(VisibleText.escaping(path)):\(index + 1)"
      let arguments = Array(words.dropFirst())
      switch keyword {
      case "match":
        match = matches.count
        matches.append(Match(place: place, arguments: arguments))
      case "include":
        includes.append(
          Include(
            file: path, place: place, patterns: arguments, match: match, position: lines.count))
        guard depth < Self.deepest else {
          stop(at: place, "includes are nested more than \(Self.deepest) deep")
          return
        }
        for pattern in arguments {
          for file in files(pattern, at: place, host) where !isStopped {
            guard files.count < Self.mostFiles else {
              stop(at: place, "more than \(Self.mostFiles) files are included")
              return
            }
            read(file, under: match, depth: depth + 1, host)
          }
        }
      case _:
        lines.append(
          Line(file: path, place: place, keyword: keyword, arguments: arguments, match: match))
      }
    }
  }

  /// Ignores all remaining lines of all files.
  private mutating func stop(at place: String, _ reason: String) {
    unread.append(AdminError(at: place, reason))
    isStopped = true
  }

  /// Returns the files that match an include pattern.
  private mutating func files(
    _ pattern: String, at place: String, _ host: any ExaminedHost
  ) -> [String] {
    let found = host.glob(
      pattern.hasPrefix("/") ? pattern : "\(InstalledPath.sshdFolder)/" + pattern)
    unread += found.unread.map { AdminError(at: place, $0.reason) }
    return found.paths
  }

  /// Returns the words of a line as sshd reads them (`strdelim` and `argv_split` in OpenSSH's
  /// misc.c).
  ///
  /// Blanks and the first equals sign separate words. Quotation marks may surround a part of a
  /// word. A `#` at the start of a word begins a comment. In an argument, single quotation marks
  /// count too, and a backslash escapes a quotation mark, a space or another backslash.
  package static func words(_ line: ArraySlice<UInt8>) -> [String] {
    var words: [[UInt8]] = []
    var word: [UInt8]?
    var quote: UInt8?
    var equalsSigns = 0
    var rest = line
    while let byte = rest.popFirst() {
      let isArgument = !words.isEmpty
      if isArgument, byte == UInt8(ascii: "\\"), let next = rest.first,
        isQuotationMark(next) || next == byte || quote == nil && next == UInt8(ascii: " ")
      {
        word = (word ?? []) + [next]
        rest.removeFirst()
        continue
      }
      if quote == byte {
        quote = nil
        continue
      }
      if quote == nil, byte == UInt8(ascii: "\"") || isArgument && isQuotationMark(byte) {
        quote = byte
        word = word ?? []
        continue
      }
      let isFirstEqualsSign =
        byte == UInt8(ascii: "=") && words.count + (word == nil ? 0 : 1) == 1 && equalsSigns == 0
      let isBlank = [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), 0x0C].contains(byte)
      if quote == nil, isBlank || isFirstEqualsSign {
        if isFirstEqualsSign { equalsSigns += 1 }
        if let ended = word { words.append(ended) }
        word = nil
      } else if quote == nil, byte == UInt8(ascii: "#"), word == nil {
        break
      } else {
        word = (word ?? []) + [byte]
      }
    }
    if let word { words.append(word) }
    return words.map { String(decoding: $0, as: UTF8.self) }
  }

  private static func isQuotationMark(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
  }
}

/// The criteria of a `Match` line (sshd_config(5)).
struct SSHDCriteria {
  /// A criterion about the connection.
  enum Field: String, CaseIterable {
    case host, address
    case localAddress = "localaddress"
    case localPort = "localport"
    case rdomain

    /// The field in words.
    var words: String {
      switch self {
      case .host: "host"
      case .address: "address"
      case .localAddress: "local address"
      case .localPort: "port"
      case .rdomain: "routing domain"
      }
    }
  }

  /// The patterns of a criterion about the connection.
  struct Condition {
    let field: Field
    let patterns: SSHDPatterns
  }

  /// The criteria about the user's name.
  private(set) var users: [SSHDPatterns] = []
  /// The criteria about the user's groups.
  private(set) var groups: [SSHDPatterns] = []
  /// The criteria about the connection.
  private(set) var conditions: [Condition] = []
  /// Whether the line is about names that no account has. Such a line applies to no sign-in.
  private(set) var isForMissingUsers = false
  /// Whether only sshd can evaluate a criterion, because it concerns the version of sshd.
  private(set) var isDecidedBySSHD = false
  /// The criteria that are not known here.
  private(set) var unknown: [String] = []

  /// Reads the words after `Match`. Newer versions of sshd also accept `User=alice` as one word.
  init(_ arguments: [String]) {
    var rest = arguments[...]
    while let word = rest.popFirst() {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = parts[0].lowercased()
      switch name {
      case "all": continue
      case "invalid-user": isForMissingUsers = true
      case _: add(name, parts.count > 1 ? String(parts[1]) : rest.popFirst() ?? "")
      }
    }
  }

  private mutating func add(_ name: String, _ value: String) {
    let patterns = SSHDPatterns(value)
    switch name {
    case "user": users.append(patterns)
    case "group": groups.append(patterns)
    case "version": isDecidedBySSHD = true
    case _:
      if let field = Field(rawValue: name) {
        conditions.append(Condition(field: field, patterns: patterns))
      } else {
        unknown.append(name)
      }
    }
  }

  /// Whether a criterion about users or groups has wildcards or exclusions, so that it can concern any
  /// account.
  var hasUserPatterns: Bool {
    (users + groups).contains { $0.hasWildcards || $0.patterns.contains(where: \.isNegated) }
  }

  /// Whether a criterion is about users or groups.
  var areAboutUsers: Bool { !users.isEmpty || !groups.isEmpty }

  /// Returns whether the criteria about the connection hold.
  func hold(for connection: SSHDConnection) -> Bool {
    conditions.allSatisfy { $0.holds(for: connection[$0.field]) }
  }
}

extension SSHDCriteria.Condition {
  /// Returns the condition with the same patterns about another field.
  func of(_ field: SSHDCriteria.Field) -> SSHDCriteria.Condition {
    SSHDCriteria.Condition(field: field, patterns: patterns)
  }

  /// The maximum number of values that are tried for one criterion.
  private static let mostSamples = 64

  /// Returns whether sshd finds the criterion to hold for a value.
  func holds(for value: String) -> Bool {
    switch field {
    case .host: patterns.lowercased.matches(user: value.lowercased())
    case .address, .localAddress: patterns.matches(address: value)
    case .localPort: Int(value) != nil && patterns.positive.contains { Int($0) == Int(value) }
    case .rdomain: !value.isEmpty && patterns.matches(user: value)
    }
  }

  /// Values for which the criterion holds.
  var samples: [String] {
    var seen: Set<String> = []
    let all = patterns.positive.flatMap { candidates($0) }
    return Array(
      all.filter { seen.insert($0).inserted && holds(for: $0) }.prefix(Self.mostSamples))
  }

  /// Returns an address that begins as a pattern such as `10.*`.
  private static func completed(_ pattern: String) -> [String] {
    guard pattern.hasSuffix(".*") else { return [] }
    let parts = pattern.split(separator: ".").dropLast()
    guard parts.count < 4, parts.allSatisfy({ UInt8($0) != nil }) else { return [] }
    return [(parts + repeatElement("1", count: 4 - parts.count)).joined(separator: ".")]
  }

  private func candidates(_ pattern: String) -> [String] {
    switch field {
    case .localPort: return [pattern]
    case .host, .rdomain: return SSHDPatterns.words(matching: pattern)
    case .address, .localAddress:
      guard let network = Network(containing: Array(pattern.utf8).span) else {
        return ["0", "1", "254"].map {
          pattern.replacing("*", with: $0).replacing("?", with: $0.prefix(1))
        } + Self.completed(pattern) + ["192.0.2.1"]
      }
      return [network.first, network.last].map { String(decoding: $0.text, as: UTF8.self) }
    }
  }
}

/// A list of patterns on a `Match` line (ssh_config(5), "PATTERNS"): separated by commas, with the
/// wildcards `*` and `?`; a pattern after `!` excludes what it matches.
///
/// MUST 1: sshd comes to the same result. (`SSHDPatternsTests`, `EndToEnd.Doctor.matchLines`)
struct SSHDPatterns: Equatable {
  /// A pattern of the list.
  struct Pattern: Equatable {
    let text: String
    let isNegated: Bool
    fileprivate let name: NamePattern

    init(text: String, isNegated: Bool) {
      self.text = text
      self.isNegated = isNegated
      name = NamePattern(inSSHD: text)
    }
  }

  let patterns: [Pattern]

  /// Parses a list.
  init(_ text: String) {
    patterns = text.split(separator: ",", omittingEmptySubsequences: false).map { part in
      part.hasPrefix("!")
        ? Pattern(text: String(part.dropFirst()), isNegated: true)
        : Pattern(text: String(part), isNegated: false)
    }
  }

  /// The patterns that do not exclude.
  var positive: [String] { patterns.filter { !$0.isNegated }.map(\.text) }

  /// Whether a pattern has a wildcard.
  var hasWildcards: Bool { patterns.contains { Self.isPattern($0.text) } }

  /// Returns whether a pattern has a wildcard.
  static func isPattern(_ text: String) -> Bool { text.contains { $0 == "*" || $0 == "?" } }

  /// The same patterns in lower case.
  var lowercased: SSHDPatterns {
    SSHDPatterns(
      patterns: patterns.map { Pattern(text: $0.text.lowercased(), isNegated: $0.isNegated) })
  }

  private init(patterns: [Pattern]) { self.patterns = patterns }

  /// Returns words that a pattern matches, shortest first.
  static func words(matching pattern: String) -> [String] {
    guard isPattern(pattern) else { return [pattern] }
    return ["", "x", "example", "0"].map { filling in
      pattern.replacing("*", with: filling)
        .replacing("?", with: filling.isEmpty ? "a" : filling.prefix(1))
    }.filter { !$0.isEmpty }
  }

  /// Returns whether a user name matches the list.
  func matches(user: String) -> Bool { matches(groups: [user]) }

  /// Returns whether an address matches the list, whose patterns can be networks.
  func matches(address text: String) -> Bool {
    guard let address = IPAddress(Array(text.utf8).span) else { return false }
    return matches { pattern in
      Network(containing: Array(pattern.text.utf8).span)?.contains(address)
        ?? pattern.name.matches(text)
    }
  }

  /// Returns whether a user with these groups matches the list. One group that is excluded excludes
  /// the user.
  func matches(groups: [String]) -> Bool {
    matches { pattern in groups.contains { pattern.name.matches($0) } }
  }

  /// Returns whether a pattern holds, and none of those that exclude.
  private func matches(_ holds: (Pattern) -> Bool) -> Bool {
    let found = patterns.filter(holds)
    return !found.isEmpty && !found.contains(where: \.isNegated)
  }
}
