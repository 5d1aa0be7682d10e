#if Fleet
import FoundationEssentials

/// The times of certificates.
enum Validity {
  /// How far the clocks of two machines may differ, in seconds.
  private static var tolerance: Double { 300 }
  private static var day: Double { 86_400 }

  /// The beginning of a certificate that is issued now.
  static var begin: Date { Date.now.addingTimeInterval(-tolerance) }

  /// Returns the end of a certificate that is issued now.
  static func end(days: Int) -> Date { Date.now.addingTimeInterval(Double(days) * day) }
}
#endif
