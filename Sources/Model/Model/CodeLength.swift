/// The number of decimal digits of a code: 6, 7 or 8 (RFC 4226, section 4, R4 and section 5.3).
package enum CodeLength: UInt8, CaseIterable, Sendable {
  case six = 6
  case seven = 7
  case eight = 8

  /// The number of codes of this length.
  package var modulus: UInt32 {
    switch self {
    case .six: 1_000_000
    case .seven: 10_000_000
    case .eight: 100_000_000
    }
  }
}
