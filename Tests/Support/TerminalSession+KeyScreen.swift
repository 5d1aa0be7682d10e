/// A new key as mfa-enroll shows it at a terminal.
package struct KeyOnScreen {
  /// The key in groups of four.
  package let key: String
  /// The otpauth URL.
  package let url: String
  /// The app that has scanned the URL.
  package let phone: Authenticator

  /// Reads what mfa-enroll printed.
  package init(text: String) throws {
    let lines = text.replacing("\r\n", with: "\n")
    guard let key = lines.firstMatch(of: /Key: ([A-Z2-7 ]+)\n/),
      let url = lines.firstMatch(of: /URL: (otpauth:[^\n]+)\n/)
    else { throw HarnessFailure("no key was shown", evidence: [("screen", text)]) }
    self.key = String(key.output.1)
    self.url = String(url.output.1)
    phone = try Authenticator(url: self.url)
  }
}

extension TerminalSession {
  /// Waits until mfa-enroll asks for a code, unless it `isAsked` already, and has the key shown as
  /// text. The next question for a code has appeared.
  package func keyOnScreen(isAsked: Bool = false) throws -> KeyOnScreen {
    if !isAsked { try expect("Code from the app: ") }
    try sendKeys(Array("k".utf8))
    return try KeyOnScreen(text: try expect("Code from the app: "))
  }
}
