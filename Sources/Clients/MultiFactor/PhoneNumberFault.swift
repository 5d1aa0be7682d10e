import MFAMessages
import MFAModel

/// Why a text is not a phone number in international form (ITU-T E.164), such as `+15105551234`.
public enum PhoneNumberFault: CaseIterable, Sendable {
  /// It does not begin with a plus sign.
  case noPlus
  /// It has other characters than digits, spaces and hyphens.
  case otherCharacters
  /// No country has its country code.
  case noSuchCountry
  /// It has fewer than 8 digits.
  case tooShort
  /// It has more than 15 digits.
  case tooLong

  init(_ refusal: PhoneNumber.Refusal) {
    self =
      switch refusal {
      case .noPlus: .noPlus
      case .notDigits: .otherCharacters
      case .noSuchCallingCode: .noSuchCountry
      case .tooShort: .tooShort
      case .tooLong: .tooLong
      }
  }

  var message: FailureMessage {
    switch self {
    case .noPlus: .numberWithoutPlus
    case .otherCharacters: .numberWithOtherCharacters
    case .noSuchCountry: .numberOfNoCountry
    case .tooShort: .numberTooShort
    case .tooLong: .numberTooLong
    }
  }
}
