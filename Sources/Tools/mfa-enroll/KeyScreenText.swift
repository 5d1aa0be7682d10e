import MFAEnrollMessages
import MFAMessages

/// The words of the screen that shows a new key, in one language.
struct KeyScreenText: Sendable {
  let language: Language

  var scan: String { text(.scanOrShowKey) }
  var typeKey: String { text(.typeKeyOrOpenURL) }
  var backToPicture: String { text(.showPicture) }
  var question: String { text(.codePrompt) }
  var name: String { label(.nameLabel) }
  var key: String { label(.keyLabel) }
  var url: String { label(.urlLabel) }

  /// Returns the lines above a QR code. After a rejected answer, the lines say why it was rejected
  /// and how to see the key. A narrow window gets the short form if that takes fewer lines.
  func top(after status: String?, columns: Int) -> [String] {
    guard let status else { return Self.lines(scan, columns: columns) }
    let long = Self.lines(text(.retryOrShowKey(status: status)), columns: columns)
    let short = Self.lines(text(.showKey(status: status)), columns: columns)
    return short.count < long.count ? short : long
  }

  /// Why no QR code is shown, and what to do instead.
  func noPicture(_ obstacle: PictureObstacle) -> String { text(.noPicture(obstacle)) }

  /// Returns the text of a message.
  func text(_ message: EnrollMessage) -> String { message.text(in: language).string }

  private func label(_ label: EnrollMessage) -> String { label.label(in: language).string }

  /// Returns the columns that a text takes on a terminal.
  static func columns(of text: String) -> Int {
    MessageText(Array(text.utf8)).columnsOfLastLine
  }

  /// Returns the lines of a text in a window of `columns`.
  static func lines(_ text: String, columns: Int) -> [String] {
    MessageText(Array(text.utf8)).wrapped(to: columns).string
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
}
