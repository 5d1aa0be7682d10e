import MFAWire
import MFABase
import MFAModule
import MFAResidentTestSupport

/// The module's side of a PAM application, whose user answers from a script.
final class ScriptedModule: ModuleApplication {
  /// The answers that are left. An empty text is no answer, and `*` an answer that is too long.
  var script: [String]
  /// The calls so far, except those for log lines.
  var calls: [String] = []
  var logged: [String] = []
  var storedNote: [UInt8]?
  /// Whether a note can be stored, and a password be passed on.
  var accepts = true
  var methods: [UInt8]? = []
  let showsMessages = true

  init(_ script: [String] = []) { self.script = script }

  func ask(_ prompt: [UInt8], echo: Bool) -> Reply {
    calls.append("ask \(MessageSamples.text(prompt)) \(echo)")
    return next()
  }

  func ask(revealing prompt: consuming SecretBytes, echo: Bool) -> Reply {
    calls.append("reveal \(MessageSamples.text(prompt)) \(echo)")
    return next()
  }

  private func next() -> Reply {
    guard !script.isEmpty else { return .none }
    switch script.removeFirst() {
    case "": return .none
    case "*": return .tooLong
    case let text: return .text(MessageSamples.secret(text))
    }
  }

  func tell(_ text: String, essential: Bool) { calls.append("tell '\(text)' \(essential)") }

  func tell(_ text: consuming SecretBytes, essential: Bool) {
    calls.append("tell \(MessageSamples.text(text)) \(essential)")
  }

  func reveal(_ text: String, _ secret: consuming SecretBytes) { calls.append("reveal") }

  func note(_ note: TransactionNote, of name: [UInt8]) -> Bool {
    store(note: [note.rawValue] + name)
  }

  func store(note: [UInt8]) -> Bool {
    calls.append("note \(MessageSamples.text(note))")
    if accepts { storedNote = note }
    return accepts
  }

  func isNoted(_ note: TransactionNote, of name: [UInt8]) -> Bool {
    storedNote == [note.rawValue] + name
  }

  func log(_ priority: LogPriority, _ line: LogLine) { log(priority.number, line.text) }

  func log(_ priority: Int32, _ line: [UInt8]) {
    logged.append("\(priority) " + String(decoding: line, as: UTF8.self))
  }

  func audit(_ record: Audit.Record) {
    calls.append("audit \(MessageSamples.text(record.operation)) \(record.succeeded)")
  }

  func earlierAnswer() -> Reply {
    calls.append("earlier answer")
    return next()
  }

  func earlierMethods() -> [UInt8]? { methods }

  func forward(_ password: Span<UInt8>) -> Bool {
    calls.append("forward \(MessageSamples.text(SecretBytes(copying: password)))")
    return accepts
  }
}
