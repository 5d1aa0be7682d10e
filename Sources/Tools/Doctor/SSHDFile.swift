import MFAAdmin
import MFABase

/// The lines of sshd_config and of the files that it includes, used to locate settings. The
/// effective values come from sshd itself.
package struct SSHDFile {
  /// A line that sets a keyword.
  package struct Line: Equatable {
    /// `FILE:LINE`
    let place: String
    /// The keyword, in lower case.
    let keyword: String
    /// The words after the keyword.
    let arguments: [String]
    /// The index of the `Match` line that the line belongs to, or nil.
    let match: Int?
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
  /// The paths of the files that were read.
  package private(set) var files: [String] = []
  /// The places that could not be read, each with the reason.
  package private(set) var unread: [(place: String, reason: String)] = []
  /// Whether the remaining lines are ignored. sshd, too, stops reading if includes are nested too
  /// deep.
  private var isStopped = false

  private let path: String

  /// Reads the configuration of a host: its main file, or another one.
  package init(of host: any ExaminedHost, at path: String = Self.path) {
    self.path = path
    read(path, under: nil, depth: 0, host)
  }

  /// Returns whether a `Match` line is followed by a setting that an examination uses, or whether
  /// that is not known.
  func matters(_ match: Int) -> Bool { !unread.isEmpty || !keywords(under: match).isEmpty }

  /// Returns the keywords that follow a `Match` line and that an examination uses, as `sshd -T` spells
  /// them.
  func keywords(under match: Int) -> Set<String> {
    Set(lines.filter { $0.match == match }.map { Self.names[$0.keyword] ?? $0.keyword })
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
      values.contains($0.arguments.joined(separator: " ").lowercased())
    }
    func applies(_ line: Line) -> Bool { line.match.map { matches.contains($0) } == true }
    let line =
      fitting.first(where: applies) ?? candidates.first(where: applies)
      ?? fitting.first { $0.match == nil } ?? fitting.first
      ?? candidates.first { $0.match == nil }
    return line?.place ?? mainPlace
  }

  /// The path of the file that was read first, escaped for display.
  var mainPlace: String { VisibleText.escaping(path) }

  private mutating func read(
    _ path: String, under outer: Int?, depth: Int, _ host: any ExaminedHost
  ) {
    let text: [UInt8]
    switch Self.text(of: path, host) {
    case .success(let found?): text = found
    case .success(nil): return
    case .failure(let error): return unread.append((path, error.reason))
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
        lines.append(Line(place: place, keyword: keyword, arguments: arguments, match: match))
      }
    }
  }

  /// Ignores all remaining lines of all files.
  private mutating func stop(at place: String, _ reason: String) {
    unread.append((place, reason))
    isStopped = true
  }

  /// The reason why a file or folder cannot be read.
  private struct Failure: Error { let reason: String }

  private static func text(
    of path: String, _ host: any ExaminedHost
  ) -> Result<[UInt8]?, Failure> {
    do { return .success(try host.text(of: path)) } catch {
      return .failure(Failure(reason: error.text))
    }
  }

  /// Returns the files that match an include pattern, sorted as by glob(3), which sshd uses. The
  /// folders come from the host and not from glob(3), so that the host can be a simulated one.
  private mutating func files(
    _ pattern: String, at place: String, _ host: any ExaminedHost
  ) -> [String] {
    let path = pattern.hasPrefix("/") ? pattern : "\(InstalledPath.sshdFolder)/" + pattern
    var paths = [""]
    for component in path.split(separator: "/") {
      let pattern = NamePattern(component)
      guard pattern.hasWildcards else {
        paths = paths.map { "\($0)/\(component)" }
        continue
      }
      var found: [String] = []
      for folder in paths {
        switch Self.names(in: folder.isEmpty ? "/" : folder, host) {
        case .failure(let error): unread.append((place, error.reason))
        case .success(let names):
          found += names.filter { pattern.matches($0) }.map { "\(folder)/\($0)" }
        }
      }
      paths = found
    }
    return paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private static func names(
    in folder: String, _ host: any ExaminedHost
  ) -> Result<[String], Failure> {
    do { return .success(try host.names(in: folder)) } catch {
      switch error {
      case .system(let error):
        return error.isNotFound ? .success([]) : .failure(Failure(reason: error.text))
      case .untrusted(let distrust): return .failure(Failure(reason: "\(distrust.name)"))
      }
    }
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
