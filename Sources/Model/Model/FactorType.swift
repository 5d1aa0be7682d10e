import MFABase

extension Configuration {
  /// A type of factor that policy can allow or forbid.
  package enum FactorType: Int64, CaseIterable, Sendable {
    /// Codes of an authenticator app.
    case totp
    /// Codes that are sent to a phone.
    case phone

    /// All types, as a set of bits.
    static var all: Int64 { 0b11 }

    /// The bit of the type in a set.
    var bit: Int64 { 1 << rawValue }

    /// The word in the file.
    package var name: String {
      switch self {
      case .totp: "totp"
      case .phone: "phone"
      }
    }

    /// Returns the words for a set of bits. No file contains the empty set, which results only from
    /// combining tenants: its word is `none`.
    static func names(in bits: Int64) -> [[UInt8]] {
      var names: [[UInt8]] = []
      for type in allCases where bits & type.bit != 0 { names.append(bytes(of: type.name)) }
      return names.isEmpty ? [bytes(of: "none")] : names
    }
  }
}
