import MFAEnrollMessages
import MFAMessages
import MFABase
import MultiFactor

/// The interface to the user: a terminal, or a program that writes lines to standard input.
///
/// At a terminal, questions, messages and secrets use the terminal, even if standard input or output
/// is redirected, so that no password is read from a pipe and no secret gets into a file by
/// accident. For a program, questions and messages go to standard error, and secrets go to standard
/// output.
struct UserInterface: Sendable {
  private let input: Input
  private let questions: Output
  private let shown: Output
  /// Whether the user is at a terminal.
  let isAtTerminal: Bool
  /// The language of questions and messages.
  let language: Language

  /// Creates the interface of a command that asks questions.
  ///
  /// - Throws: a failure if there is no terminal and no program that answers: a password that a user
  ///   types into a pipe is visible.
  init(for command: some EnrollCommand) throws(Failure) {
    try self.init(isForProgram: command.isForProgram)
  }

  /// Creates the interface for a program if `isForProgram` is true and standard input is not a
  /// terminal, and otherwise that for a terminal.
  private init(isForProgram: Bool) throws(Failure) {
    let isTerminal = Input.standardInput.isTerminal
    guard isTerminal || !isForProgram else {
      self = .withoutQuestions
      return
    }
    let terminal = TerminalStreams.open()
    guard isTerminal || terminal != nil else { throw Failure(.noTerminal) }
    input = terminal?.input ?? .standardInput
    questions = terminal?.output ?? .standardError
    shown = terminal?.output ?? .standardError
    isAtTerminal = true
    language = LocaleSettings.language
  }

  private init(input: Input, questions: Output, shown: Output) {
    self.input = input
    self.questions = questions
    self.shown = shown
    isAtTerminal = false
    language = LocaleSettings.language
  }

  /// The interface of programs, and of commands that ask no question.
  static let withoutQuestions = UserInterface(
    input: .standardInput, questions: .standardError, shown: .standardOutput)

  // MARK: Questions

  /// Asks a question. Returns one line without its newline, or nil at the end of the input.
  func ask(_ question: EnrollMessage, echo: Bool) -> SecretBytes? {
    ask(question.text(in: language), echo: echo)
  }

  /// Asks the user a question from the helper, and returns the answer.
  @Sendable func answer(_ prompt: ReauthenticationPrompt) async -> SecretBytes? {
    // pam_unix's prompt is in the language of the helper's process, which is English.
    if prompt.text == EnrollMessage.passwordPrompt.text(in: .english).string {
      return ask(.passwordPrompt, echo: prompt.echo)
    }
    return ask(MessageText(Array(prompt.text.utf8)), echo: prompt.echo)
  }

  /// Asks a question of another part of the product.
  func ask(_ question: MessageText, echo: Bool) -> SecretBytes? {
    let question = fitted(question)
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

  /// Returns an answer that is not a secret as text.
  func text(of answer: borrowing SecretBytes) -> String {
    let span = answer.span
    return String(decoding: span.indices.map { span[$0] }, as: UTF8.self)
  }

  // MARK: Messages

  /// Returns the text of a message.
  func text(_ message: EnrollMessage) -> String { message.text(in: language).string }

  /// Returns a label with the space behind it.
  func label(_ message: EnrollMessage) -> String { message.label(in: language).string }

  /// Writes a message.
  func tell(_ message: EnrollMessage) { tell(message.text(in: language)) }

  /// Writes a message behind a label, such as a hint.
  func tell(_ label: EnrollMessage, _ message: EnrollMessage) {
    tell("\(label.label(in: language))\(message.text(in: language))")
  }

  /// Writes a message of the host, which is written in the language already.
  @Sendable func tell(host text: String) { tell(MessageText(Array(text.utf8))) }

  /// Prints a text of the host that the command was run for.
  @Sendable func print(_ text: String) {
    let lines = MessageText(Array(text.utf8))
    let columns = Output.standardOutput.terminalSize?.columns
    let fitted = columns.map { lines.wrapped(to: $0) } ?? lines
    Output.standardOutput.write("\(fitted.string)\n")
  }

  /// Reports a failure after which the command continues.
  func tell(_ failure: Failure) {
    let text = failure.text(in: language)
    tell("\(text.description) \(text.hint)")
  }

  /// Writes a text, in lines that fit the window.
  func tell(_ text: MessageText) { questions.write("\(fitted(text))\n") }

  /// Writes a message to a user at a terminal if a signal ends the program, until
  /// `TerminalGuard.withdrawLastMessage`.
  func tellWhenEnded(_ message: EnrollMessage) {
    guard isAtTerminal else { return }
    TerminalGuard.whenEnded(write: fitted(message.text(in: language)), to: questions)
  }

  /// Ends a line after a question that was not answered.
  func endLine() { questions.write("\n") }

  /// Returns a text in lines that fit the window, if there is one.
  private func fitted(_ text: MessageText) -> String {
    guard let size = questions.terminalSize else { return text.string }
    return text.wrapped(to: size.columns).string
  }

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
  var pictureObstacle: PictureObstacle? {
    let screen = Screen(
      size: isAtTerminal ? shown.terminalSize : nil, environment: .current,
      isUTF8: LocaleSettings.isUTF8)
    return switch screen.judgement {
    case .unable(let obstacle): obstacle
    case .able: nil
    }
  }
}
