import MFABase

/// The module's arguments in a PAM service file. Unknown, repeated and contradictory arguments are
/// errors: a misspelt argument must not weaken the configuration.
package struct ModuleOptions: Equatable, Sendable {
  /// `config=PATH`: the configuration file to use in place of the host's files.
  package private(set) var configuration: [UInt8]?
  /// `prompt=TEXT`: the prompt to use in place of that of the configuration and the standard one.
  package private(set) var prompt: [UInt8]?
  /// `echo`: typed characters are shown.
  package private(set) var echo = false
  /// `debug`: the steps of the decision are logged, without secrets.
  package private(set) var debug = false
  /// `try_first_pass`: the text typed for an earlier module is tried first.
  package private(set) var triesFirstPass = false
  /// `use_first_pass`: only the text typed for an earlier module is used, and nothing is asked.
  package private(set) var usesFirstPass = false
  /// `forward_pass`: password and code are typed together, and the password is passed to the next
  /// module.
  package private(set) var forwardsPass = false

  /// `program_password`: the line accepts a program password alone, and leaves all other answers to the
  /// lines that follow.
  package private(set) var takesProgramPassword = false

  /// `tries=N`: how many codes the user may try before the line denies, 1 to `mostTries`; nil if the
  /// key of the configuration decides.
  package private(set) var tries: UInt8?
  /// `after_password`: a line before this one has verified the user's password.
  package private(set) var followsPassword = false
  /// `after_key`: the line applies only to sign-ins in which sshd has verified a key, and leaves all
  /// others to the lines that follow.
  package private(set) var followsKey = false
  /// `require_code`, of an `account` line: a user of whom policy requires a code is denied unless an `auth` line of the
  /// module accepted one in the same transaction.
  package private(set) var requiresCode = false

  /// The largest number of tries.
  package static let mostTries: UInt8 = 5

  /// Whether an answer to the prompt can be a password, or contain one.
  package var takesPassword: Bool { forwardsPass || takesProgramPassword }

  /// Whether the input contains a password besides the code.
  package var expectsPassword: Bool { triesFirstPass || usesFirstPass || forwardsPass }

  /// Whether the module's prompt asks for the password too.
  package var asksForPassword: Bool { forwardsPass && !usesFirstPass }

  /// Why an argument was refused.
  package enum Refusal: Error, Equatable, Sendable {
    case unknown([UInt8])
    case repeated([UInt8])
    case contradictory
    /// `after_key` together with an argument about the password.
    case keyWithPassword
    /// `program_password` together with an argument about the password or the code.
    case programPasswordWithCode
  }

  /// The longest prompt in bytes. PAM messages have at most 512.
  package static let longestPrompt = 128

  /// Creates the options of a line without arguments.
  package init() {}

  /// Reads the arguments.
  package init(_ arguments: [[UInt8]]) throws(Refusal) {
    for argument in arguments { try read(argument) }
    guard !(triesFirstPass && usesFirstPass) else { throw .contradictory }
    // A line after a key stands above the lines that ask for the password.
    guard !(followsKey && (followsPassword || expectsPassword)) else { throw .keyWithPassword }
    guard !(takesProgramPassword && (followsKey || followsPassword || expectsPassword)) else {
      throw .programPasswordWithCode
    }
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
    } else if let value = Self.value(of: "tries=", in: argument) {
      guard tries == nil else { throw .repeated(argument) }
      guard value.count == 1, let number = value.first?.decimalDigit,
        (1...Self.mostTries).contains(number)
      else { throw .unknown(argument) }
      tries = number
    } else if Self.equals("after_password", argument) {
      try Self.set(&followsPassword, argument)
    } else if Self.equals("after_key", argument) {
      try Self.set(&followsKey, argument)
    } else if Self.equals("program_password", argument) {
      try Self.set(&takesProgramPassword, argument)
    } else if Self.equals("require_code", argument) {
      try Self.set(&requiresCode, argument)
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
    return argument.span.part(from: prefix.count, count: argument.count).copied()
  }
}
