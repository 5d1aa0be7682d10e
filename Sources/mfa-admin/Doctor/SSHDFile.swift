/// The text of sshd_config, with the files that it includes: where a setting is made. What the
/// settings come to, sshd itself says.
struct SSHDFile {
  /// A line that says something.
  struct Line: Equatable {
    /// `FILE:LINE`
    let place: String
    /// Its keyword, in lower case.
    let keyword: String
    /// The rest of it.
    let arguments: [String]
    /// Which of the `Match` lines it stands under, as a place among them; nil for none.
    let match: Int?
  }

  /// A `Match` line.
  struct Match: Equatable {
    let place: String
    /// Its criteria and patterns in turn; nothing else.
    let arguments: [String]
  }

  /// Where sshd looks for it.
  static let path = "/etc/ssh/sshd_config"

  /// How deep files may include one another, as sshd has it.
  private static let deepest = 16

  /// How many files are read. A file that is included several times counts each time, so that files
  /// that include one another end.
  private static let mostFiles = 1000

  private(set) var lines: [Line] = []
  private(set) var matches: [Match] = []
  /// What could not be read, and why.
  private(set) var unread: [(place: String, reason: String)] = []
  private var filesRead = 0
  /// Whether the rest is left out, as sshd does where files include one another too deep.
  private var isStopped = false

  /// Reads the file of a host.
  init(of host: any ExaminedHost) { read(Self.path, under: nil, depth: 0, host) }

  /// Which line makes a setting what it is, for those under a `Match` line or for everybody: the first
  /// line counts. The file itself where no line does.
  func place(
    of keywords: [String], saying settings: SSHDSettings, under match: Int? = nil
  ) -> String {
    let candidates = lines.filter { keywords.contains($0.keyword) }
    let values = keywords.compactMap { settings.value(of: $0)?.lowercased() }
    let fitting = candidates.filter {
      values.contains($0.arguments.joined(separator: " ").lowercased())
    }
    let line =
      candidates.first { $0.match != nil && $0.match == match }
      ?? fitting.first { $0.match == nil } ?? fitting.first
      ?? candidates.first { $0.match == nil }
    return line?.place ?? Self.path
  }

  private mutating func read(
    _ path: String, under outer: Int?, depth: Int, _ host: any ExaminedHost
  ) {
    let text: [UInt8]
    switch Self.text(of: path, host) {
    case .success(let found?): text = found
    case .success(nil): return
    case .failure(let error): return unread.append((path, error.reason))
    }
    filesRead += 1
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
          stop(at: place, "files include one another more than \(Self.deepest) deep")
          return
        }
        for pattern in arguments {
          for file in files(pattern, at: place, host) where !isStopped {
            guard filesRead < Self.mostFiles else {
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

  /// Leaves out the rest of all files.
  private mutating func stop(at place: String, _ reason: String) {
    unread.append((place, reason))
    isStopped = true
  }

  /// Why something cannot be read.
  private struct Failure: Error { let reason: String }

  private static func text(
    of path: String, _ host: any ExaminedHost
  ) -> Result<[UInt8]?, Failure> {
    do { return .success(try host.text(of: path)) } catch {
      return .failure(Failure(reason: error.text))
    }
  }

  /// The files that a pattern stands for, in order. It may have `*` and `?` in its last part.
  private mutating func files(
    _ pattern: String, at place: String, _ host: any ExaminedHost
  ) -> [String] {
    let path = pattern.hasPrefix("/") ? pattern : "/etc/ssh/" + pattern
    guard let slash = path.lastIndex(of: "/") else { return [] }
    let folder = String(path[..<slash])
    let name = String(path[path.index(after: slash)...])
    guard path.contains(where: { "*?[".contains($0) }) else { return [path] }
    guard !folder.contains(where: { "*?[".contains($0) }), !name.contains("[") else {
      unread.append((place, "the pattern is more than this program understands"))
      return []
    }
    switch Self.names(in: folder, host) {
    case .failure(let error):
      unread.append((place, error.reason))
      return []
    case .success(let names):
      return names.filter { !$0.hasPrefix(".") && Self.matches($0.utf8, name.utf8) }
        .sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
        .map { "\(folder)/\($0)" }
    }
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

  /// Whether a name fits a pattern with `*` and `?`.
  static func matches(_ name: String.UTF8View, _ pattern: String.UTF8View) -> Bool {
    let name = Array(name)
    var fitting: Set<Int> = [0]
    for byte in pattern {
      var next: Set<Int> = []
      for start in fitting {
        if byte == UInt8(ascii: "*") {
          next.formUnion(start...name.count)
        } else if start < name.count, byte == UInt8(ascii: "?") || byte == name[start] {
          next.insert(start + 1)
        }
      }
      fitting = next
    }
    return fitting.contains(name.count)
  }

  /// The words of a line as sshd reads them (`strdelim` and `argv_split` in OpenSSH's misc.c): blanks
  /// and the first equals sign separate words, quotation marks may surround a part of a word, and `#`
  /// at the start of a word begins a comment. In an argument, single quotation marks count too, and a
  /// backslash before a quotation mark, a space or another backslash stands for that character.
  static func words(_ line: ArraySlice<UInt8>) -> [String] {
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
