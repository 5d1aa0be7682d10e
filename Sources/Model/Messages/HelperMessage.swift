/// What the helper asks and tells users.
package enum HelperMessage: Equatable, Sendable {
  /// The prompt for an administrator's ticket.
  case ticketPrompt
  /// The prompt for a code of a device that is already enrolled.
  case enrolledDevicePrompt
  /// The same prompt, if a code can be sent to the phone with this masked number.
  case enrolledDeviceOrSendPrompt(number: [UInt8])
  /// The same prompt below a list of phones, `s1` for the first one.
  case enrolledDeviceOrSendChoicePrompt
  /// Codes by text message are a restricted method (NIST SP 800-63B-4, section 3.1.3.3).
  case phoneIsRestricted
  /// A phone that was enrolled in place of another one cannot be used yet.
  case phoneUsableLater(seconds: Int64)
  /// Nothing is pending for the user.
  case noNotices
  /// The name of a device that the user did not name.
  case authenticatorAppName
  /// The name of a phone that the user did not name.
  case phoneName
}
