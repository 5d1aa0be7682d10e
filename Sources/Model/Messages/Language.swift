import MFABase

/// A language that messages are written in.
public enum Language: UInt8, CaseIterable, Sendable {
  /// English, the default.
  case english = 0
  /// French.
  case french
  /// Spanish.
  case spanish
  /// Japanese.
  case japanese
  /// Traditional Chinese, in the words of Taiwan.
  case traditionalChinese

  /// The language tag (RFC 5646), in the spelling that configuration files use.
  public var tag: String { utf8Text(text.bytes) }

  private var text: StaticString {
    switch self {
    case .english: "en"
    case .french: "fr"
    case .spanish: "es"
    case .japanese: "ja"
    case .traditionalChinese: "zh-TW"
    }
  }

  /// Creates the language with this tag. Returns nil for any other text, including a tag in another
  /// mixture of capital and small letters.
  public init?(tag: Span<UInt8>) {
    for language in Self.allCases where language.text.equals(tag) {
      self = language
      return
    }
    return nil
  }
}

extension Language {
  /// Returns whether a terminal can show the language. The Linux console, `tty` and a number, has no wide characters.
  /// Without a terminal, every language can be shown.
  package func isShown(atTerminal terminal: [UInt8]?) -> Bool {
    switch self {
    case .english, .french, .spanish: return true
    case .japanese, .traditionalChinese:
      guard let terminal else { return true }
      let folder: StaticString = "/dev/tty"
      let name: StaticString = "tty"
      for prefix in [folder.bytes, name.bytes] where terminal.starts(with: prefix) {
        let number = terminal.dropFirst(prefix.count)
        if !number.isEmpty,
          number.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") })
        {
          return false
        }
      }
      return true
    }
  }

  /// Returns the language of a POSIX locale name such as `fr_CA.UTF-8@euro`, or nil if there is no
  /// table for it. Simplified Chinese has no table; `zh_TW`, `zh_HK`, `zh_MO` and names with `Hant`
  /// are Traditional Chinese.
  package init?(localeName name: [UInt8]) {
    let name = name.prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "@") }.map(
      Self.lowercased)
    let parts = name.split { $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }.map(Array.init)
    guard let language = parts.first else { return nil }
    switch language {
    case Array("en".utf8), Array("c".utf8), Array("posix".utf8): self = .english
    case Array("fr".utf8): self = .french
    case Array("es".utf8): self = .spanish
    case Array("ja".utf8): self = .japanese
    case Array("zh".utf8):
      let traditional = ["tw", "hk", "mo", "hant"].map { Array($0.utf8) }
      guard parts.dropFirst().contains(where: { traditional.contains($0) }) else { return nil }
      self = .traditionalChinese
    default: return nil
    }
  }

  /// Returns whether an answer to a question for yes or no means yes. Upper and lower case are the
  /// same, and any other answer means no.
  ///
  /// `y` and `yes` mean yes in every language, as in other programs. Words of other languages mean
  /// no, because a single letter may be a typing error.
  package func isYes(_ answer: [UInt8]) -> Bool {
    let words: StaticString =
      switch self {
      case .english: "y yes"
      case .french: "y yes o oui"
      // The letter with the accent is written in four ways.
      case .spanish: "y yes s si s\u{ED} s\u{CD} si\u{301}"
      case .japanese: "y yes \u{306F}\u{3044}"
      case .traditionalChinese: "y yes \u{662F}"
      }
    let typed = answer.map(Self.lowercased).split {
      $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t")
    }
    guard typed.count == 1, let word = typed.first else { return false }
    return words.bytes.split(separator: UInt8(ascii: " ")).contains(word)
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
