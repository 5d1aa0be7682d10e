import MFAAdmin

/// The settings in a file of a systemd unit (systemd.syntax(7)).
struct UnitText {
  /// A setting.
  struct Setting {
    /// The section, such as `[Service]`.
    let section: String
    let key: String
    let value: String
    /// The file and line.
    let place: String
  }

  /// The settings in the order of the file.
  private(set) var settings: [Setting] = []

  /// Reads a file.
  init(_ text: [UInt8], from path: String) {
    var section = ""
    var pending: (number: Int, text: String)?
    let lines = String(decoding: text, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let trimmed = Self.trimmed(line)
      if trimmed.hasPrefix("#") || trimmed.hasPrefix(";") { continue }
      let number = pending?.number ?? index + 1
      let joined = (pending.map { $0.text + " " } ?? "") + trimmed
      guard !joined.hasSuffix("\\") else {
        pending = (number, String(joined.dropLast()))
        continue
      }
      pending = nil
      if joined.hasPrefix("[") {
        section = joined
      } else if let sign = joined.firstIndex(of: "=") {
        settings.append(
          Setting(
            section: section, key: Self.trimmed(joined[..<sign]),
            value: Self.trimmed(joined[joined.index(after: sign)...]),
            place: "\(VisibleText.escaping(path)):\(number)"))
      }
    }
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    let blanks: Set<Character> = [" ", "\t", "\r"]
    let start = text.drop { blanks.contains($0) }
    guard let last = start.lastIndex(where: { !blanks.contains($0) }) else { return "" }
    return String(start[...last])
  }

  /// Returns the words of a command or of a list of assignments. Quotation marks surround words with
  /// blanks.
  static func words(_ text: String) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    for character in text {
      if character == quote {
        quote = nil
      } else if quote == nil, character == "\"" || character == "'" {
        quote = character
        word = word ?? ""
      } else if quote == nil, character == " " || character == "\t" {
        if let ended = word { words.append(ended) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    if let word { words.append(word) }
    return words
  }
}
