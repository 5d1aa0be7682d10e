/// Splits the texts of `KeyDocumentation` for the programs that print them.
enum DocumentationText {
  /// A part of a text.
  struct Part {
    /// The text, without backticks.
    let text: String
    /// Whether the text was in backticks.
    let isLiteral: Bool
    /// Whether the section of a manual page follows, as in pam_mfa(8).
    let isManualPage: Bool
  }

  /// Returns the paragraphs of a text, each in one line.
  static func paragraphs(_ text: String) -> [String] {
    var paragraphs: [String] = []
    var lines: [Substring] = []
    let all: [Substring] = text.split(separator: "\n", omittingEmptySubsequences: false)
    for line in all + [""] {
      if !line.isEmpty {
        lines.append(line)
      } else if !lines.isEmpty {
        paragraphs.append(lines.joined(separator: " "))
        lines = []
      }
    }
    return paragraphs
  }

  /// Returns the parts in backticks, and those between them.
  static func parts(_ text: String) -> [Part] {
    let pieces = text.split(separator: "`", omittingEmptySubsequences: false)
    return pieces.enumerated().map { index, piece in
      let next = index + 1 < pieces.count ? pieces[index + 1] : ""
      let isLiteral = index % 2 == 1
      return Part(
        text: String(piece), isLiteral: isLiteral,
        isManualPage: isLiteral && next.wholeMatch(of: /\([1-9]\).*/) != nil)
    }
  }

  /// Returns the text in lines of at most `width` characters, broken at spaces. A longer word has a
  /// line of its own.
  static func wrapped(_ text: String, to width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
