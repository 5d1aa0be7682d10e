import MFAModel
public import MFABase
import MFAWire

/// An enrolled authenticator app.
public final class TOTPMultiFactorInfo: MultiFactorInfo, @unchecked Sendable {
  /// The hash function of its codes.
  public let hashingAlgorithm: HashAlgorithm
  /// The number of digits of its codes: 6 to 8.
  public let codeLength: Int
  /// How long each code is shown, in seconds: 15 to 120.
  public let codeIntervalSeconds: Int

  init(_ summary: FactorSummary, _ parameters: TOTPParameters) {
    hashingAlgorithm = parameters.algorithm
    codeLength = Int(parameters.codeLength.rawValue)
    codeIntervalSeconds = Int(parameters.period)
    super.init(summary, .totp)
  }

  override func isEqual(to other: MultiFactorInfo) -> Bool {
    guard let other = other as? TOTPMultiFactorInfo else { return false }
    return super.isEqual(to: other) && hashingAlgorithm == other.hashingAlgorithm
      && codeLength == other.codeLength && codeIntervalSeconds == other.codeIntervalSeconds
  }
}
