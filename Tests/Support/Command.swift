/// A program that ran to its end, without a terminal.
package struct Command: Sendable {
  /// The exit status.
  package let status: ExitStatus

  /// The bytes written to standard output.
  package let output: [UInt8]

  /// The bytes written to standard error.
  package let errors: [UInt8]

  /// The standard output as text.
  package var text: String { String(decoding: output, as: UTF8.self) }

  /// The standard error as text.
  package var errorText: String { String(decoding: errors, as: UTF8.self) }

  /// Runs a program and waits until it has ended.
  ///
  /// Input and output are files in memory, so neither large output nor a remaining background
  /// process can block the test.
  package static func run(
    _ arguments: [String], input: [UInt8] = [], as identity: Identity = .current,
    environment: [String: String] = [:], directory: String = "/",
    deadline: Deadline = .long
  ) throws(HarnessFailure) -> Command {
    let given = try Descriptor.memory(input)
    let output = try Descriptor.memory()
    let errors = try Descriptor.memory()
    let child = try ChildProcess(
      arguments, as: identity, environment: environment,
      descriptors: [0: given.number, 1: output.number, 2: errors.number], directory: directory)
    guard let status = try child.wait(until: deadline) else {
      throw HarnessFailure(
        "\(arguments.joined(separator: " ")): still running at the deadline",
        evidence: [
          ("output", String(decoding: try output.contents(), as: UTF8.self)),
          ("errors", String(decoding: try errors.contents(), as: UTF8.self)),
        ])
    }
    return Command(status: status, output: try output.contents(), errors: try errors.contents())
  }

  /// Runs a program that must succeed, and returns its output.
  @discardableResult
  package static func succeed(
    _ arguments: [String], input: [UInt8] = [], as identity: Identity = .current,
    environment: [String: String] = [:], directory: String = "/",
    deadline: Deadline = .long
  ) throws(HarnessFailure) -> String {
    let command = try run(
      arguments, input: input, as: identity, environment: environment, directory: directory,
      deadline: deadline)
    guard command.status.isSuccess else {
      throw HarnessFailure(
        "\(arguments.joined(separator: " ")): \(command.status)",
        evidence: [("output", command.text), ("errors", command.errorText)])
    }
    return command.text
  }

  /// Runs commands of the shell as root, which must succeed, and returns their output.
  @discardableResult
  package static func shell(_ commands: String) throws(HarnessFailure) -> String {
    try succeed(["/bin/sh", "-c", commands])
  }
}
