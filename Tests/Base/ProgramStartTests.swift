import Foundation
import Glibc
import MFABase
import MFATestSupport
import Testing

/// Real programs, started in child processes.
@Suite("Starting programs")
struct ProgramStartTests {
  /// Returns the output of a shell script, and how the shell ended.
  private static func shell(
    _ script: String, _ change: (inout ProgramStart) -> Void = { _ in }
  ) throws -> (output: String, end: ProgramEnd) {
    let ends = try PipeEnds()
    var program = ProgramStart(
      Array("/bin/sh".utf8), arguments: ["sh", "-c", script].map { Array($0.utf8) })
    program.output = ends.writeEnd
    change(&program)
    let process = try program.start()
    let reading = FileHandle(fileDescriptor: ends.takeReadEnd(), closeOnDealloc: true)
    let output = try reading.readToEnd() ?? Data()
    return (String(decoding: output, as: UTF8.self), try ProgramEnd.wait(for: process))
  }

  @Test("a program has the given arguments, environment and exit status")
  func arguments() throws {
    let (output, end) = try Self.shell("echo \"$0 $NAME $OTHER\"; exit 7") { program in
      program.environment = [Array("NAME=value 1".utf8), Array("OTHER=".utf8)]
    }
    #expect(output == "sh value 1 \n")
    #expect(end == .exited(7))
  }

  @Test("a program inherits no variable, directory or descriptor")
  func inheritsNothing() throws {
    // A descriptor that a program leaves open for its children by mistake.
    let leak = fcntl(0, F_DUPFD, 200)
    defer { close(leak) }
    let (output, _) = try Self.shell(
      "pwd; readlink /proc/self/fd/0; /usr/bin/env; cd /proc/$$/fd; echo *")
    let lines = output.split(separator: "\n")
    #expect(lines.prefix(2) == ["/", "/dev/null"])
    // The shell itself sets these variables.
    let variables = lines.filter { $0.contains("=") }
    #expect(variables.allSatisfy { $0.hasPrefix("PWD=") || $0.hasPrefix("_=") }, "\(variables)")
    // The shell has the directory that it lists open as 3.
    #expect(lines.last == "0 1 2 3")
  }

  @Test("the signals of a program have their defaults")
  func signals() throws {
    let (output, _) = try Self.shell("exec grep -E '^Sig(Blk|Ign)' /proc/self/status")
    let masks = output.split(separator: "\n").compactMap { line in
      line.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) }
    }
    // The C library reserves signals 32 and 33.
    #expect(masks.map { $0 & ~0x1_8000_0000 } == [0, 0])
  }

  @Test("a program can run in a new session")
  func session() throws {
    let (output, _) = try Self.shell("ps -o pid=,sid= -p $$") { $0.isInNewSession = true }
    let numbers = output.split(separator: " ").map { $0.filter(\.isNumber) }
    #expect(numbers.count == 2 && numbers[0] == numbers[1], "\(output)")
  }

  @Test(
    "a program that cannot be executed is an error, and leaves no child",
    arguments: [
      (1, "/nonexistent/program", ENOENT), (2, "/etc/passwd", EACCES), (3, "/bin", EACCES),
    ] as [(Int, String, Int32)])
  func missing(row: Int, path: String, error: Int32) async {
    #expect(throws: SystemError(.process, number: error), "row \(row)") {
      _ = try ProgramStart(Array(path.utf8), arguments: [[]]).start()
    }
  }

  @Test("a program that a signal ends was killed, as is one that does not end in time")
  func killed() throws {
    #expect(try Self.shell("kill -TERM $$").end == .killed)
    let program = ProgramStart(
      Array("/bin/sleep".utf8), arguments: ["sleep", "3600"].map { Array($0.utf8) })
    #expect(try ProgramEnd.wait(for: try program.start(), seconds: 0) == .killed)
  }

  @Test("a program started without standard streams has those that it was given")
  func closedStreams() async {
    await #expect(processExitsWith: .success) {
      for descriptor in Int32(0)...2 { close(descriptor) }
      let (output, end) = try ProgramStartTests.shell("readlink /proc/$$/fd/0; echo output")
      try #require(output == "/dev/null\noutput\n" && end == .exited(0))
    }
  }
}
