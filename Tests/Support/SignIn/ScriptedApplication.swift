public import Secrets
public import SignIn
public import System

/// An application whose person answers from a script. A test asserts at its end that every line of
/// the script was used (`isUsedUp`).
public final class ScriptedApplication: Application, @unchecked Sendable {
  /// An answer.
  public enum Answer: Sendable {
    case text(String)
    /// What a person types who has seen all that was asked with something secret in it.
    case seeing(@Sendable ([String]) -> String)
    case bytes([UInt8])
    case none
    case tooLong
  }

  /// What is still to be answered.
  public private(set) var script: [Answer]
  /// What an earlier module was given.
  public var earlier: Answer = .none
  /// Whether forwarding works.
  public var forwards = true
  /// What was asked.
  public private(set) var prompts: [String] = []
  /// What the person was told.
  public private(set) var told: [String] = []
  /// What the person was told even where the application would rather have silence.
  public private(set) var essentials: [String] = []
  /// What was logged.
  public private(set) var logged: [String] = []
  /// What was forwarded.
  public private(set) var forwarded: [String] = []
  /// Called at each question, before it is answered.
  public var atPrompt: () -> Void = {}

  /// The application.
  public init(_ script: [Answer] = []) { self.script = script }

  /// Whether every line of the script was used.
  public var isUsedUp: Bool { script.isEmpty }

  /// Answers from the script; nothing when it is over.
  public func ask(_ prompt: [UInt8], echo: Bool) -> Reply {
    prompts.append(String(decoding: prompt, as: UTF8.self) + (echo ? "(echo)" : ""))
    atPrompt()
    guard !script.isEmpty else { return .none }
    let answer = script.removeFirst()
    guard case .seeing(let type) = answer else { return Self.reply(answer) }
    return Self.reply(.text(type(secretPrompts)))
  }

  private static func reply(_ answer: Answer) -> Reply {
    switch answer {
    case .text(let text): .text(SecretBytes(copying: Array(text.utf8).span))
    case .bytes(let bytes): .text(SecretBytes(copying: bytes.span))
    case .seeing(let type): .text(SecretBytes(copying: Array(type([]).utf8).span))
    case .none: .none
    case .tooLong: .tooLong
    }
  }

  /// Keeps it.
  public func tell(_ text: String, essential: Bool) {
    told.append(text)
    if essential { essentials.append(text) }
  }

  /// Whether the person sees everything.
  public var isListening = true
  /// What was revealed.
  public private(set) var revealed: [String] = []

  /// Keeps it.
  public func reveal(_ text: String, _ secret: consuming SecretBytes) {
    var bytes = Array(text.utf8)
    for index in secret.span.indices { bytes.append(secret.span[index]) }
    revealed.append(String(decoding: bytes, as: UTF8.self))
  }

  /// What was asked with something secret in it.
  public private(set) var secretPrompts: [String] = []

  /// Answers as `ask` does.
  public func ask(revealing prompt: consuming SecretBytes, echo: Bool) -> Reply {
    var bytes: [UInt8] = []
    for index in prompt.span.indices { bytes.append(prompt.span[index]) }
    secretPrompts.append(String(decoding: bytes, as: UTF8.self))
    return ask(bytes, echo: echo)
  }

  /// What `auth` has noted, and of whom.
  public var noted: [UInt8]?
  /// Whether a note can be made.
  public var takesNotes = true

  /// Keeps it.
  public func note(_ note: TransactionNote, of name: [UInt8]) -> Bool {
    guard takesNotes else { return false }
    noted = [note.rawValue] + name
    return true
  }

  /// Looks at what was noted.
  public func isNoted(_ note: TransactionNote, of name: [UInt8]) -> Bool {
    noted == [note.rawValue] + name
  }

  /// The records of the audit trail: `mfa:code alice 203.0.113.9 - yes`.
  public private(set) var audited: [String] = []

  /// Keeps it.
  public func audit(
    _ kind: Audit.Kind, _ operation: [UInt8], _ account: [UInt8], _ address: [UInt8]?,
    _ terminal: [UInt8]?, _ succeeded: Bool
  ) {
    let words = [operation, account, address ?? [0x2D], terminal ?? [0x2D]]
      .map { String(decoding: $0, as: UTF8.self) }
    audited.append((words + [succeeded ? "yes" : "no"]).joined(separator: " "))
  }

  /// Keeps it.
  public func log(_ priority: LogPriority, _ line: LogLine) {
    logged.append(String(decoding: line.text, as: UTF8.self))
  }

  /// How the person has proven who they are before.
  public var methods: String? = ""

  /// What the test says.
  public func earlierMethods() -> [UInt8]? { methods.map { Array($0.utf8) } }

  /// What the test says.
  public func earlierAnswer() -> Reply { Self.reply(earlier) }

  /// Keeps it.
  public func forward(_ password: Span<UInt8>) -> Bool {
    var bytes: [UInt8] = []
    for index in password.indices { bytes.append(password[index]) }
    forwarded.append(String(decoding: bytes, as: UTF8.self))
    return forwards
  }
}
