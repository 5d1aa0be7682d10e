import MFABase
@testable import MFAPAMStack
@testable import MFASignIn

/// Reads the arguments of the module in a service file. NUL separates them in the input.
///
/// Accepted arguments mean the same in any order, and are accepted again when they are written from
/// the parsed options. A refusal names one of the arguments. The prompt has no control characters.
enum ArgumentsTarget {
  static func check(_ input: [UInt8]) throws {
    let arguments = input.split(separator: 0, omittingEmptySubsequences: false).map(Array.init)
    let options: ModuleOptions
    do throws(ModuleOptions.Refusal) { options = try ModuleOptions(arguments) } catch {
      switch error {
      case .unknown(let argument), .repeated(let argument):
        try require(arguments.contains(argument), "a refusal names a different argument")
      case .contradictory, .keyWithPassword, .programPasswordWithCode: break
      }
      return try require(isRefused(arguments.reversed()), "a refusal depends on the order")
    }
    try require(
      try ModuleOptions(arguments.reversed()) == options, "the meaning depends on the order")
    try require(try ModuleOptions(written(options)) == options, "the options read back differently")
    try require(written(options).count == arguments.count, "an argument has no meaning")
    try require(
      options.prompt.map { $0.count <= ModuleOptions.longestPrompt } ?? true
        && options.prompt?.allSatisfy { $0 >= 0x20 && $0 != 0x7F } ?? true,
      "the prompt has control characters or is too long")
  }

  private static func isRefused(_ arguments: [[UInt8]]) -> Bool {
    do throws(ModuleOptions.Refusal) {
      _ = try ModuleOptions(arguments)
      return false
    } catch {
      return true
    }
  }

  private static func written(_ options: ModuleOptions) -> [[UInt8]] {
    var arguments: [[UInt8]] = []
    if let path = options.configuration { arguments.append(Array("config=".utf8) + path) }
    if let prompt = options.prompt { arguments.append(Array("prompt=".utf8) + prompt) }
    if options.echo { arguments.append(Array("echo".utf8)) }
    if options.debug { arguments.append(Array("debug".utf8)) }
    if let tries = options.tries { arguments.append(Array("tries=\(tries)".utf8)) }
    if options.followsPassword { arguments.append(Array("after_password".utf8)) }
    if options.followsKey { arguments.append(Array("after_key".utf8)) }
    if options.takesProgramPassword { arguments.append(Array("program_password".utf8)) }
    if options.requiresCode { arguments.append(Array("require_code".utf8)) }
    if options.triesFirstPass { arguments.append(Array("try_first_pass".utf8)) }
    if options.usesFirstPass { arguments.append(Array("use_first_pass".utf8)) }
    if options.forwardsPass { arguments.append(Array("forward_pass".utf8)) }
    return arguments
  }
}
