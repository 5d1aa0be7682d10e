import MFABase
import MFAEnrollMessages
import MFAQRCode

/// A new key as it is shown on a screen: instruction, picture or text, and question, all of which are
/// in the window at the same time.
struct KeyScreenContent: ~Copyable {
  /// How the key is shown.
  enum Form: Sendable {
    case picture
    case text
  }

  /// The key in base32, in groups of four.
  let key: SecretBytes
  /// The otpauth URL.
  let url: SecretBytes
  /// The account as the app shows it.
  let name: String
  /// What the user must choose in the app, or nil.
  let settings: EnrollMessage?
  /// The words of the screen.
  let words: KeyScreenText

  /// Returns the text of the screen, up to the question.
  ///
  /// - Parameters:
  ///   - form: how the key is shown, if the window has room for that.
  ///   - status: what happened to the last answer, or nil.
  ///   - screen: the terminal.
  ///   - size: the size of the window.
  /// - Returns: the text, from the upper left corner, and the form that it has.
  func text(
    _ form: Form, status: String?, on screen: Screen, size: TerminalSize
  ) -> Drawing {
    switch screen.judgement {
    case .unable(let obstacle):
      return Drawing(text: asText(status, words.noPicture(obstacle), size), isPicture: false)
    case .able(let colours, _):
      do throws(QRCodeError) {
        let top = words.top(after: status, columns: size.columns)
        // One line is for the question.
        let room = TerminalSize(columns: size.columns, rows: size.rows - top.count - 1)
        switch try TerminalPicture.of(url.span, ink: colours, room: room) {
        case .text(let picture):
          guard form == .picture else {
            let text = asText(status, words.backToPicture, size)
            return Drawing(text: text, isPicture: false)
          }
          return Drawing(text: joined(top, picture), isPicture: true)
        case .needs(let picture):
          let needed = window(for: picture, after: status, atLeast: size.columns)
          let reason = words.noPicture(
            .windowTooSmall(columns: needed.columns, lines: needed.rows))
          return Drawing(text: asText(status, reason, size), isPicture: false)
        }
      } catch {
        let reason = words.noPicture(PictureObstacle(error))
        return Drawing(text: asText(status, reason, size), isPicture: false)
      }
    }
  }

  /// The text of a screen, and whether it is a picture.
  struct Drawing: ~Copyable {
    let text: SecretBytes
    let isPicture: Bool
  }

  /// Returns the size of a window that has room for a picture, with the instruction and the question.
  private func window(
    for picture: TerminalSize, after status: String?, atLeast columns: Int
  ) -> TerminalSize {
    let columns = max(columns, picture.columns)
    let top = words.top(after: status, columns: columns)
    return TerminalSize(columns: columns, rows: picture.rows + top.count + 1)
  }

  private func joined(_ top: [String], _ picture: borrowing SecretBytes) -> SecretBytes {
    var text = ScreenBuffer(capacity: picture.count + 4096)
    for line in top { text.add(line + "\n") }
    text.add(picture.span)
    text.add(words.question)
    return text.finish()
  }

  /// A part of the screen that shows the key as text.
  private enum Part {
    case text(String)
    case empty
    case key
    case url
  }

  /// Returns the screen that shows the key as text. If the window has little room, the less
  /// important parts are left out.
  private func asText(_ status: String?, _ last: String, _ size: TerminalSize) -> SecretBytes {
    var parts: [Part] = [.text(status ?? words.typeKey), .empty]
    parts += [.text(words.name + name), .key, .url]
    if let settings { parts.append(.text(words.text(settings))) }
    parts += [.empty, .text(last), .empty]
    let room = size.rows - 1
    func height(_ parts: [Part]) -> Int { parts.reduce(0) { $0 + rows(of: $1, size.columns) } }
    func leaveOut(_ isLessImportant: (Part) -> Bool) {
      while height(parts) > room, let index = parts.lastIndex(where: isLessImportant) {
        parts.remove(at: index)
      }
    }
    leaveOut { if case .empty = $0 { true } else { false } }
    leaveOut { if case .url = $0 { true } else { false } }
    leaveOut { if case .text = $0 { true } else { false } }
    var text = ScreenBuffer(capacity: key.count + url.count + 4096)
    for part in parts {
      switch part {
      case .text(let line):
        for line in KeyScreenText.lines(line, columns: size.columns) { text.add(line + "\n") }
      case .empty: text.add("\n")
      case .key:
        text.add(words.key)
        text.add(key.span)
        text.add("\n")
      case .url:
        text.add(words.url)
        text.add(url.span)
        text.add("\n")
      }
    }
    text.add(words.question)
    return text.finish()
  }

  private func rows(of part: Part, _ columns: Int) -> Int {
    switch part {
    case .text(let text): KeyScreenText.lines(text, columns: columns).count
    case .empty: 1
    case .key: (KeyScreenText.columns(of: words.key) + key.count - 1) / max(columns, 1) + 1
    case .url: (KeyScreenText.columns(of: words.url) + url.count - 1) / max(columns, 1) + 1
    }
  }
}
