import Glibc
import MFACPOSIX

/// Terminal column widths of characters, from the C library.
enum CharacterWidth {
  /// Whether the C library interprets characters as Unicode. mfa-admin writes UTF-8 in every
  /// locale. Without the locale C.UTF-8, every character counts as one column.
  private static let isUnicode: Bool = {
    // SAFETY: the literal is NUL-terminated. The call only changes the interpretation of
    // characters, and this initialiser makes the call once.
    unsafe setlocale(LC_CTYPE, "C.UTF-8") != nil
  }()

  /// Returns the number of columns of a character. A character that is not printable or not
  /// assigned counts as one.
  static func columns(of scalar: Unicode.Scalar) -> Int {
    guard isUnicode else { return 1 }
    let columns = cposix_columns(wchar_t(scalar.value))
    return columns < 0 ? 1 : Int(columns)
  }
}
