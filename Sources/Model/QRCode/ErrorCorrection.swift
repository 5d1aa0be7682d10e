/// The part of a symbol that may be unreadable (ISO/IEC 18004, section 6.5.1). The two higher
/// levels are for paper that gets dirty, not for screens.
public enum ErrorCorrection: Sendable, CaseIterable {
  /// Level L: about 7 %.
  case low
  /// Level M: about 15 %.
  case medium
}
