import MFABase
import MFAMessages
import MFAQRCode
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
  func whileShown<Result>(
    _ body: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
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
      let columns = KeyScreenText.columns(of: content.words.question)
      guard columns + state.line.count < size.columns else { return }
      output.write(SecretBytes(copying: [byte].span))
    }
  }

  /// Draws the line with the question again.
  private func drawLine() {
    state.withLock { state in
      guard let size = output.terminalSize else { return }
      // A line that is longer than the window would move the screen.
      let question = content.words.question
      guard KeyScreenText.columns(of: question) + state.line.count < size.columns else { return }
      var text = ScreenBuffer(capacity: 1024)
      text.add("\r\u{1B}[K" + question)
      text.add(state.line.text.span)
      output.write(text.finish())
    }
  }
}
