import MFACTestSupport
import Foundation
import Glibc
import MFABase
import MFATestSupport
import Testing

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
    let number: Int
    let path: String
    let error: Int32?
    var testDescription: String { "\(number): \(path)" }
  }

  static let rows = [
    Row(number: 1, path: "/nonexistent/program", error: ENOENT),
    Row(number: 2, path: "/etc/passwd", error: EACCES),
    Row(number: 3, path: "/bin", error: EACCES),
    Row(number: 4, path: "/bin/true", error: nil),
    Row(number: 5, path: "/bin/false", error: nil),
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
