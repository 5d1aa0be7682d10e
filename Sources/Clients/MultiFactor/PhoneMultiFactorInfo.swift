public import FoundationEssentials
import MFAModel
import MFAWire

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
