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
