/// What the PAM module asks and shows while a user adds a device during a sign-in.
package enum SignInEnrollmentMessage: Equatable, Sendable {
  /// Why a device is needed, and how many seconds there are to add it.
  case introduction(seconds: Int64)
  /// The forms in which the key can be shown, one on each line. The answer is 1, 2 or 3.
  case forms
  case formPrompt
  /// The line above the QR code.
  case scan
  /// The line above the key as text.
  case typeKey
  /// The line above the URL.
  case openURL
  /// The prompt below the QR code. The answer 3 shows the key as text.
  case codeOrFormPrompt
  case codePrompt
  case wrongCode
  /// The prompt for the device's name. Without an answer it gets the name `usual`.
  case namePrompt(usual: [UInt8])
  case unsupportedName
  case done
  /// The line above the recovery codes of an account.
  case recoveryCodes(user: [UInt8], host: [UInt8], day: [UInt8])
  /// The lines below the recovery codes.
  case keepRecoveryCodes
  case recoveryCodesPrompt
}
