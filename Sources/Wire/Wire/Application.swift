import MFAMessages
import MFABase

/// The services that a sign-in needs from the PAM application. Tests provide their own
/// implementation.
package protocol Application {
  /// Asks the user one question.
  func ask(_ prompt: [UInt8], echo: Bool) -> Reply

  /// Asks the user a question that follows directly from the answer to the question before it.
  /// Nothing else was done with that answer.
  func askNext(_ prompt: [UInt8], echo: Bool) -> Reply

  /// Shows a message to the user. An essential message is shown even if the application asked for
  /// silence.
  func tell(_ text: String, essential: Bool)

  /// Whether messages that are not essential are shown: false if the application asked for silence.
  var showsMessages: Bool { get }

  /// Shows the user confidential text: `text`, followed by the secret.
  func reveal(_ text: String, _ secret: consuming SecretBytes)

  /// Asks one question whose text is confidential.
  func ask(revealing prompt: consuming SecretBytes, echo: Bool) -> Reply

  /// Stores a note about an account for the `account` line of the same sign-in, and returns whether
  /// that succeeded. Replaces an earlier note.
  func note(_ note: TransactionNote, of name: [UInt8]) -> Bool

  /// Returns whether this note was stored for this account.
  func isNoted(_ note: TransactionNote, of name: [UInt8]) -> Bool

  /// Writes a line to the system log.
  func log(_ priority: LogPriority, _ line: LogLine)

  /// Writes a record to the kernel's audit trail, if the host has one.
  func audit(_ record: Audit.Record)

  /// Returns the text that was typed for an earlier module (PAM_AUTHTOK).
  func earlierAnswer() -> Reply

  /// Returns the authentication methods that succeeded before PAM ran, with the keys used, as sshd
  /// reports them. Returns an empty array if there were none, and nil if the report is too long to
  /// be read.
  func earlierMethods() -> [UInt8]?

  /// Whether the user's answer to a question begins the sign-in again, so that this run must leave
  /// nothing behind. It ends as if the user had hung up.
  var isSuspended: Bool { get }

  /// The number of the try with which this run begins: 1, or more if an earlier run has verified the
  /// codes before.
  var tryNumber: UInt8 { get }

  /// How many codes of this sign-in earlier runs have counted as failed attempts.
  var failedTries: UInt8 { get }

  /// Whether the application begins a new run for each further try.
  var beginsAgain: Bool { get }

  /// Uses a language for the messages that the application shows without the sign-in, such as that
  /// it failed.
  func use(_ language: Language)

  /// Passes the password to the modules that follow (PAM_AUTHTOK), and returns whether that
  /// succeeded.
  func forward(_ password: Span<UInt8>) -> Bool
}

extension Application {
  /// An application that waits for the user is never suspended.
  package var isSuspended: Bool { false }

  /// An application that waits for the user begins with the first try.
  package var tryNumber: UInt8 { 1 }

  /// An application that waits for the user has no earlier runs.
  package var failedTries: UInt8 { 0 }

  /// An application that waits for the user runs once for all tries.
  package var beginsAgain: Bool { false }

  /// An application that shows no messages of its own needs no language.
  package func use(_ language: Language) {}

  /// To an application that waits for the user, this is a question like any other.
  package func askNext(_ prompt: [UInt8], echo: Bool) -> Reply { ask(prompt, echo: echo) }
}
