public import FoundationEssentials
public import MFABase
import MFAModel
import MFAWire

/// The `factorID` of a factor that is an authenticator app.
public let TOTPMultiFactorID = MultiFactorInfo.FactorKind.totp

/// The `factorID` of a factor that is a phone to which codes are sent.
public let PhoneMultiFactorID = MultiFactorInfo.FactorKind.phone

/// An enrolled second factor, as its user may see it: a hint for choosing a factor.
///
/// The class of a value depends on the kind of factor: an authenticator app is a
/// `TOTPMultiFactorInfo`, and a phone is a `PhoneMultiFactorInfo`.
///
/// The type is a class because programs written for Identity Platform convert a hint to the class of
/// its kind. Its values never change.
public class MultiFactorInfo: Hashable, Identifiable, @unchecked Sendable {
  /// The kinds of second factor.
  public enum FactorKind: String, Sendable {
    /// A time-based one-time password (RFC 6238).
    case totp
    /// A code that is sent to a phone.
    case phone
  }

  /// The factor's permanent id: 32 hexadecimal digits.
  public let uid: String
  /// The name that the user gave the factor, 1 to 64 Unicode scalars. Nil for a factor without a
  /// name; the helper gives every factor a name.
  public let displayName: String?
  /// The kind of factor: `TOTPMultiFactorID` or `PhoneMultiFactorID`.
  public let factorID: FactorKind
  /// The time of enrolment.
  public let enrollmentDate: Date
  /// When a code was last accepted. Nil if that is not known.
  public let lastUseDate: Date?

  /// The factor's `uid`.
  public var id: String { uid }

  /// The `displayName`, or the `uid` of a factor without one.
  public var name: String { displayName ?? uid }

  init(uid: String, displayName: String?, factorID: FactorKind, enrollmentDate: Date) {
    self.uid = uid
    self.displayName = displayName
    self.factorID = factorID
    self.enrollmentDate = enrollmentDate
    lastUseDate = nil
  }

  init(_ summary: FactorSummary, _ factorID: FactorKind) {
    uid = String(decoding: summary.id.hexadecimal, as: UTF8.self)
    displayName = String(decoding: summary.displayName.utf8, as: UTF8.self)
    self.factorID = factorID
    enrollmentDate = Date(timeIntervalSince1970: TimeInterval(summary.enrolledAt))
    lastUseDate =
      summary.lastUse > 0 ? Date(timeIntervalSince1970: TimeInterval(summary.lastUse)) : nil
  }

  /// Returns the value for a factor in a response, in the class of its kind.
  static func make(_ summary: FactorSummary) -> MultiFactorInfo {
    switch summary.kind {
    case .totp(let parameters): TOTPMultiFactorInfo(summary, parameters)
    case .phone(let number, let time): PhoneMultiFactorInfo(summary, number, usableFrom: time)
    }
  }

  /// Whether all data of another value is equal.
  func isEqual(to other: MultiFactorInfo) -> Bool {
    uid == other.uid && displayName == other.displayName && factorID == other.factorID
      && enrollmentDate == other.enrollmentDate && lastUseDate == other.lastUseDate
  }

  /// Returns whether two values have the same class and the same data.
  public static func == (left: MultiFactorInfo, right: MultiFactorInfo) -> Bool {
    type(of: left) == type(of: right) && left.isEqual(to: right)
  }

  /// Hashes the factor's id.
  public func hash(into hasher: inout Hasher) { hasher.combine(uid) }
}

/// An enrolled phone, to which codes are sent.
public final class PhoneMultiFactorInfo: MultiFactorInfo, @unchecked Sendable {
  /// The phone number with its calling code and its last two digits, such as `+1 *** *** **34`. The
  /// number itself leaves the host's store only in messages to the phone.
  public let phoneNumber: String
  /// When the number can be used: later than its enrolment if it replaced another number.
  public let usableFrom: Date

  init(_ summary: FactorSummary, _ number: MaskedPhoneNumber, usableFrom: Int64) {
    self.usableFrom = Date(timeIntervalSince1970: TimeInterval(usableFrom))
    phoneNumber = String(decoding: number.ascii, as: UTF8.self)
    super.init(summary, .phone)
  }

  override func isEqual(to other: MultiFactorInfo) -> Bool {
    guard let other = other as? PhoneMultiFactorInfo else { return false }
    return super.isEqual(to: other) && phoneNumber == other.phoneNumber
      && usableFrom == other.usableFrom
  }
}

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
