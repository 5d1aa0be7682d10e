/// The text of a message in a language, or its plural forms.
struct TranslatedText {
  /// A part of a text.
  enum Piece: Equatable {
    case literal(String)
    /// The value of a parameter.
    case value(String)
  }

  /// The forms, and the numbers that each is for.
  let forms: [(numbers: PluralRule.Numbers, pieces: [Piece])]

  /// Returns the parts of a text such as `Valid until {day}.`, or nil if braces do not belong
  /// together.
  static func pieces(_ text: String) -> [Piece]? {
    var pieces: [Piece] = []
    var rest = Substring(text)
    while !rest.isEmpty {
      let literal = rest.prefix { $0 != "{" }
      guard !literal.contains("}") else { return nil }
      if !literal.isEmpty { pieces.append(.literal(String(literal))) }
      rest = rest.dropFirst(literal.count)
      guard !rest.isEmpty else { break }
      guard let end = rest.firstIndex(of: "}") else { return nil }
      pieces.append(.value(String(rest[..<end].dropFirst())))
      rest = rest[end...].dropFirst()
    }
    return pieces
  }

  /// Returns the names of the values in parts of texts.
  static func names(_ pieces: [Piece]) -> Set<String> {
    Set(pieces.compactMap { if case .value(let name) = $0 { name } else { nil } })
  }
}

extension Catalogue {
  /// Returns the text of each message in the language of the catalogue: the translation, or in the
  /// template the English text. If there are problems, the result is incomplete.
  func texts(
    of messages: [Message], isTemplate: Bool, problems: inout Problems
  ) -> [TranslatedText] {
    var found: [String: Entry] = [:]
    for entry in entries { found[entry.context] = entry }
    var texts: [TranslatedText] = []
    for message in messages {
      let context = message.entry.context
      guard let entry = found.removeValue(forKey: context) else {
        let last = file.text.utf8.count { $0 == UInt8(ascii: "\n") }
        problems.add(
          file, last,
          "\(context): the message is missing (line \(message.entry.line) of messages.pot)")
        continue
      }
      let forms = isTemplate ? entry.english : entry.translation
      let isPlural = message.entry.english.count > 1
      if let problem = problem(of: entry, for: message, forms: forms) {
        problems.add(file, entry.line, "\(context): \(problem)")
        continue
      }
      let pieces = forms.compactMap(TranslatedText.pieces)
      let numbers = isPlural ? rule.forms : [.others]
      for problem in Self.problems(of: pieces, complete: pieces.count == forms.count, for: message)
      {
        problems.add(file, entry.line, "\(context): \(problem)")
      }
      texts.append(TranslatedText(forms: Array(zip(numbers, pieces))))
    }
    for entry in found.values.sorted(by: { $0.line < $1.line }) {
      problems.add(
        file, entry.line, "\(entry.context): the message does not exist in messages.pot: remove it")
    }
    return texts
  }

  /// Returns what is wrong with an entry as a whole.
  private func problem(
    of entry: Entry, for message: Message, forms: [String]
  ) -> String? {
    if entry.isFuzzy {
      return "the translation is marked as fuzzy: check it, and remove the mark"
    }
    if entry.english != message.entry.english {
      return """
        the English text differs from line \(message.entry.line) of messages.pot: \
        check the translation, and copy the English text
        """
    }
    let expected = message.entry.english.count > 1 ? rule.forms.count : 1
    if forms.count != expected {
      return "the message has \(forms.count) texts instead of \(expected)"
    }
    if forms.contains("") { return "the message is not translated" }
    return nil
  }

  /// Returns what is wrong with the values in the forms of a text.
  private static func problems(
    of forms: [[TranslatedText.Piece]], complete: Bool, for message: Message
  ) -> [String] {
    guard complete else { return ["a brace is missing"] }
    let known = Set(message.parameters.map(\.name))
    let english = message.entry.english.compactMap(TranslatedText.pieces)
    let required = TranslatedText.names(english.flatMap(\.self))
    var problems: [String] = []
    for (index, form) in forms.enumerated() {
      let names = TranslatedText.names(form)
      for name in names.subtracting(known).sorted() {
        problems.append("{\(name)} is unknown: the message has \(list(known))")
      }
      for name in required.subtracting(names).sorted() {
        // The form for one may say the number in words.
        if name == message.count, index == 0, forms.count > 1 { continue }
        problems.append("{\(name)} is missing")
      }
    }
    return problems
  }

  private static func list(_ names: Set<String>) -> String {
    names.isEmpty ? "no values" : names.sorted().map { "{\($0)}" }.joined(separator: ", ")
  }
}
