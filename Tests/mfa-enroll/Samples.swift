import MFABase
import MFAModel
import MFAWire
import Testing

@testable import MultiFactor

enum Samples {
  struct Unusable: Error {}

  /// Returns a factor whose identifier is `first` followed by zeros.
  static func factor(
    _ first: [UInt8], _ name: String, parameters: TOTPParameters = .standard, lastUse: Int64 = 0
  ) throws -> MultiFactorInfo {
    try factor(first, name, kind: .totp(parameters), lastUse: lastUse)
  }

  /// Returns a phone whose identifier is `first` followed by zeros.
  static func phone(_ first: [UInt8], _ name: String) throws -> MultiFactorInfo {
    let number = try PhoneNumber(typed: Array("+15105551234".utf8).span).masked
    return try factor(first, name, kind: .phone(number, usableFrom: 1_760_086_400))
  }

  private static func factor(
    _ first: [UInt8], _ name: String, kind: FactorSummary.Kind, lastUse: Int64 = 0
  ) throws -> MultiFactorInfo {
    guard let id = FactorID(bytes: first + [UInt8](repeating: 0, count: 16 - first.count)) else {
      throw Unusable()
    }
    var summary = FactorSummary(
      id: id, displayName: try #require(DisplayName(Array(name.utf8))), enrolledAt: 1_760_000_000,
      kind: kind)
    summary.lastUse = lastUse
    return MultiFactorInfo.make(summary)
  }
}
