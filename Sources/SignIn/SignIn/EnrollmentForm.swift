import MFABase
import MFAQRCode

/// The form in which a new key is shown during a sign-in, where neither the window's size nor its
/// colours are known.
enum EnrollmentForm: Equatable {
  /// A QR code in the terminal's own colours.
  case picture(TerminalColours)
  /// The key and the URL as text.
  case text

  /// Returns the form with this number, or nil if the answer is not the number of a form. No code
  /// has one digit.
  init?(number answer: borrowing SecretBytes) {
    guard answer.count == 1 else { return nil }
    switch answer.span[0] {
    case UInt8(ascii: "1"): self = .picture(.terminalLightOnDark)
    case UInt8(ascii: "2"): self = .picture(.terminalDarkOnLight)
    case UInt8(ascii: "3"): self = .text
    default: return nil
    }
  }
}
