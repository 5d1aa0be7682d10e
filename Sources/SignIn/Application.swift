public import Secrets
public import System

/// What the PAM application, or whoever stands in for it, does for a sign-in.
public protocol Application {
  /// Asks the person one question.
  func ask(_ prompt: [UInt8], echo: Bool) -> Reply

  /// Tells the person something; what is essential also where the application would rather have
  /// silence.
  func tell(_ text: String, essential: Bool)

  /// Whether the person sees what is told: the application asked for no silence.
  var isListening: Bool { get }

  /// Shows the person something that nobody else may know: `text`, and the secret behind it.
  func reveal(_ text: String, _ secret: consuming SecretBytes)

  /// Asks one question that shows the person something that nobody else may know.
  func ask(revealing prompt: consuming SecretBytes, echo: Bool) -> Reply

  /// Notes something about an account for the `account` line of the same sign-in, in the place of
  /// what was noted before, and tells whether that worked.
  func note(_ note: TransactionNote, of name: [UInt8]) -> Bool

  /// Whether that was noted of this account.
  func isNoted(_ note: TransactionNote, of name: [UInt8]) -> Bool

  /// Writes a line to the system log.
  func log(_ priority: LogPriority, _ line: LogLine)

  /// Writes a record to the kernel's audit trail, where there is one.
  func audit(
    _ kind: Audit.Kind, _ operation: [UInt8], _ account: [UInt8], _ address: [UInt8]?,
    _ terminal: [UInt8]?, _ succeeded: Bool)

  /// The answer that an earlier module was given (PAM_AUTHTOK).
  func earlierAnswer() -> Reply

  /// By which methods the person has proven who they are before PAM was asked, with the keys, as sshd
  /// tells it; nothing where there were none, nil where that is longer than can be read.
  func earlierMethods() -> [UInt8]?

  /// Hands the password to the modules that follow (PAM_AUTHTOK), and tells whether that worked.
  func forward(_ password: Span<UInt8>) -> Bool
}
