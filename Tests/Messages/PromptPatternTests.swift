import MFABase
import MFAMessages
import Testing

/// Programs that watch a terminal for a question, and answer it, or ask their user in a window of their own. They know
/// questions in English by their text.
@Suite struct PromptPatternTests {
  private static let name = Array("work".utf8)

  /// The questions that a code of a device answers.
  private static let questions: [SignInMessage] = [
    .codePrompt, .codeOrNumberPrompt, .codeOfDevicePrompt(name: name),
    .codeOrSendPrompt(name: name, number: Array("+1 *** *** **34".utf8)),
    .codeOrSendChoicePrompt,
  ]

  /// Questions that such a code does not answer.
  private static let otherQuestions: [SignInMessage] = [
    .recoveryCodePrompt, .breakGlassPrompt, .noticeConfirmation, .closingPrompt,
  ]

  /// How programs recognise a question for a code.
  private static let patterns: [(program: String, pattern: String)] = [
    // VS Code Remote-SSH publishes no source. Where it reads the output of ssh, as on Windows, it recognises this text,
    // say its maintainers (microsoft/vscode-remote-release, issue 2170). Elsewhere it is ssh's SSH_ASKPASS, and shows
    // each question.
    ("VS Code Remote-SSH", #"Verification code: $"#),
    // tramp-otp-password-prompt-regexp, which ignores case (lisp/net/tramp.el of GNU Emacs 30.2).
    ("TRAMP", #"(?i)^.*(Verification code|TACC Token Code).*[:\x{FF1A}] *$"#),
    // The default of brightio/freedom (README.md).
    ("freedom", #"([Pp]assword(?: for .*)?|[Vv]erification code):"#),
    // yavitalic/gapass, and scripts for expect that were written for pam_google_authenticator, whose question this is.
    ("scripts for expect", "Verification code:"),
  ]

  /// How programs recognise a question for the password, and answer it with one.
  private static let passwordPatterns: [(program: String, pattern: String)] = [
    ("sshpass 1.09, with which Ansible gives passwords to ssh", "assword"),
    ("pxssh of pexpect 4.8.0", "(?i)(?:password:)|(?:passphrase for key)"),
    ("mitogen", "(?i)password"),
  ]

  private static func text(_ message: SignInMessage) -> String {
    message.text(in: .english).string
  }

  @Test(
    "questions for a code are recognised, and those for other codes are not",
    arguments: patterns)
  func codes(program: String, pattern: String) throws {
    let regex = try Regex(pattern)
    for question in Self.questions.map(Self.text) {
      #expect(question.contains(regex), "\(program): \(question)")
    }
    for question in Self.otherQuestions.map(Self.text) {
      #expect(!question.contains(regex), "\(program): \(question)")
    }
  }

  @Test(
    "questions for a code are not taken for one for the password, which would be counted as a wrong code",
    arguments: passwordPatterns)
  func passwords(program: String, pattern: String) throws {
    let regex = try Regex(pattern)
    for question in (Self.questions + Self.otherQuestions).map(Self.text) {
      #expect(!question.contains(regex), "\(program): \(question)")
    }
  }
}
