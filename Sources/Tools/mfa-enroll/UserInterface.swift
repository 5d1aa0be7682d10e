import MFABytes
import MFAEnrollMessages
import MFAMessages
import MFASecrets
import MultiFactor
import MFAQRCode

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
    ask(MessageText(Array(prompt.text.utf8)), echo: prompt.echo)
  }

  private func ask(_ question: MessageText, echo: Bool) -> SecretBytes? {
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

  /// Writes a message.
  func tell(_ message: EnrollMessage) { tell(message.text(in: language)) }

  /// Writes a message behind a label, such as a hint.
  func tell(_ label: EnrollMessage, _ message: EnrollMessage) {
    tell("\(label.text(in: language)) \(message.text(in: language))")
  }

  /// Writes a message of the host, which is written in the language already.
  @Sendable func tell(host text: String) { tell(MessageText(Array(text.utf8))) }

  /// Reports a failure after which the command continues.
  func tell(_ failure: Failure) {
    let text = failure.text(in: language)
    tell("\(text.description) \(text.hint)")
  }

  /// Writes a text, in lines that fit the window.
  func tell(_ text: MessageText) { questions.write("\(fitted(text))\n") }

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

  /// A picture, or the reason why it is missing.
  enum Picture: ~Copyable {
    case drawn(SecretBytes)
    case missing(PictureObstacle)
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
            .windowTooSmall(columns: needed.columns, lines: needed.rows + 1))
        }
      } catch {
        return .missing(PictureObstacle(error))
      }
    }
  }
}
