extension SignInEnrollmentMessage {
  var english: MessageText {
    switch self {
    case .introduction(let seconds):
      """
      This host requires a code from an authenticator app. Have your phone ready. You have \
      \(Self.limit(seconds).english). To stop, press Enter instead of typing a code.
      """
    case .forms:
      """
      1  QR code, for a window with a dark background
      2  QR code, for a window with a light background
      3  Key, to type into the app
      """
    case .formPrompt: "Type 1, 2 or 3: "
    case .scan: "Scan this with an authenticator app."
    case .typeKey: "Type this key into an authenticator app:"
    case .openURL: "Or open this URL with the app:"
    case .codeOrFormPrompt: "Code from the app, or 3 for a key to type: "
    case .codePrompt: "Code from the app: "
    case .wrongCode: "Wrong code. Type the one that the app shows now."
    case .namePrompt(let usual): "Name for this device [\(usual)]: "
    case .unsupportedName: "A name has 1 to 64 visible characters."
    case .done: "Your device is added. Use a new code from the app at your next sign-in."
    case .recoveryCodes(let user, let host, let day):
      "Recovery codes for \(user) on \(host), \(day). Use one when you don't have your device:"
    case .keepRecoveryCodes:
      "Each can be used once. They are not shown again: write them down, away from your phone."
    case .recoveryCodesPrompt: "Press Enter when you have them: "
    }
  }
}
