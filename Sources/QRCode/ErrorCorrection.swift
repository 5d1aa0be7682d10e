/// How much of a symbol may be unreadable (ISO/IEC 18004, section 6.5.1). The levels above these
/// two are for paper that gets dirty, not for screens.
public enum ErrorCorrection: Sendable, CaseIterable {
  /// Level L: about 7 %.
  case low
  /// Level M: about 15 %.
  case medium
}
