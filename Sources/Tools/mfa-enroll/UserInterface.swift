import MFASecrets
import MultiFactor

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

  /// The terminal on which a new key is shown, or nil if this is no terminal that has a screen.
  var screen: (input: Input, output: Output)? {
    guard isAtTerminal, shown.terminalSize != nil, Screen.Environment.current.hasScreen else {
      return nil
    }
    return (input, shown)
  }

  /// Why no picture is shown where there is no screen.
  var reasonForNoPicture: String? {
    let screen = Screen(
      size: isAtTerminal ? shown.terminalSize : nil, environment: .current,
      isUTF8: LocaleSettings.isUTF8)
    switch screen.judgement {
    case .unable(let reason): return reason
    case .able: return nil
    }
  }
}
