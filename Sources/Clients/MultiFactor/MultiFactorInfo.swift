public import MFASecrets
public import FoundationEssentials
import MFAProtocol

/// An enrolled second factor, as its user may see it: a hint for choosing a factor.
public struct MultiFactorInfo: Equatable, Sendable, Identifiable {
  /// The kinds of second factor.
  public enum FactorKind: String, Sendable {
    /// A time-based one-time password (RFC 6238).
    case totp
  }

  /// The factor's permanent id: 32 hexadecimal digits.
  public let uid: String
  /// The name that the user gave the factor.
  public let displayName: String
  /// The kind of factor.
  public let factorID: FactorKind
  /// The time of enrolment.
  public let enrollmentDate: Date
  /// The hash function of its codes.
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
