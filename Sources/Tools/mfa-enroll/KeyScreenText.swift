import MFAMessages

/// The words of the screen that shows a new key.
enum KeyScreenText {
  static let scan = "Scan this with an authenticator app, or press k for a key."
  static let typeKey = "Type this key into an authenticator app, or open the URL with it:"
  static let backToPicture = "Press k for the QR code."
  static let question = "Code from the app: "
  static let name = "name: "
  static let key = "key: "
  static let url = "url: "

  /// The settings that the user must choose in the app, if they are not the ones that all apps assume.
  static func settings(algorithm: String, digits: Int, seconds: Int) -> String {
    "In the app, choose \(algorithm), \(digits) digits and \(seconds) seconds."
  }

  /// The window has no room for the picture, which takes `columns` and `rows`.
  static func tooSmall(columns: Int, rows: Int) -> String {
    "Window too small for a QR code: enlarge to \(columns)x\(rows), or type the key above."
  }

  static func noPicture(_ reason: String) -> String { "No QR code: \(reason)." }

  /// Returns the lines of a text in a window of `columns`.
  static func lines(_ text: String, columns: Int) -> [String] {
    MessageText(Array(text.utf8)).wrapped(to: columns).string
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
}
