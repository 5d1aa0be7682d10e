import MFAMessages

extension Language {
  /// Returns whether an answer to a question for yes or no means yes. Upper and lower case are the
  /// same, and any other answer means no.
  ///
  /// `y` and `yes` mean yes in every language, as in other programs. Words of other languages mean
  /// no, because a single letter may be a typing error.
  package func isYes(_ answer: String) -> Bool {
    let words =
      switch self {
      case .english: [String]()
      case .french: ["o", "oui"]
      case .spanish: ["s", "si", "sí"]
      case .japanese: ["はい"]
      case .traditionalChinese: ["是"]
      }
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    let word = answer.lowercased().split(whereSeparator: isBlank)
    return word.count == 1 && (["y", "yes"] + words).contains(String(word[0]))
  }
}
