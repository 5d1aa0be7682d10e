import Secrets

/// The module's arguments in a PAM service file. An unknown one, one given twice, and two that
/// contradict each other are errors: a misspelt argument must not leave something weaker in force.
public struct ModuleOptions: Equatable, Sendable {
  /// `config=PATH`: the one configuration file, in place of those of the host.
  public private(set) var configuration: [UInt8]?
  /// `prompt=TEXT`: the question, in place of the standard one.
  public private(set) var prompt: [UInt8]?
  /// `echo`: what is typed is shown.
  public private(set) var echo = false
  /// `debug`: the steps of the decision go to the log. Never a secret.
  public private(set) var debug = false
  /// `try_first_pass`: what was typed for an earlier module is tried first.
  public private(set) var triesFirstPass = false
  /// `use_first_pass`: what was typed for an earlier module is all there is; nothing is asked.
  public private(set) var usesFirstPass = false
  /// `forward_pass`: password and code are typed together; the password goes to the next module.
  public private(set) var forwardsPass = false

  /// Whether the answer is to hold a password besides the code.
  var expectsPassword: Bool { triesFirstPass || usesFirstPass || forwardsPass }

  /// Whether the one question is for the password too.
  var asksForPassword: Bool { forwardsPass && !usesFirstPass }

  /// An argument that is none, with what is wrong.
  public enum Refusal: Error, Equatable, Sendable {
    case unknown([UInt8])
    case repeated([UInt8])
    case contradictory
  }

  /// The longest prompt in bytes; PAM's messages have at most 512.
  public static let longestPrompt = 128

  /// Reads the arguments.
  public init(_ arguments: [[UInt8]]) throws(Refusal) {
    for argument in arguments { try read(argument) }
    guard !(triesFirstPass && usesFirstPass) else { throw .contradictory }
  }

  private mutating func read(_ argument: [UInt8]) throws(Refusal) {
    if let value = Self.value(of: "config=", in: argument) {
      guard configuration == nil else { throw .repeated(argument) }
      configuration = value
    } else if let value = Self.value(of: "prompt=", in: argument) {
      guard prompt == nil else { throw .repeated(argument) }
      guard value.count <= Self.longestPrompt, !value.contains(where: { $0 < 0x20 || $0 == 0x7F })
      else { throw .unknown(argument) }
      prompt = value
    } else if Self.equals("echo", argument) {
      try Self.set(&echo, argument)
    } else if Self.equals("debug", argument) {
      try Self.set(&debug, argument)
    } else if Self.equals("try_first_pass", argument) {
      try Self.set(&triesFirstPass, argument)
    } else if Self.equals("use_first_pass", argument) {
      try Self.set(&usesFirstPass, argument)
    } else if Self.equals("forward_pass", argument) {
      try Self.set(&forwardsPass, argument)
    } else {
      throw .unknown(argument)
    }
  }

  private static func set(_ flag: inout Bool, _ argument: [UInt8]) throws(Refusal) {
    guard !flag else { throw .repeated(argument) }
    flag = true
  }

  private static func equals(_ name: StaticString, _ argument: [UInt8]) -> Bool {
    value(of: name, in: argument).map { $0.isEmpty } ?? false
  }

  private static func value(of name: StaticString, in argument: [UInt8]) -> [UInt8]? {
    let prefix = name.bytes
    guard argument.starts(with: prefix) else { return nil }
    return Array(argument.dropFirst(prefix.count))
  }

  /// The question to ask: the administrator's, or the standard one.
  public var question: [UInt8] {
    if let prompt { return prompt }
    let standard: StaticString =
      forwardsPass ? "Password and one-time code: " : "One-time code: "
    return standard.bytes
  }
}
