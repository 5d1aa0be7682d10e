import ArgumentParser

/// The options that all commands have.
struct CommonOptions: ParsableArguments {
  @Option(help: "The account. Only root can name another account than its own.")
  var user: String?

  @Flag(help: "Read the answers from standard input. For programs without a terminal.")
  var stdin = false
}

/// A command of mfa-enroll.
protocol EnrollCommand: AsyncParsableCommand {
  /// The options that all commands have.
  var options: CommonOptions { get }
  /// Whether a program started the command, as `--json` or `--stdin` say.
  var isForProgram: Bool { get }
}

extension EnrollCommand {
  var isForProgram: Bool { options.stdin }
}
