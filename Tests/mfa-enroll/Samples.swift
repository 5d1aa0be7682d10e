import MFABytes
import MFAFactors
import MFAOneTimePassword
import MFAProtocol

@testable import MultiFactor

enum Samples {
  struct Unusable: Error {}

  /// Returns a factor whose identifier is `first` followed by zeros.
  static func factor(
    _ first: [UInt8], _ name: String, parameters: TOTPParameters = .standard
  ) throws -> MultiFactorInfo {
    guard let id = FactorID(bytes: first + [UInt8](repeating: 0, count: 16 - first.count)) else {
      throw Unusable()
    }
    return MultiFactorInfo(
      FactorSummary(
        id: id, displayName: try DisplayName(Array(name.utf8)), enrolledAt: 1_760_000_000,
        parameters: parameters))
  }
}
