import MFABase

/// The text of a message in one language, in UTF-8.
///
/// Texts are string literals. Only numbers, names that were checked
/// before, and other texts can be inserted, and nothing in a text is interpreted as a format.
public struct MessageText: Equatable, Sendable, ExpressibleByStringInterpolation {
  /// The text.
  public let utf8: [UInt8]

  /// Creates a text from UTF-8.
  public init(_ utf8: [UInt8]) { self.utf8 = utf8 }

  /// Creates a text without inserted values.
  @inline(never)
  public init(stringLiteral text: String) { utf8 = bytes(of: text) }

  /// Creates a text with inserted values.
  public init(stringInterpolation text: StringInterpolation) { utf8 = text.utf8 }

  /// The text as a string.
  public var string: String { utf8Text(utf8) }

  /// A text that is being composed.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var utf8: [UInt8] = []

    /// Begins a text.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Appends a part of the literal.
    @inline(never)
    public mutating func appendLiteral(_ text: String) { utf8 += bytes(of: text) }

    /// Appends a number in decimal digits.
    @inline(never)
    public mutating func appendInterpolation(_ number: Int64) {
      utf8 += bytes(of: decimal(number))
    }

    /// Appends UTF-8, such as a name.
    @inline(never)
    public mutating func appendInterpolation(_ text: [UInt8]) { utf8 += text }

    /// Appends another text.
    public mutating func appendInterpolation(_ text: MessageText) { utf8 += text.utf8 }
  }

  /// Joins two texts.
  @inline(never)
  public static func + (left: MessageText, right: MessageText) -> MessageText {
    MessageText(left.utf8 + right.utf8)
  }
}

extension MessageText {
  /// The number of columns of the usual window. The module cannot know the width of the user's window.
  package static var windowColumns: Int { 79 }
  /// The columns in which ssh writes `(user@host) ` before a question, and before what the module tells with it.
  package static var prefixColumns: Int { 19 }
  /// The number of columns of a line that may stand behind such a prefix.
  package static var moduleColumns: Int { windowColumns - prefixColumns }

  /// The number of columns of the last line.
  package var columnsOfLastLine: Int {
    var columns = 0
    forEachScalar { scalar, _ in
      columns = scalar == Self.newline ? 0 : columns &+ Columns.columns(of: scalar)
    }
    return columns
  }

  /// Returns the text in lines of at most `columns` columns, as far as no word is longer. Lines are
  /// broken at spaces, and between wide characters where Japanese and Chinese allow it, but not within dates, between
  /// a number and what it counts, and within Japanese words, unless nothing else is possible. Line breaks in the text
  /// stay.
  ///
  /// - Parameters:
  ///   - columns: the longest line.
  ///   - indentation: the column at which the text begins.
  /// - Returns: the text, with line breaks in place of the spaces at which lines are broken.
  @inline(never)
  package func wrapped(to columns: Int, indentation: Int = 0) -> MessageText {
    var text = utf8
    var isJapanese = false
    forEachScalar { scalar, _ in if Columns.isKana(scalar) { isJapanese = true } }
    // The places at which a line break is inserted, in the order of the text.
    var insertions: [Int] = []
    var column = indentation
    var places = LineBreaks()
    if indentation > 0 { places.add(0, after: indentation, isGood: true) }
    // The first of the spaces before the next character, and the character before them.
    var space: (position: Int, column: Int, last: UInt32)?
    var last: UInt32 = 0
    forEachScalar { scalar, range in
      switch scalar {
      case Self.newline:
        (column, places, space) = (0, LineBreaks(), nil)
      case Self.space:
        if last != Self.space { space = (range.lowerBound, column &+ 1, last) }
        column &+= 1
      default:
        let width = Columns.columns(of: scalar)
        if let first = space {
          places.add(
            first.position, after: first.column,
            isGood: isJapanese
              ? Columns.isGoodJapaneseBreak(between: first.last, scalar, isSpace: true)
              : Columns.isGoodBreak(between: first.last, scalar))
          space = nil
        } else if width == 2 || Columns.columns(of: last) == 2,
          Columns.mayBreak(between: last, scalar)
        {
          places.add(
            range.lowerBound, after: column,
            isGood: isJapanese
              ? Columns.isGoodJapaneseBreak(between: last, scalar, isSpace: false)
              : Columns.isGoodBreak(between: last, scalar))
        }
        while column &+ width > columns, let place = places.takeBest() {
          if text[place.position] == UInt8(ascii: " ") {
            text[place.position] = UInt8(ascii: "\n")
          } else {
            insertions.append(place.position)
          }
          column &-= place.column
        }
        column &+= width
      }
      last = scalar
    }
    for position in insertions.reversed() { text.insert(UInt8(ascii: "\n"), at: position) }
    return MessageText(text)
  }

  private static var newline: UInt32 { 0x0A }
  private static var space: UInt32 { 0x20 }

  /// Calls `body` with each scalar and the range of its bytes in UTF-8 (RFC 3629, section 3). A byte
  /// that does not belong to a character counts as a character.
  private func forEachScalar(_ body: (UInt32, Range<Int>) -> Void) {
    var index = 0
    while index < utf8.count {
      let first = utf8[index]
      let length =
        switch first {
        case 0xC0...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF7: 4
        default: 1
        }
      let end = min(index &+ length, utf8.count)
      var scalar = length == 1 ? UInt32(first) : UInt32(first) & (0xFF >> UInt32(length &+ 1))
      var next = index &+ 1
      while next < end {
        scalar = scalar << 6 | UInt32(utf8[next] & 0x3F)
        next &+= 1
      }
      body(scalar, index..<end)
      index = end
    }
  }
}

/// A duration as users read it: seconds below a minute, minutes up to two hours, otherwise hours; rounded up,
/// and then said to be about that long.
enum WrittenDuration {
  case seconds(Int64)
  case minutes(Int64)
  case hours(Int64)
  case aboutMinutes(Int64)
  case aboutHours(Int64)

  init(seconds: Int64) {
    guard seconds >= 60 else {
      self = .seconds(seconds)
      return
    }
    let isInHours = seconds > 7200
    let (whole, rest) = seconds.quotientAndRemainder(dividingBy: isInHours ? 3600 : 60)
    if rest == 0 {
      self = isInHours ? .hours(whole) : .minutes(whole)
    } else {
      self = isInHours ? .aboutHours(whole &+ 1) : .aboutMinutes(whole &+ 1)
    }
  }

  /// A time limit that is not said to be longer than it is: whole minutes are rounded down, because
  /// other durations are rounded up.
  init(limit seconds: Int64) {
    self = seconds >= 120 ? .minutes(seconds / 60) : .seconds(seconds)
  }
}

/// The places of a line at which it may be broken.
private struct LineBreaks {
  /// A position in the text, and the columns of the line before the next character.
  struct Place {
    let position: Int
    var column: Int
  }

  /// The last good place, and the last place after it that is used only if there is no good one.
  private var good: Place?
  private var other: Place?

  mutating func add(_ position: Int, after column: Int, isGood: Bool) {
    let place = Place(position: position, column: column)
    if isGood { (good, other) = (place, nil) } else { other = place }
  }

  /// Removes the place at which the line is broken now. The columns of another one are those of the next line.
  mutating func takeBest() -> Place? {
    guard let best = good ?? other else { return nil }
    if good == nil { other = nil } else { other?.column &-= best.column }
    good = nil
    return best
  }
}

/// The columns that characters take on a terminal.
///
/// The system's `wcwidth` needs the locale of the process, which belongs to the application. Users'
/// names for devices may contain rare characters that are not in these ranges: a line with them may
/// be a little longer than it should be.
enum Columns {
  /// Returns the number of columns: 0 for combining characters and joiners, 2 for East Asian wide
  /// characters (Unicode Standard Annex 11) and pictographs, otherwise 1.
  static func columns(of scalar: UInt32) -> Int {
    guard scalar >= 0x300 else { return 1 }
    return switch scalar {
    case 0x300...0x36F, 0x1AB0...0x1AFF, 0x200B...0x200D, 0x20D0...0x20FF, 0x302A...0x302D,
      0x3099...0x309A, 0xFE00...0xFE0F, 0xFE20...0xFE2F:
      0
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
      0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
      0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      2
    default: 1
    }
  }

  /// Returns whether a line may be broken between two characters, at least one of which is wide.
  static func mayBreak(between last: UInt32, _ next: UInt32) -> Bool {
    switch last {
    case 0, 0x0A, 0x20: false
    default: !mayNotBeginLine(next) && !mayNotEndLine(last)
    }
  }

  /// Returns whether a reader of a line that ends between two characters, or at a space between them, finds whole words
  /// on both lines. A date, and a number with what it counts, are read as one word.
  static func isGoodBreak(between last: UInt32, _ next: UInt32) -> Bool {
    !isDigit(last) && !isDigit(next)
  }

  /// Returns the same for Japanese. Most words begin with a Chinese character or with katakana, and end in hiragana,
  /// such as particles and the endings of verbs.
  static func isGoodJapaneseBreak(between last: UInt32, _ next: UInt32, isSpace: Bool) -> Bool {
    guard isGoodBreak(between: last, next) else { return false }
    if isHiragana(next) { return endsClause(last) }
    if !isSpace, isHan(next), endsVerbStem(last) { return false }
    return isSpace || !(isKatakana(last) && isKatakana(next)) && !(isHan(last) && isHan(next))
  }

  private static func isDigit(_ scalar: UInt32) -> Bool { (0x30...0x39).contains(scalar) }

  /// Returns whether a character is written in Japanese only.
  static func isKana(_ scalar: UInt32) -> Bool { isHiragana(scalar) || isKatakana(scalar) }

  private static func isHiragana(_ scalar: UInt32) -> Bool { (0x3041...0x309F).contains(scalar) }

  private static func isKatakana(_ scalar: UInt32) -> Bool { (0x30A1...0x30FF).contains(scalar) }

  private static func isHan(_ scalar: UInt32) -> Bool { (0x4E00...0x9FFF).contains(scalar) }

  /// Returns whether the first verb of two that form one word usually ends with this character, such as in 書き留める: き
  /// ぎ ち び み or り.
  private static func endsVerbStem(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x304D, 0x304E, 0x3061, 0x3073, 0x307F, 0x308A: true
    default: false
    }
  }

  /// Returns whether a clause ends with this character: 、 。 ！ ： or ？
  private static func endsClause(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x3001, 0x3002, 0xFF01, 0xFF1A, 0xFF1F: true
    default: false
    }
  }

  /// Returns whether a line may not begin with this character: closing brackets and the punctuation
  /// of Japanese and Chinese (JIS X 4051, section 6.1).
  static func mayNotBeginLine(_ scalar: UInt32) -> Bool {
    switch scalar {
    // 、 。 」 』 】 〉 》 〕 ！ ） ， ． ： ； ？ ］ ｝ ー ～ and the small kana.
    case 0x3001, 0x3002, 0x300D, 0x300F, 0x3011, 0x3009, 0x300B, 0x3015, 0xFF01, 0xFF09, 0xFF0C,
      0xFF0E, 0xFF1A, 0xFF1B, 0xFF1F, 0xFF3D, 0xFF5D, 0x30FC, 0xFF5E, 0x3041, 0x3043, 0x3045,
      0x3047, 0x3049, 0x3063, 0x3083, 0x3085, 0x3087, 0x30A1, 0x30A3, 0x30A5, 0x30A7, 0x30A9,
      0x30C3, 0x30E3, 0x30E5, 0x30E7:
      true
    default: false
    }
  }

  /// Returns whether a line may not end with this character: opening brackets.
  static func mayNotEndLine(_ scalar: UInt32) -> Bool {
    switch scalar {
    // 「 『 【 〈 《 〔 （ ［ ｛
    case 0x300C, 0x300E, 0x3010, 0x3008, 0x300A, 0x3014, 0xFF08, 0xFF3B, 0xFF5B: true
    default: false
    }
  }
}
