import MFABytes
import MFASecrets
import MultiFactor
import MFAQRCode

/// The interface to the user: a terminal, or a script that writes lines to standard input.
///
/// If standard input is a terminal, questions, messages and secrets use the terminal, even if
/// standard output is redirected, so that no secret gets into a file by accident. In a script,
/// questions and messages go to standard error, and secrets go to standard output.
struct UserInterface: Sendable {
  private let input: Input
  private let questions: Output
  private let shown: Output
  /// Whether the user is at a terminal.
  let isAtTerminal: Bool

  init() {
    if Input.standardInput.isTerminal {
      let terminal = TerminalStreams.open()
      input = terminal?.input ?? .standardInput
      questions = terminal?.output ?? .standardError
      shown = terminal?.output ?? .standardError
      isAtTerminal = true
    } else {
      input = .standardInput
      questions = .standardError
      shown = .standardOutput
      isAtTerminal = false
    }
  }

  /// Asks a question. Returns one line without its newline, or nil at the end of the input.
  func ask(_ question: String, echo: Bool) -> SecretBytes? {
    guard isAtTerminal, !echo else {
      questions.write(question)
      return input.line()
    }
    // Turns echo off before the question appears, because a program may answer immediately.
    let answer = TerminalGuard.withoutEcho(on: input) {
      questions.write(question)
      return input.line()
    }
    questions.write("\n")
    return answer
  }

  /// Asks the user a question from the helper, and returns the answer.
  @Sendable func answer(_ prompt: ReauthenticationPrompt) async -> SecretBytes? {
    ask(prompt.text, echo: prompt.echo)
  }

  /// Writes a message.
  @Sendable func tell(_ text: String) { questions.write("\(text)\n") }

  /// Shows a secret, with a text before and after it.
  func show(_ before: String, _ secret: borrowing SecretBytes, _ after: String) {
    shown.write(before)
    shown.write(secret)
    shown.write(after)
  }

  /// A picture, or the reason why it is missing.
  enum Picture: ~Copyable {
    case drawn(SecretBytes)
    case missing(String)
  }

  /// Draws `bytes` as a QR code for the terminal, leaving one line free for a question.
  func picture(of bytes: borrowing SecretBytes) -> Picture {
    let screen = Screen(
      size: isAtTerminal ? shown.terminalSize : nil, environment: .current,
      isUTF8: LocaleSettings.isUTF8)
    switch screen.judgement {
    case .unable(let reason): return .missing(reason)
    case .able(let ink, let size):
      let room = TerminalSize(columns: size.columns, rows: size.rows - 1)
      do throws(QRCodeError) {
        switch try TerminalPicture.of(bytes.span, ink: ink, room: room) {
        case .text(let text): return .drawn(text)
        case .needs(let needed):
          return .missing(
            "the terminal has \(size.columns) columns and \(size.rows) lines,"
              + " and it takes \(needed.columns) and \(needed.rows + 1)")
        }
      } catch {
        return .missing(error.reason)
      }
    }
  }
}
