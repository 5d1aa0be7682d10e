import MultiFactor
import QRCode
import Secrets

/// Whoever runs the program: at a terminal, or in a script that writes lines to its standard input.
///
/// At a terminal everything goes to and from that terminal, wherever standard output leads, so that
/// no secret gets into a file by accident. In a script questions go to standard error, and what is
/// shown goes to standard output.
struct Person: Sendable {
  private let input: Input
  private let questions: Output
  private let shown: Output
  /// Whether answers are typed.
  let isAtTerminal: Bool

  init() {
    if Input.standardInput.isTerminal {
      let terminal = ControllingTerminal.open()
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

  /// Asks, and hands back one line without its end. Nil at the end of the input.
  func ask(_ question: String, echo: Bool) -> SecretBytes? {
    guard isAtTerminal, !echo else {
      questions.write(question)
      return input.line()
    }
    // The question comes when its answer is hidden already: programs answer at once.
    let answer = TerminalGuard.withoutEcho(on: input) {
      questions.write(question)
      return input.line()
    }
    questions.write("\n")
    return answer
  }

  /// Answers what the host wants to know.
  @Sendable func answer(_ prompt: ReauthenticationPrompt) async -> SecretBytes? {
    ask(prompt.text, echo: prompt.echo)
  }

  /// Says something.
  @Sendable func tell(_ text: String) { questions.write("\(text)\n") }

  /// Shows a secret with something before and behind it.
  func show(_ before: String, _ secret: borrowing SecretBytes, _ after: String) {
    shown.write(before)
    shown.write(secret)
    shown.write(after)
  }

  /// A picture of some bytes, or why there is none.
  enum Picture: ~Copyable {
    case drawn(SecretBytes)
    case missing(String)
  }

  /// Draws `bytes` for the terminal, above one line for a question.
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
