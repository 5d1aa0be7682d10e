import Foundation

/// What a PAM application saw, from the first prompt to the end.
package struct PAMOutcome: Sendable, CustomStringConvertible {
  /// The style of a message.
  package enum Style: String, Sendable {
    /// A prompt whose answer is not echoed.
    case hidden

    /// A prompt whose answer is echoed.
    case shown

    /// An error message.
    case error

    /// An information message.
    case information

    /// A style unknown to PAM.
    case unknown
  }

  /// A message from a module.
  package struct Message: Equatable, Sendable {
    /// The style.
    package let style: Style

    /// The text.
    package let text: String

    /// Creates a message.
    package init(_ style: Style, _ text: String) {
      self.style = style
      self.text = text
    }
  }

  /// The state of the application's process at one moment.
  package struct ProcessState: Equatable, Sendable {
    /// "started", "authenticated" or "ended".
    package let moment: String

    /// The number of threads.
    package let threads: Int

    /// The mask of signals that have a handler, in hexadecimal.
    package let caughtSignals: String

    /// The mask of ignored signals, in hexadecimal.
    package let ignoredSignals: String

    /// The mask of blocked signals, in hexadecimal.
    package let blockedSignals: String

    /// Whether the observed file is mapped.
    package let isMapped: Bool

    /// The number of open descriptors.
    package let descriptors: Int

    /// The number of SIGCHLD signals so far.
    package let announcedChildren: Int

    /// Whether there was a child to wait for.
    package let hasChild: Bool
  }

  /// How the process ended.
  package let status: ExitStatus

  /// All messages and prompts from modules, in order.
  package private(set) var messages: [Message] = []

  /// The result of each call, for example ("authenticate", "PAM_SUCCESS").
  package private(set) var results: [(call: String, code: String)] = []

  /// The number of prompts for which no answer was left.
  package private(set) var unanswered = 0

  /// The delays after failures, in microseconds, that libpam requested and the application skipped.
  package private(set) var delays: [Int] = []

  /// The number of answers that were not used.
  package private(set) var unused = 0

  /// The account name as set by the modules.
  package private(set) var user: String?

  /// The recorded process states, if they were requested.
  package private(set) var states: [ProcessState] = []

  /// The whole standard output.
  package let output: String

  /// The standard error; empty unless something is wrong.
  package let errors: String

  private struct Line: Decodable {
    let event: String
    let style, text, call, code, moment, caught, ignored, blocked: String?
    let threads, descriptors, unused, announced, microseconds: Int?
    let mapped, child: Bool?
  }

  init(status: ExitStatus, output: [UInt8], errors: String) throws(HarnessFailure) {
    self.status = status
    self.output = String(decoding: output, as: UTF8.self)
    self.errors = errors
    for text in output.split(separator: 0x0a) {
      let line: Line
      do {
        line = try JSONDecoder().decode(Line.self, from: Data(text))
      } catch {
        throw HarnessFailure(
          "pam-client printed a line that is not understood: \(error)",
          evidence: [("output", self.output), ("errors", errors)])
      }
      switch line.event {
      case "message":
        let style = line.style.flatMap(Style.init) ?? .unknown
        messages.append(Message(style, Self.text(line.text)))
      case "result": results.append((line.call ?? "", line.code ?? ""))
      case "unanswered": unanswered += 1
      case "delay": delays.append(line.microseconds ?? 0)
      case "user": user = line.text.map { Self.text($0) }
      case "process":
        states.append(
          ProcessState(
            moment: line.moment ?? "", threads: line.threads ?? 0, caughtSignals: line.caught ?? "",
            ignoredSignals: line.ignored ?? "", blockedSignals: line.blocked ?? "",
            isMapped: line.mapped ?? false, descriptors: line.descriptors ?? 0,
            announcedChildren: line.announced ?? 0, hasChild: line.child ?? false))
      case "end": unused = line.unused ?? 0
      default: throw HarnessFailure("pam-client printed an unknown event: \(line.event)")
      }
    }
  }

  /// The result of the last call, for example "PAM_SUCCESS", or the exit status if no call
  /// finished.
  package var code: String { results.last?.code ?? "\(status)" }

  /// The prompts, in order.
  package var prompts: [String] {
    messages.filter { $0.style == .hidden || $0.style == .shown }.map(\.text)
  }

  /// The messages shown to the user, in order.
  package var notices: [String] {
    messages.filter { $0.style == .error || $0.style == .information }.map(\.text)
  }

  /// Whether every answer was used and every prompt answered.
  package var isScriptUsedUp: Bool { unused == 0 && unanswered == 0 }

  /// The exit status and all output.
  package var description: String { "\(status)\n\(output)\(errors)" }

  /// Decodes bytes that the program wrote as one character each.
  private static func text(_ spelt: String?) -> String {
    let scalars = (spelt ?? "").unicodeScalars
    return String(decoding: scalars.map { UInt8(truncatingIfNeeded: $0.value) }, as: UTF8.self)
  }
}
