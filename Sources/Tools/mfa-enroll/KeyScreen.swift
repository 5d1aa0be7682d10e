import FoundationEssentials
import MFABase
import MFAEnrollMessages
import MFAMessages
import MFAQRCode
import MultiFactor
import Synchronization

/// The screen of a terminal that shows a new key and asks for a code of it. The screen is the
/// alternate one: what was there before returns, and the key stays in no scrollback.
///
/// MUST 1: instruction, picture and question are in the window together, also after its size has
/// changed. (`KeyScreenTests`)
/// MUST 2: after the end, an error, and each signal that `TerminalGuard` handles, the terminal has
/// its own screen and settings. (`EnrollTool.interrupted`)
/// MUST 3: the screen is not drawn while it is not shown.
final class KeyScreen: Sendable {
  private struct State: ~Copyable {
    var line = TypedLine()
    var form = KeyScreenContent.Form.picture
    var status: MessageText?
  }

  private let input: Input
  private let output: Output
  private let content: KeyScreenContent
  private let state = Mutex(State())

  /// Prepares a screen. Nothing is shown yet.
  init(_ content: consuming KeyScreenContent, input: Input, output: Output) {
    self.content = content
    self.input = input
    self.output = output
  }

  /// The terminal's other screen, empty.
  static let enter = "\u{1B}[?1049h\u{1B}[H\u{1B}[2J"
  /// The terminal's own screen. The other one is emptied first, for terminals that have only one.
  static let leave = "\u{1B}[0m\u{1B}[H\u{1B}[2J\u{1B}[?1049l"
  private static let clear = "\u{1B}[H\u{1B}[2J"

  /// Shows the screen while `body` runs.
  func whileShown<Result>(_ body: () async throws -> Result) async throws -> Result {
    TerminalGuard.show(self, on: input)
    defer { TerminalGuard.hideScreen() }
    return try await body()
  }

  /// Asks for a code. Returns what was typed, or nil at the end of the input. `status` is what
  /// happened to the answer before, or nil.
  func ask(after status: MessageText?) -> SecretBytes? {
    state.withLock { state in
      state.line.clear()
      state.status = status
    }
    draw()
    while let byte = input.byte() {
      switch state.withLock({ $0.line.take(byte) }) {
      case .added: draw(byte)
      case .edited: drawLine()
      case .complete: return state.withLock { $0.line.text }
      case .otherForm:
        state.withLock { $0.form = $0.form == .picture ? .text : .picture }
        draw()
      case .redraw: draw()
      case .end: return nil
      }
    }
    return nil
  }

  /// Draws the whole screen, for its present size.
  func draw() {
    state.withLock { state in
      guard let size = output.terminalSize else { return }
      let screen = Screen(
        size: size, environment: .current, isUTF8: LocaleSettings.isUTF8)
      let drawing = content.text(state.form, status: state.status?.string, on: screen, size: size)
      var text = ScreenBuffer(capacity: drawing.text.count + 1024)
      text.add(Self.clear)
      text.add(drawing.text.span)
      text.add(state.line.text.span)
      output.write(text.finish())
    }
  }

  /// Draws a byte that was added to the line, unless the line is as long as the window: a longer one
  /// would move the screen.
  private func draw(_ byte: UInt8) {
    state.withLock { state in
      guard let size = output.terminalSize else { return }
      let columns = KeyScreenText.columns(of: content.question(columns: size.columns))
      guard columns + state.line.count < size.columns else { return }
      output.write(SecretBytes(copying: [byte].span))
    }
  }

  /// Draws the line with the question again.
  func drawLine() {
    state.withLock { state in
      guard let size = output.terminalSize else { return }
      // A line that is longer than the window would move the screen.
      let question = content.question(columns: size.columns)
      guard KeyScreenText.columns(of: question) + state.line.count < size.columns else { return }
      var text = ScreenBuffer(capacity: 1024)
      text.add("\r\u{1B}[K" + question)
      text.add(state.line.text.span)
      output.write(text.finish())
    }
  }
}

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
  /// The otpauth URL of a picture that has no room for the whole one.
  let shortURL: SecretBytes
  /// The account as the app shows it.
  let name: String
  /// What the user must choose in the app, or nil.
  let settings: EnrollMessage?
  /// The words of the screen.
  let words: KeyScreenText
  /// The time until which the key can be confirmed.
  let deadline: Date

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
        switch try picture(ink: colours, room: room) {
        case .text(let picture):
          guard form == .picture else {
            let text = asText(status, words.backToPicture, size)
            return Drawing(text: text, isPicture: false)
          }
          return Drawing(text: joined(top, picture, size.columns), isPicture: true)
        case .needs(let picture):
          let needed = window(for: picture, after: status, atLeast: size.columns)
          let reason = words.noPicture(
            colours == .spaces
              ? .localeNotUTF8
              : .windowTooSmall(columns: needed.columns, lines: needed.rows))
          return Drawing(text: asText(status, reason, size), isPicture: false)
        }
      } catch {
        let reason = words.noPicture(PictureObstacle(error))
        return Drawing(text: asText(status, reason, size), isPicture: false)
      }
    }
  }

  /// Returns the picture of the whole URL if it has room, and otherwise that of the short one.
  private func picture(
    ink: TerminalColours, room: TerminalSize
  ) throws(QRCodeError) -> TerminalPicture {
    switch try TerminalPicture.of(url.span, ink: ink, room: room) {
    case .text(let picture): .text(picture)
    case .needs: try TerminalPicture.of(shortURL.span, ink: ink, room: room)
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

  /// Returns the question, with the time that is left where a window has room for it.
  func question(columns: Int, now: Date = .now) -> String {
    let minutes = Int((deadline.timeIntervalSince(now) / 60).rounded(.up))
    guard columns >= Self.timedQuestion else { return words.question }
    return words.text(.timeLeft(minutes: max(minutes, 0))) + words.question
  }

  /// The columns from which on the question has the time.
  private static var timedQuestion: Int { 60 }

  private func joined(
    _ top: [String], _ picture: borrowing SecretBytes, _ columns: Int
  ) -> SecretBytes {
    var text = ScreenBuffer(capacity: picture.count + 4096)
    for line in top { text.add(line + "\n") }
    text.add(picture.span)
    text.add(question(columns: columns))
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
    text.add(question(columns: size.columns))
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

// The key on a terminal's screen.
extension Enroll {
  /// Returns the screen on which a new key is shown, or nil if this is no terminal with a screen, or
  /// if the picture goes elsewhere.
  func keyScreen(
    of secret: TOTPSecret, multiFactor: MultiFactor, on interface: UserInterface
  ) async throws(MultiFactorError) -> KeyScreen? {
    guard qr == nil || qr == .terminal, let terminal = interface.screen else { return nil }
    let hostIssuer = try await multiFactor.issuer
    let account = try await multiFactor.userName
    let issuer = issuer ?? hostIssuer
    let content = KeyScreenContent(
      key: Grouping.inFours(secret.sharedSecretKey()),
      url: secret.generateQRCodeURL(withAccountName: account, issuer: issuer),
      shortURL: secret.url(withAccountName: account, issuer: issuer, isShort: true),
      name: issuer.isEmpty ? account : "\(issuer) (\(account))", settings: unusualSettings,
      words: KeyScreenText(language: interface.language),
      deadline: secret.enrollmentCompletionDeadline)
    return KeyScreen(content, input: terminal.input, output: terminal.output)
  }

  /// What the user must choose in the app when typing the key, or nil if all apps assume it.
  var unusualSettings: EnrollMessage? {
    guard algorithm != .sha1 || digits != 6 || period != 30 else { return nil }
    return .keyParameters(
      algorithm: algorithm.rawValue.uppercased(), digits: digits, seconds: period)
  }
}
