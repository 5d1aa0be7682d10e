import MFABase
import MFAModule
import MFAResidentTestSupport
import MFAWire

/// A PAM application that records the module's calls in order, and whose user answers from a script.
final class RecordedApplication: Application {
  /// The answers that are left. An empty text is no answer, and `*` an answer that is too long.
  var script: [String]
  /// The calls so far, except those for log lines.
  var calls: [String] = []
  var logged: [String] = []
  var storedNote: [UInt8]?
  /// Whether a note can be stored, and a password be passed on.
  var accepts = true
  var methods: [UInt8]? = []
  /// PAM_AUTHTOK.
  var earlier = "password"
  var showsMessages = true

  init(_ script: [String] = []) { self.script = script }

  func ask(_ prompt: Span<UInt8>, echo: Bool) -> Reply {
    calls.append("ask \(Self.text(prompt)) \(echo)")
    guard !script.isEmpty else { return .absent }
    switch script.removeFirst() {
    case "": return .absent
    case "*": return .tooLong
    case let text: return .text(MessageSamples.secret(text))
    }
  }

  func tell(_ text: Span<UInt8>, isInformation: Bool, essential: Bool) {
    let style = isInformation ? " information" : ""
    calls.append("tell \(Self.text(text)) \(essential)\(style)")
  }

  func store(note: Span<UInt8>) -> Bool {
    calls.append("note \(Self.text(note))")
    if accepts { storedNote = note.copied() }
    return accepts
  }

  func earlierAnswer() -> Reply {
    calls.append("earlier answer")
    return .text(MessageSamples.secret(earlier))
  }

  func earlierMethods() -> [UInt8]? { methods }

  func forward(_ password: Span<UInt8>) -> Bool {
    calls.append("forward \(Self.text(password))")
    return accepts
  }

  func log(_ priority: Int32, _ line: Span<UInt8>) {
    logged.append("\(priority) " + String(decoding: line.copied(), as: UTF8.self))
  }

  func audit(_ record: Audit.Record) {
    calls.append("audit \(MessageSamples.text(record.operation)) \(record.succeeded)")
  }

  private static func text(_ bytes: Span<UInt8>) -> String { MessageSamples.text(bytes.copied()) }
}

/// A decider that replies from a script, and records the requests. Without a further reply it is silent.
final class ScriptedReplies: ReplySource {
  private var script: [SignInReply]
  /// The texts of the requests so far.
  private(set) var heard: [String] = []

  init(_ script: [SignInReply]) { self.script = script }

  /// Whether every reply was used.
  var isUsedUp: Bool { script.isEmpty }

  let facts = MessageSamples.facts

  func reply(to call: inout SignInCall) throws(DeciderFailure) -> SignInReply {
    heard.append(MessageSamples.text(call))
    guard !script.isEmpty else { throw .silent }
    return script.removeFirst()
  }
}
