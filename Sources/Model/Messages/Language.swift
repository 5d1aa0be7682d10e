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
