import Glibc
import MFACPOSIX

/// Widths as the system knows them.
enum Width {
  /// The locale whose character widths are used: C.UTF-8, which every system has.
  /// LC_CTYPE_MASK, which Swift does not import, is the bit of LC_CTYPE.
  // SAFETY: the string is valid for the call, and the locale is never freed.
  private nonisolated(unsafe) static let locale = unsafe newlocale(1 << LC_CTYPE, "C.UTF-8", nil)

  static func columns(of scalar: Unicode.Scalar) -> Int {
    // SAFETY: the locale is valid, and the thread's own locale is restored.
    let before = unsafe uselocale(locale)
    // SAFETY: as above.
    defer { _ = unsafe uselocale(before) }
    return Int(cposix_columns(wchar_t(bitPattern: scalar.value)))
  }
}
