import Foundation
import Glibc
import MFACTestSupport
import MFATestSupport
import Testing

@testable import MFABase

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

/// Real processes started as companions.
@Suite("Companion processes")
struct CompanionTests {
  static func start(_ path: String) throws(SystemError) -> SupervisedProgram {
    try SupervisedProgram(path: Array(path.utf8), name: "companion")
  }

  /// Sends a text to the program and receives the same number of bytes.
  private static func exchange(_ companion: SupervisedProgram, _ text: String) throws -> String {
    let sent = Array(text.utf8)
    try companion.send(sent.span)
    var received = [UInt8](repeating: 0, count: sent.count)
    var span = received.mutableSpan
    #expect(try companion.receive(into: &span, seconds: 20) == .complete)
    return String(decoding: received, as: UTF8.self)
  }

  static func receive(
    _ companion: SupervisedProgram, seconds: Int64
  ) throws -> SupervisedProgram.Reception {
    var room = [UInt8](repeating: 0, count: 1)
    var span = room.mutableSpan
    return try companion.receive(into: &span, seconds: seconds)
  }

  @Test("sent bytes reach the program, and its response is received")
  func echo() throws {
    let companion = try Self.start("/bin/cat")
    #expect(try Self.exchange(companion, "hello") == "hello")
    #expect(try Self.exchange(companion, "again") == "again")
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let path: String
    let error: Int32?
    var testDescription: String { "\(path)" }
  }

  static let rows = [
    Row(path: "/nonexistent/program", error: ENOENT),
    Row(path: "/etc/passwd", error: EACCES),
    Row(path: "/bin", error: EACCES),
    Row(path: "/bin/true", error: nil),
    Row(path: "/bin/false", error: nil),
  ]

  @Test("a program that has ended or cannot be started causes only an error", arguments: rows)
  func ended(row: Row) throws {
    let companion = try Self.start(row.path)
    #expect(try Self.receive(companion, seconds: 20) == .ended, "\(row.testDescription)")
    #expect(companion.startFailure() == row.error.map { SystemError(.process, number: $0) })
    // Writing to it fails too.
    #expect(throws: SystemError(.write, number: EPIPE)) {
      for _ in 0..<2 { try companion.send([1, 2, 3].span) }
    }
  }

  @Test("a program that sends nothing is waited for only until the deadline")
  func silent() throws {
    let companion = try Self.start("/bin/cat")
    #expect(try Self.receive(companion, seconds: 0) == .silent)
  }

  /// Starts a shell that reads commands from the stream; returns the shell and the first lines of
  /// its output.
  private static func shell(
    _ commands: String, lines count: Int
  ) throws -> (companion: SupervisedProgram, lines: [String]) {
    let companion = try start("/bin/sh")
    try companion.send(Array((commands + "\n").utf8).span)
    var lines = [""]
    while lines.count - 1 < count {
      var byte: [UInt8] = [0]
      var span = byte.mutableSpan
      guard try companion.receive(into: &span, seconds: 20) == .complete else { break }
      if byte[0] == 0x0A {
        lines.append("")
      } else {
        lines[lines.count - 1].append(Character(Unicode.Scalar(byte[0])))
      }
    }
    return (companion, lines.dropLast())
  }

  /// Returns the value of a line of /proc/self/status.
  private static func bits(_ name: String, _ lines: [String]) throws -> UInt64 {
    let line = try #require(lines.first { $0.hasPrefix(name) })
    return try #require(UInt64(line.split(separator: "\t").last ?? "", radix: 16))
  }

  @Test("the program inherits nothing")
  func inheritsNothing() throws {
    // A descriptor that a program leaves open for its children by mistake.
    let leak = fcntl(0, F_DUPFD, 200)
    defer { close(leak) }
    let (_, seen) = try Self.shell(
      """
      /usr/bin/env
      pwd
      for number in /proc/self/fd/*; do echo "descriptor ${number##*/}"; done
      exit
      """, lines: .max)
    // Except the variables that the shell itself sets.
    let variables = seen.filter { $0.contains("=") && !$0.hasPrefix("PWD=") && !$0.hasPrefix("_=") }
    #expect(variables.isEmpty, "\(variables)")
    #expect(seen.contains("/"), "\(seen)")
    #expect(seen.contains("descriptor 0") && seen.contains("descriptor 1"))
    #expect(!seen.contains("descriptor \(leak)"))
  }

  @Test("all signals have their defaults in the program")
  func signals() throws {
    // A shell would reset the signals itself.
    let companion = try SupervisedProgram(path: Array("/bin/cat".utf8), name: "companion-signals")
    #expect(try Self.exchange(companion, "started") == "started")
    let processes = try FileManager.default.contentsOfDirectory(atPath: "/proc")
    let process = try #require(
      processes.first { process in
        let commandLine = FileManager.default.contents(atPath: "/proc/\(process)/cmdline")
        return commandLine == Data("companion-signals\0".utf8)
      })
    let status = try #require(FileManager.default.contents(atPath: "/proc/\(process)/status"))
    let lines = String(decoding: status, as: UTF8.self).split(separator: "\n").map(String.init)
    #expect(try Self.bits("SigBlk", lines) == 0)
    // The C library reserves signals 32 and 33.
    #expect(try Self.bits("SigIgn", lines) & ~0x1_8000_0000 == 0)
  }

  @Test("a program that ignores signals and does not end is killed")
  func stubbornProgramIsKilled() throws {
    let number: Int32
    do {
      let (companion, lines) = try Self.shell(
        """
        trap '' TERM HUP INT PIPE
        echo $$
        exec /bin/sleep 3600
        """, lines: 1)
      number = try #require(lines.first.flatMap { Int32($0) })
      #expect(kill(number, 0) == 0)
      #expect(try Self.receive(companion, seconds: 0) == .silent)
    }
    #expect(kill(number, 0) == -1 && errno == ESRCH)
  }

  /// Runs in a separate process, which has no other children.
  @Test("the host receives no signal, finds no child and keeps no descriptor")
  func unnoticed() async {
    await #expect(processExitsWith: .success) {
      for ignoresSignals: Int32 in [0, 1] {
        ctest_watch_children(ignoresSignals)
        let before = ctest_sockets()
        do {
          let companion = try CompanionTests.start("/bin/cat")
          try #require(ctest_finds_child(0) == 0)
          try companion.send([1].span)
          try #require(try CompanionTests.receive(companion, seconds: 20) == .complete)
        }
        try #require(ctest_child_signals() == 0)
        try #require(ctest_finds_child(1) == 0)
        try #require(ctest_sockets() == before)
      }
    }
  }

  @Test("if the host has no standard streams, the program is not connected to them")
  func closedStreams() async {
    await #expect(processExitsWith: .success) {
      for descriptor in Int32(0)...2 { ctest_close(descriptor) }
      let companion = try CompanionTests.start("/bin/cat")
      // Other code may open those descriptors meanwhile.
      for descriptor in Int32(0)...2 { try #require(ctest_is_socket(descriptor) == 0) }
      try companion.send([1].span)
      try #require(try CompanionTests.receive(companion, seconds: 20) == .complete)
    }
  }
}

/// Real programs that are not children of the process that starts them.
///
/// Each test runs in a process of its own, because the other tests have children.
@Suite("Detached programs")
struct DetachedProgramTests {
  @Test("a program that cannot be executed is an error, and no child is left")
  func notExecuted() async {
    await #expect(processExitsWith: .success) {
      for (path, number) in [
        ("/nonexistent/program", ENOENT), ("/etc/passwd", EACCES), ("/bin", EACCES),
      ] as [(StaticString, Int32)] {
        #expect(throws: SystemError(.process, number: number), "\(path)") {
          try Program.startDetached(path, input: [])
        }
        let isParent = try Self.hasChildren()
        #expect(!isParent, "\(path)")
      }
    }
  }

  @Test("a program that is executed is no child of this process")
  func executed() async {
    await #expect(processExitsWith: .success) {
      try Program.startDetached("/bin/sleep", input: [1])
      let isParent = try Self.hasChildren()
      #expect(!isParent)
    }
  }

  @Test("a child of this process is found, running or ended")
  func child() async {
    await #expect(processExitsWith: .success) {
      let child = try ChildProcess(["/bin/true"])
      let isParent = try Self.hasChildren()
      _ = try child.wait(until: .long)
      let isStillParent = try Self.hasChildren()
      #expect(isParent && !isStillParent)
    }
  }

  /// Returns whether this process has a child, which may have ended.
  private static func hasChildren() throws -> Bool {
    let threads = "/proc/self/task"
    return try FileManager.default.contentsOfDirectory(atPath: threads).contains { thread in
      // The kernel lists a child with the thread that started it, until the child was waited for.
      try !String(contentsOfFile: "\(threads)/\(thread)/children", encoding: .utf8).isEmpty
    }
  }
}

@Suite("The locale of the process")
struct ProcessLocaleTests {
  @Test(
    "only UTF-8 is UTF-8",
    arguments: [
      ("C.UTF-8", true), ("de_DE.utf8", true), ("fr_FR.UTF-8@euro", true), ("C", false),
      ("POSIX", false), ("", false), ("de_DE@euro", false), ("ja_JP.eucJP", false),
      ("x.UTF", false),
    ])
  func names(name: String, isUTF8: Bool) {
    #expect(ProcessLocale.isUTF8(Array(name.utf8)) == isUTF8)
  }
}
