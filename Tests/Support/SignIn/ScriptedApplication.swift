import MFAWire
import MFABase
import MFAMessages
import MFAModule

/// A PAM application whose user answers from a script. At its end, a test asserts that every line
/// of the script was used (`isUsedUp`).
package final class ScriptedApplication: Application, @unchecked Sendable {
  /// A scripted answer.
  package enum Answer: Sendable {
    case text(String)
    /// An answer computed from the prompts so far that contained a secret.
    case seeing(@Sendable ([String]) -> String)
    case bytes([UInt8])
    case none
    case tooLong
  }

  /// The answers that are left.
  package private(set) var script: [Answer]
  /// The password that an earlier module obtained.
  package var earlier: Answer = .none
  /// Whether forwarding the password succeeds.
  package var forwards = true
  /// The prompts so far.
  package private(set) var prompts: [String] = []
  /// The messages shown so far.
  package private(set) var told: [String] = []
  /// The lines of each message.
  package private(set) var toldLines: [[String]] = []
  /// The messages shown even if the application requested silence (PAM_SILENT).
  package private(set) var essentials: [String] = []
  /// The messages shown as information, not as errors.
  package private(set) var information: [String] = []
  /// The log lines so far.
  package private(set) var logged: [String] = []
  /// The forwarded passwords.
  package private(set) var forwarded: [String] = []
  /// Whether the script has an answer to the question with which a sign-in by ssh ends.
  package var answersClosing = false
  /// Called at each prompt, before it is answered.
  package var atPrompt: () -> Void = {}

  /// Creates an application with a script.
  package init(_ script: [Answer] = []) { self.script = script }

  /// Whether every line of the script was used.
  package var isUsedUp: Bool { script.isEmpty }

  /// Answers from the script; gives no answer when the script is used up.
  package func ask(_ prompt: Span<UInt8>, echo: Bool) -> Reply {
    let text = Self.text(prompt)
    // A text with which a sign-in ends is recorded as a message, unless the script answers it.
    guard answersClosing || !Self.isClosing(text) else { return .absent }
    if text.contains(Self.secret) { secretPrompts.append(text) }
    prompts.append(text + (echo ? "(echo)" : ""))
    atPrompt()
    guard !script.isEmpty else { return .absent }
    let answer = script.removeFirst()
    guard case .seeing(let type) = answer else { return Self.reply(answer) }
    return Self.reply(.text(type(secretPrompts)))
  }

  private static func isClosing(_ text: String) -> Bool {
    Language.allCases.contains {
      text.hasSuffix("\n" + SignInMessage.closingPrompt.text(in: $0).string)
    }
  }

  private static func reply(_ answer: Answer) -> Reply {
    switch answer {
    case .text(let text): .text(SecretBytes(copying: Array(text.utf8).span))
    case .bytes(let bytes): .text(SecretBytes(copying: bytes.span))
    case .seeing(let type): .text(SecretBytes(copying: Array(type([]).utf8).span))
    case .none: .absent
    case .tooLong: .tooLong
    }
  }

  private static func text(_ bytes: Span<UInt8>) -> String {
    var text: [UInt8] = []
    for index in bytes.indices { text.append(bytes[index]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Records the message, with its lines joined.
  package func tell(_ text: Span<UInt8>, isInformation: Bool, essential: Bool) {
    let lines = Self.text(text).split(separator: "\n", omittingEmptySubsequences: false)
    let text = lines.joined(separator: " ")
    told.append(text)
    toldLines.append(lines.map(String.init))
    if essential { essentials.append(text) }
    if isInformation { information.append(text) }
  }

  /// The number of the first try. By default there is no further try.
  package var tryNumber = UInt8.max

  /// Whether the user sees all messages.
  package var showsMessages = true
  /// A key, as a URL or as a QR code, or a recovery code.
  private static var secret: Regex<Substring> {
    /otpauth:|\u{2588}|[a-z2-7]{4}-[a-z2-7]{4}-[a-z2-7]{4}/
  }

  /// The prompts with a secret.
  package private(set) var secretPrompts: [String] = []

  /// The note that `auth` stored, followed by the user name.
  package var noted: [UInt8]?
  /// Whether a note can be stored.
  package var takesNotes = true

  /// Stores the note.
  package func store(note: Span<UInt8>) -> Bool {
    guard takesNotes else { return false }
    noted = Array(Self.text(note).utf8)
    return true
  }

  /// The note.
  package var storedNote: [UInt8]? { noted }

  /// The kernel audit records: `mfa:code alice 203.0.113.9 - yes`.
  package private(set) var audited: [String] = []

  /// Records the audit record.
  package func audit(_ record: Audit.Record) {
    let words = [
      record.operation, record.account, record.address ?? [0x2D], record.terminal ?? [0x2D],
    ].map { String(decoding: $0, as: UTF8.self) }
    audited.append((words + [record.succeeded ? "yes" : "no"]).joined(separator: " "))
  }

  /// Records the log line.
  package func log(_ priority: Int32, _ line: Span<UInt8>) { logged.append(Self.text(line)) }

  /// The methods that the user authenticated with earlier.
  package var methods: String? = ""

  /// Returns `methods`.
  package func earlierMethods() -> [UInt8]? { methods.map { Array($0.utf8) } }

  /// Returns `earlier`.
  package func earlierAnswer() -> Reply { Self.reply(earlier) }

  /// Records the forwarded password.
  package func forward(_ password: Span<UInt8>) -> Bool {
    forwarded.append(Self.text(password))
    return forwards
  }
}
