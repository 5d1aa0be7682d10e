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
