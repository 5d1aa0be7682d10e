public import FoundationEssentials
import HelperProtocol
public import Secrets

/// An enrolled second factor, as its owner may see it: a hint of what to use.
public struct MultiFactorInfo: Equatable, Sendable, Identifiable {
  /// The kinds of second factor.
  public enum FactorKind: String, Sendable {
    /// A time-based one-time password (RFC 6238).
    case totp
  }

  /// What names the factor for good: 32 hexadecimal digits.
  public let uid: String
  /// What its owner calls it.
  public let displayName: String
  /// What kind it is.
  public let factorID: FactorKind
  /// When it was enrolled.
  public let enrollmentDate: Date
  /// The hash function under its codes.
  public let hashingAlgorithm: HashAlgorithm
  /// The number of digits of its codes.
  public let codeLength: Int
  /// How long each code is shown, in seconds.
  public let codeIntervalSeconds: Int

  /// The factor's `uid`.
  public var id: String { uid }

  init(_ summary: FactorSummary) {
    uid = String(decoding: summary.id.hexadecimal, as: UTF8.self)
    displayName = String(decoding: summary.displayName.utf8, as: UTF8.self)
    factorID = .totp
    enrollmentDate = Date(timeIntervalSince1970: TimeInterval(summary.enrolledAt))
    hashingAlgorithm = summary.parameters.algorithm
    codeLength = Int(summary.parameters.codeLength.rawValue)
    codeIntervalSeconds = Int(summary.parameters.period)
  }
}
