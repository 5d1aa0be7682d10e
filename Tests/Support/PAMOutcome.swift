import Foundation

/// What a PAM application saw, from the first question to the end.
public struct PAMOutcome: Sendable, CustomStringConvertible {
  /// How a message is meant.
  public enum Style: String, Sendable {
    /// A question whose answer is not shown.
    case hidden

    /// A question whose answer is shown.
    case shown

    /// Something that went wrong.
    case error

    /// Something to know.
    case information

    /// A style that PAM does not have.
    case unknown
  }

  /// What a module said.
  public struct Message: Equatable, Sendable {
    /// How it is meant.
    public let style: Style

    /// What it says.
    public let text: String

    /// A message to compare with.
    public init(_ style: Style, _ text: String) {
      self.style = style
      self.text = text
    }
  }

  /// What the application's process looked like at a moment.
  public struct ProcessState: Equatable, Sendable {
    /// "started", "authenticated" or "ended".
    public let moment: String

    /// The number of threads.
    public let threads: Int

    /// The signals that have a handler, a bit each, in hexadecimal.
    public let caughtSignals: String

    /// The signals that are ignored, a bit each, in hexadecimal.
    public let ignoredSignals: String

    /// The signals that are held back, a bit each, in hexadecimal.
    public let blockedSignals: String

    /// Whether the observed file is mapped.
    public let isMapped: Bool

    /// The number of open descriptors.
    public let descriptors: Int

    /// How often the end of a child was announced so far.
    public let announcedChildren: Int

    /// Whether there was a child to wait for.
    public let hasChild: Bool
  }

  /// How the process ended.
  public let status: ExitStatus

  /// What modules said and asked, in order.
  public private(set) var messages: [Message] = []

  /// The result of each call, such as ("authenticate", "PAM_SUCCESS").
  public private(set) var results: [(call: String, code: String)] = []

  /// The number of questions for which there was no answer any more.
  public private(set) var unanswered = 0

  /// The waits after failures, in microseconds, that libpam wanted and the application left out.
  public private(set) var delays: [Int] = []

  /// The number of answers that nobody asked for.
  public private(set) var unused = 0

  /// The account's name as the modules left it.
  public private(set) var user: String?

  /// What the process looked like, if that was asked for.
  public private(set) var states: [ProcessState] = []

  /// What it printed, whole.
  public let output: String

  /// What it wrote to standard error; nothing unless something is wrong.
  public let errors: String

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

  /// The result of the last call, such as "PAM_SUCCESS"; how the process ended where it did not
  /// come so far.
  public var code: String { results.last?.code ?? "\(status)" }

  /// The questions that were asked, in order.
  public var prompts: [String] {
    messages.filter { $0.style == .hidden || $0.style == .shown }.map(\.text)
  }

  /// What the person was told, in order.
  public var notices: [String] {
    messages.filter { $0.style == .error || $0.style == .information }.map(\.text)
  }

  /// Whether every answer was asked for, and every question answered.
  public var isScriptUsedUp: Bool { unused == 0 && unanswered == 0 }

  /// All that was seen.
  public var description: String { "\(status)\n\(output)\(errors)" }

  /// The bytes that the program spelt as one character each.
  private static func text(_ spelt: String?) -> String {
    let scalars = (spelt ?? "").unicodeScalars
    return String(decoding: scalars.map { UInt8(truncatingIfNeeded: $0.value) }, as: UTF8.self)
  }
}
