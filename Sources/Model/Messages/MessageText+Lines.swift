extension MessageText {
  /// The number of columns of a line that the PAM module shows: windows of every usual width show
  /// such lines without breaking words. The module cannot know the width of the user's window.
  package static var moduleColumns: Int { 60 }

  /// The number of columns of the last line.
  package var columnsOfLastLine: Int {
    var columns = 0
    forEachScalar { scalar, _ in
      columns = scalar == Self.newline ? 0 : columns &+ Columns.columns(of: scalar)
    }
    return columns
  }

  /// Returns the text in lines of at most `columns` columns, as far as no word is longer. Lines are
  /// broken at spaces, and between wide characters where Japanese and Chinese allow it. Line breaks
  /// in the text stay.
  ///
  /// - Parameters:
  ///   - columns: the longest line.
  ///   - indentation: the column at which the text begins.
  /// - Returns: the text, with line breaks in place of the spaces at which lines are broken.
  @inline(never)
  package func wrapped(to columns: Int, indentation: Int = 0) -> MessageText {
    var text = utf8
    // The places at which a line break is inserted, in the order of the text.
    var insertions: [Int] = []
    var column = indentation
    // The last place at which the line may be broken, and the columns before the next character
    // there.
    var place: Int? = indentation > 0 ? 0 : nil
    var columnsBefore = indentation
    var last: UInt32 = 0
    forEachScalar { scalar, range in
      switch scalar {
      case Self.newline:
        (column, place) = (0, nil)
      case Self.space:
        if last != Self.space { (place, columnsBefore) = (range.lowerBound, column &+ 1) }
        column &+= 1
      default:
        let width = Columns.columns(of: scalar)
        if width == 2 || Columns.columns(of: last) == 2, Columns.mayBreak(between: last, scalar) {
          (place, columnsBefore) = (range.lowerBound, column)
        }
        if column &+ width > columns, let position = place {
          if text[position] == UInt8(ascii: " ") {
            text[position] = UInt8(ascii: "\n")
          } else {
            insertions.append(position)
          }
          column &-= columnsBefore
          place = nil
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
