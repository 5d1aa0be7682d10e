/// A file in the format of gettext's catalogues
/// (https://www.gnu.org/software/gettext/manual, "The format of PO files").
struct CatalogueFile: Sendable {
  let path: String
  let text: String

  /// The last part of the path.
  var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}

/// The entries of a catalogue.
struct Catalogue {
  /// A message: what it is for, its text in English and its text in the language of the catalogue.
  struct Entry {
    /// The number of the first line that is not a comment.
    let line: Int
    var isFuzzy = false
    /// The strings by their keywords, such as `msgid` or `msgstr[0]`.
    var strings: [String: String] = [:]

    /// The message that the text belongs to.
    var context: String { strings["msgctxt"] ?? "" }

    /// The English text, and its plural form if there is one.
    var english: [String] { ["msgid", "msgid_plural"].compactMap { strings[$0] } }

    /// The translation, or its plural forms.
    var translation: [String] {
      if let text = strings["msgstr"] { return [text] }
      return (0..<strings.count).compactMap { strings["msgstr[\($0)]"] }
    }
  }

  let file: CatalogueFile
  /// The entries after the header.
  private(set) var entries: [Entry] = []
  private(set) var rule = PluralRule(header: "", forms: [.others])

  /// Parses a file.
  init(_ file: CatalogueFile, problems: inout Problems) {
    self.file = file
    var parser = CatalogueParser(file: file)
    parser.parse(problems: &problems)
    entries = parser.entries
    guard let header = entries.first, header.context.isEmpty, header.english == [""] else {
      problems.add(file, 1, "the header is missing: an entry with an empty msgid")
      return
    }
    entries.removeFirst()
    var contexts: Set<String> = []
    for entry in entries where !contexts.insert(entry.context).inserted {
      problems.add(file, entry.line, "\(entry.context): the message appears twice")
    }
    let prefix = "Plural-Forms: "
    let lines = header.translation.joined().split(separator: "\n")
    let plural = lines.first { $0.hasPrefix(prefix) }?.dropFirst(prefix.count) ?? ""
    guard let rule = PluralRule.all.first(where: { $0.header == plural }) else {
      problems.add(
        file, header.line, "Plural-Forms '\(plural)' is unknown: add it to PluralRule.all")
      return
    }
    self.rule = rule
  }
}

/// Reads the lines of a catalogue.
private struct CatalogueParser {
  let file: CatalogueFile
  var entries: [Catalogue.Entry] = []
  private var entry: Catalogue.Entry?
  private var keyword = ""
  private var isFuzzy = false

  init(file: CatalogueFile) { self.file = file }

  mutating func parse(problems: inout Problems) {
    for (index, line) in file.text.split(separator: "\n", omittingEmptySubsequences: false)
      .enumerated()
    {
      let line = line.last == "\r" ? line.dropLast() : line
      if line.hasPrefix("#") {
        end()
        if line.hasPrefix("#,"), line.contains("fuzzy") { isFuzzy = true }
      } else if line.allSatisfy(\.isWhitespace) {
        end()
      } else if let problem = read(line, number: index + 1) {
        problems.add(file, index + 1, problem)
      }
    }
    end()
  }

  private mutating func end() {
    if let entry { entries.append(entry) }
    entry = nil
    keyword = ""
  }

  /// Reads a keyword with a string, or a string that continues the one before. Returns what is wrong.
  private mutating func read(_ line: Substring, number: Int) -> String? {
    let word = line.prefix { $0 != " " && $0 != "\"" }
    let quoted = line.dropFirst(word.count).drop { $0 == " " }
    guard let string = Self.string(quoted) else {
      return "expected a keyword and a string in quotation marks: \(line)"
    }
    guard !word.isEmpty else {
      guard entry?.strings[keyword]?.append(string) != nil else {
        return "a string without a keyword: \(line)"
      }
      return nil
    }
    // Entries may follow each other without an empty line.
    if entry?.translation.isEmpty == false, word == "msgctxt" || word == "msgid" { end() }
    keyword = String(word)
    let isForm = keyword.hasPrefix("msgstr[") && keyword.hasSuffix("]")
    guard ["msgctxt", "msgid", "msgid_plural", "msgstr"].contains(keyword) || isForm else {
      return "unknown keyword: \(keyword)"
    }
    var current = entry ?? Catalogue.Entry(line: number, isFuzzy: isFuzzy)
    isFuzzy = false
    if current.strings.updateValue(string, forKey: keyword) != nil {
      return "\(keyword) appears twice in an entry: an empty line is missing"
    }
    entry = current
    return nil
  }

  /// Returns the value of a string in quotation marks.
  private static func string(_ quoted: Substring) -> String? {
    guard quoted.count >= 2, quoted.first == "\"", quoted.last == "\"" else { return nil }
    var value = ""
    var characters = quoted.dropFirst().dropLast()
    while let character = characters.popFirst() {
      switch character {
      case "\"": return nil
      case "\\":
        switch characters.popFirst() {
        case "n": value.append("\n")
        case "\"": value.append("\"")
        case "\\": value.append("\\")
        default: return nil
        }
      default: value.append(character)
      }
    }
    return value
  }
}
