import MFAEnrollMessages
import MFAMessages
import MFABase
import MultiFactor

/// New recovery codes with a heading, as they are shown, saved or printed.
///
/// The text is in memory that is wiped: neither a code nor the sheet is ever in a string.
struct RecoverySheet: ~Copyable {
  /// The sheet, in UTF-8.
  let text: SecretBytes

  /// The width of the sheet, which fits small windows and paper.
  private static let columns = 60

  /// Where and when the codes were made, so that a sheet can be told from an older one.
  struct Heading: Equatable {
    /// The name of the account.
    let account: String
    /// The name of the host.
    let host: String
    /// The date, in the user's time zone.
    let date: String
    /// Whether the user had codes, which are now void.
    let replacesOlder: Bool
    /// Whether the codes are those for hosts that cannot reach a verifier.
    var isOffline = false
  }

  /// Writes a sheet with these codes.
  init(_ codes: borrowing RecoveryCodes, _ heading: Heading, in language: Language) {
    let title = EnrollMessage.recoverySheetHeading(
      user: heading.account, host: heading.host, date: heading.date)
    let message: EnrollMessage =
      heading.isOffline
      ? .offlineSheetAdvice : .recoverySheetAdvice(replacesOlder: heading.replacesOlder)
    let advice = message.text(in: language).wrapped(to: Self.columns)
    let first = title.text(in: language).wrapped(to: Self.columns).utf8
    var text = SecretBytes(copying: first.span)
    text = Self.joined(text, "\n\n")
    codes.forEach { code in
      text = Self.joined(text, "  ")
      text = SecretBytes(joining: text.span, code.span)
      text = Self.joined(text, "\n")
    }
    self.text = Self.joined(text, "\n\(advice.string)\n")
  }

  private static func joined(_ text: borrowing SecretBytes, _ end: String) -> SecretBytes {
    SecretBytes(joining: text.span, Array(end.utf8).span)
  }
}
