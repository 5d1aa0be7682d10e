import CTestSupport
import Foundation
import Glibc
import System
import TestSupport
import Testing

/// Programs that are really started beside this one.
@Suite("A program beside the host")
struct CompanionTests {
  static func start(_ path: String) throws(SystemError) -> Companion {
    try Companion(path: Array(path.utf8), name: "companion")
  }

  /// Sends a text to the program and receives as many bytes.
  private static func exchange(_ companion: Companion, _ text: String) throws -> String {
    let sent = Array(text.utf8)
    try companion.send(sent.span)
    var received = [UInt8](repeating: 0, count: sent.count)
    var span = received.mutableSpan
    #expect(try companion.receive(into: &span, seconds: 20) == .complete)
    return String(decoding: received, as: UTF8.self)
  }

  static func receive(
    _ companion: Companion, seconds: Int64
  ) throws -> Companion.Reception {
    var room = [UInt8](repeating: 0, count: 1)
    var span = room.mutableSpan
    return try companion.receive(into: &span, seconds: seconds)
  }

  @Test("what is said reaches the program, and what it answers comes back")
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

  @Test("a program that has ended, or never started, costs no more than an error", arguments: rows)
  func ended(row: Row) throws {
    let companion = try Self.start(row.path)
    #expect(try Self.receive(companion, seconds: 20) == .ended, "\(row.testDescription)")
    #expect(companion.startFailure() == row.error.map { SystemError(.process, number: $0) })
    // Neither does writing to it.
    #expect(throws: SystemError(.write, number: EPIPE)) {
      for _ in 0..<2 { try companion.send([1, 2, 3].span) }
    }
  }

  @Test("a program that says nothing is not waited for longer than was said")
  func silent() throws {
    let companion = try Self.start("/bin/cat")
    #expect(try Self.receive(companion, seconds: 0) == .silent)
  }

  /// A script of this test's own, which is removed with the value.
  private final class Script {
    let folder: String
    var path: String { folder + "/program" }

    init(_ text: String) throws {
      folder =
        FileManager.default.temporaryDirectory
        .appendingPathComponent("companion-\(UUID().uuidString)").path
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      try ("#!/bin/sh\n" + text).write(toFile: path, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    }

    deinit {
      do { try FileManager.default.removeItem(atPath: folder) } catch { Issue.record(error) }
    }

    func file(_ name: String) throws -> [String] {
      try String(contentsOfFile: folder + "/" + name, encoding: .utf8)
        .split(separator: "\n").map(String.init)
    }
  }

  /// A line's value in /proc/self/status.
  private static func bits(_ name: String, _ lines: [String]) throws -> UInt64 {
    let line = try #require(lines.first { $0.hasPrefix(name) })
    return try #require(UInt64(line.split(separator: "\t").last ?? "", radix: 16))
  }

  @Test("the program inherits nothing")
  func inheritsNothing() throws {
    let script = try Script(
      """
      exec 9>"${0%/*}/seen"
      /usr/bin/env >&9
      pwd >&9
      for number in /proc/self/fd/*; do echo "descriptor ${number##*/}" >&9; done
      /bin/grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status >&9
      echo -n x
      """)
    // Something that a careless program leaves open for its children.
    let leak = fcntl(0, F_DUPFD, 200)
    defer { close(leak) }
    let companion = try Self.start(script.path)
    #expect(try Self.receive(companion, seconds: 20) == .complete)
    let seen = try script.file("seen")
    // What the shell itself puts there.
    let variables = seen.filter { $0.contains("=") && !$0.hasPrefix("PWD=") && !$0.hasPrefix("_=") }
    #expect(variables.isEmpty, "\(variables)")
    #expect(seen.contains("/"))
    #expect(seen.contains("descriptor 0") && seen.contains("descriptor 1"))
    #expect(!seen.contains("descriptor \(leak)"))
    #expect(try Self.bits("SigBlk", seen) == 0)
    // The C library keeps 32 and 33 for itself.
    #expect(try Self.bits("SigIgn", seen) & ~0x1_8000_0000 == 0)
  }

  @Test("nothing is left, though the program would neither end nor be told to")
  func nothingIsLeft() throws {
    let script = try Script(
      """
      trap '' TERM HUP INT PIPE
      echo $$ > "${0%/*}/number"
      echo -n x
      exec /bin/sleep 3600
      """)
    do {
      let companion = try Self.start(script.path)
      #expect(try Self.receive(companion, seconds: 20) == .complete)
    }
    let number = try #require(Int32(try script.file("number").first ?? ""))
    #expect(kill(number, 0) == -1 && errno == ESRCH)
  }

  /// In a process of its own, where nobody else has children.
  @Test("the host gets no signal, finds no child and keeps no descriptor")
  func unnoticed() async {
    await #expect(processExitsWith: .success) {
      for ignoresSignals: Int32 in [0, 1] {
        ctest_watch_children(ignoresSignals)
        let before = ctest_descriptors()
        do {
          let companion = try CompanionTests.start("/bin/cat")
          try #require(ctest_finds_child(0) == 0)
          try companion.send([1].span)
          try #require(try CompanionTests.receive(companion, seconds: 20) == .complete)
        }
        try #require(ctest_child_signals() == 0)
        try #require(ctest_finds_child(1) == 0)
        try #require(ctest_descriptors() == before)
      }
    }
  }

  @Test("a host without standard streams does not have them connected to the program")
  func closedStreams() async {
    await #expect(processExitsWith: .success) {
      for descriptor in Int32(0)...2 { ctest_close(descriptor) }
      let before = ctest_descriptors()
      let companion = try CompanionTests.start("/bin/cat")
      for descriptor in Int32(0)...2 { try #require(ctest_is_open(descriptor) == 0) }
      try #require(ctest_descriptors() == before + 1)
      try companion.send([1].span)
      try #require(try CompanionTests.receive(companion, seconds: 20) == .complete)
    }
  }
}
