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
  /// Whether a program answers in JSON. Its user can be asked again.
  let isJSON: Bool
  /// The language of questions and messages.
  let language: Language
  /// Whether the user can be asked again after an answer that was not accepted.
  var asksAgain: Bool { isAtTerminal || isJSON }

  /// Creates the interface of a command that asks questions.
  ///
  /// - Throws: a failure if there is no terminal and no program that answers: a password that a user
  ///   types into a pipe is visible.
  init(for command: some EnrollCommand) throws(Failure) {
    guard !command.options.json else {
      self.init(
        input: .standardInput, questions: .standardError, shown: .standardOutput, isJSON: true)
      return
    }
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
    isJSON = false
    language = LocaleSettings.language
  }

  private init(input: Input, questions: Output, shown: Output, isJSON: Bool = false) {
    self.input = input
    self.questions = questions
    self.shown = shown
    isAtTerminal = false
    self.isJSON = isJSON
    language = LocaleSettings.language
  }

  /// The interface of programs, and of commands that ask no question.
  static let withoutQuestions = UserInterface(
    input: .standardInput, questions: .standardError, shown: .standardOutput)

  // MARK: Questions

  /// Asks a question. Returns one line without its newline, or nil at the end of the input.
  func ask(_ question: EnrollMessage, _ need: Need? = nil, echo: Bool) -> SecretBytes? {
    ask(question.text(in: language), need, echo: echo)
  }

  /// Asks a user with these factors a question from the helper, and returns the answer.
  func answer(_ prompt: ReauthenticationPrompt, factors: [FactorEntry]) -> SecretBytes? {
    // pam_unix's prompt is in the language of the helper's process, which is English.
    let isUsual = prompt.text == EnrollMessage.passwordPrompt.text(in: .english).string
    let question =
      isUsual
      ? EnrollMessage.passwordPrompt.text(in: language) : MessageText(Array(prompt.text.utf8))
    let need = Need(prompt.kind, text: question.string, factors: factors)
    return ask(question, need, echo: prompt.echo)
  }

  /// Asks a question of another part of the product. A program is asked only for what it needs to know.
  func ask(_ question: MessageText, _ need: Need? = nil, echo: Bool) -> SecretBytes? {
    guard !isJSON else {
      return need.flatMap { ProgramConversation.ask($0, echo: echo, in: language) }
    }
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
    if isJSON, label == .warningLabel { ProgramConversation.notice(text(message)) }
    tell("\(label.label(in: language))\(message.text(in: language))")
  }

  /// Writes a message of the host, which is written in the language already.
  @Sendable func tell(host text: String) {
    if isJSON { ProgramConversation.notice(text) }
    tell(MessageText(Array(text.utf8)))
  }

  /// Prints a text of the host that the command was run for.
  @Sendable func print(_ text: String) {
    guard !isJSON else { return ProgramConversation.notice(text) }
    let lines = MessageText(Array(text.utf8))
    let columns = Output.standardOutput.terminalSize?.columns
    let fitted = columns.map { lines.wrapped(to: $0) } ?? lines
    Output.standardOutput.write("\(fitted.string)\n")
  }

  /// Reports a failure after which the command continues.
  func tell(_ failure: Failure) {
    guard !isJSON else { return ProgramConversation.reject(failure, in: language) }
    let text = failure.text(in: language)
    tell("\(text.description) \(text.hint)")
  }

  /// Reports a failure after which the command continues, to a user in these words.
  func tell(_ failure: Failure, as message: EnrollMessage) {
    if isJSON { tell(failure) } else { tell(message) }
  }

  /// Writes a text, in lines that fit the window. A program learns the same from results and errors.
  func tell(_ text: MessageText) {
    guard !isJSON else { return }
    questions.write("\(fitted(text))\n")
  }

  /// Tells a program the result of the command, with new recovery codes.
  func report(_ result: ProgramResult, _ codes: consuming RecoveryCodes? = nil) {
    guard isJSON else { return }
    if let codes {
      ProgramConversation.report(result, codes)
    } else {
      ProgramConversation.report(result)
    }
  }

  /// Writes a message to a user at a terminal if a signal ends the program, until
  /// `TerminalGuard.withdrawLastMessage`.
  func tellWhenEnded(_ message: EnrollMessage) {
    guard isAtTerminal else { return }
    TerminalGuard.whenEnded(write: fitted(message.text(in: language)), to: questions)
  }

  /// Ends a line after a question that was not answered.
  func endLine() {
    guard !isJSON else { return }
    questions.write("\n")
  }

  /// Returns a text in lines that fit the window, if there is one.
  private func fitted(_ text: MessageText) -> String {
    guard let size = questions.terminalSize else { return text.string }
    return text.wrapped(to: size.columns).string
  }

  /// Shows a secret, with a text before and after it.
  func show(_ before: String, _ secret: borrowing SecretBytes, _ after: String) {
    guard !isJSON else { return }
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
