import MFABase
import Testing

@testable import MFAAdmin

@Suite struct ChildProgramTests {
  private func run(
    _ arguments: [String], seconds: Int64 = 60, longest: Int = 1 << 20
  ) throws(ReadingFailure) -> ProgramOutput {
    try ChildProgram(arguments: arguments, seconds: seconds, longest: longest).run()
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test func noShellReadsArguments() throws {
    let arguments = ["$(id)", "a  b", "*", ";", "'\"\\", ""]
    let output = try run(["/usr/bin/printf", "%s\\n"] + arguments)
    #expect(text(output.output) == arguments.map { $0 + "\n" }.joined())
    #expect(output.isSuccess)
  }

  @Test func streamsAndExitStatusAreReturned() throws {
    let output = try run(["/bin/sh", "-c", "echo out; echo one >&2; echo two >&2; exit 3"])
    #expect(output.status == 3)
    #expect(text(output.output) == "out\n")
    #expect(text(output.errors) == "one\ntwo\n")
    #expect(output.complaint == "two")
    #expect(try run(["/bin/sh", "-c", "exit 3"]).complaint == "exit status 3")
    let killed = try run(["/bin/sh", "-c", "kill -9 $$"])
    #expect(killed.status == nil && !killed.isSuccess)
    #expect(killed.complaint == "a signal ended it")
  }

  @Test func environmentIsFixedAndInputIsEmpty() throws {
    let environment = text(try run(["/usr/bin/env"]).output).split(separator: "\n").sorted()
    #expect(environment == ["LC_ALL=C.UTF-8", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"])
    #expect(try run(["/bin/cat"]).output.isEmpty)
  }

  @Test func largeOutputIsReadCompletely() throws {
    let output = try run(["/usr/bin/head", "-c", "1000000", "/dev/zero"])
    #expect(output.output.count == 1_000_000)
  }

  @Test func tooMuchOutputIsRefused() {
    #expect(throws: ReadingFailure(at: "/bin/cat", "it printed more than 10 bytes")) {
      try run(["/bin/cat", "/dev/zero"], longest: 10)
    }
  }

  @Test func programThatRunsTooLongIsKilled() {
    #expect(throws: ReadingFailure(at: "/bin/sleep", "it did not end within 0 s")) {
      try run(["/bin/sleep", "1000"], seconds: 0)
    }
    // The limit applies even if the program closes its output.
    #expect(throws: ReadingFailure(at: "/bin/sh", "it did not end within 1 s")) {
      try run(["/bin/sh", "-c", "exec >&- 2>&- sleep 1000"], seconds: 1)
    }
  }

  @Test func missingProgramIsAnError() {
    #expect(throws: ReadingFailure(at: "/nonexistent", SystemError(.process, number: 2).text)) {
      try run(["/nonexistent"])
    }
  }
}
